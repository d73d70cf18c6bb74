/** `Accept` (RFC 9110, section 12.5.1). */

/** Whether `Accept` names the type and does not prefer JSON. Wildcards mean JSON. */
export function prefers(type: string, accept: string | undefined): boolean {
  if (accept === undefined) return false;
  let wanted = 0;
  let json = 0;
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name === type) wanted = readQuality(parameters);
    else if (name === "application/json") json = readQuality(parameters);
  }
  return wanted > 0 && wanted >= json;
}

/** Returns a number from 0 to 1, which is 1 if the quality is missing or invalid. */
function readQuality(parameters: readonly string[]): number {
  const said = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "";
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(said) ? Number(said) : 1;
}
