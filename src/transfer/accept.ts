/** `Accept` of a transfer (RFC 9110, section 12.5.1): a POS may have its answer as a stream of events. */

export const EVENT_STREAM = "text/event-stream";

/** Whether `text/event-stream` is named, and nothing says that JSON is better. Wildcards mean JSON. */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  let events = 0;
  let json = 0;
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (type === EVENT_STREAM) events = qualityOf(parameters);
    else if (type === "application/json") json = qualityOf(parameters);
  }
  return events > 0 && events >= json;
}

/** From 0 to 1; 1 where it is not said, or not in a valid form. */
function qualityOf(parameters: readonly string[]): number {
  const said = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "";
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(said) ? Number(said) : 1;
}
