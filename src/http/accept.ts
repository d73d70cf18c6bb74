/** `Accept` (RFC 9110, section 12.5.1): JSON, unless the caller names another form that the call has. */

/** Whether the type is named, and nothing says that JSON is better. Wildcards mean JSON. */
export function prefers(type: string, accept: string | undefined): boolean {
  if (accept === undefined) return false;
  let wanted = 0;
  let json = 0;
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name === type) wanted = qualityOf(parameters);
    else if (name === "application/json") json = qualityOf(parameters);
  }
  return wanted > 0 && wanted >= json;
}

/** From 0 to 1; 1 where it is not said, or not in a valid form. */
function qualityOf(parameters: readonly string[]): number {
  const said = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "";
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(said) ? Number(said) : 1;
}
