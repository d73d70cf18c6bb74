/** `datetime` of signed messages: `YYYYMMDDTHHMMSS` in UTC. Runs in browsers, Node and workerd alike. */

const DATETIME = /^(\d{4})(\d{2})(\d{2})T?(\d{2})(\d{2})(\d{2})$/;

/**
 * Reads `YYYYMMDDTHHMMSS`, or the same 14 digits without the T, as UTC: epoch milliseconds, or null for another form
 * and for times that do not exist (30 February, hour 24, second 60).
 */
export function parseDatetime(text: string): number | null {
  const match = DATETIME.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as Six;
  const epochMs = Date.UTC(year, month - 1, day, hour, minute, second);
  // Date.UTC carries what is too much over to the next unit; what does not come back the same did not exist.
  return formatDatetime(epochMs) === `${text.slice(0, 8)}T${text.slice(-6)}` ? epochMs : null;
}

type Six = [number, number, number, number, number, number];

/** Writes epoch milliseconds (of the years 0 to 9999) as `YYYYMMDDTHHMMSS` in UTC; the milliseconds are cut off. */
export function formatDatetime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace(/[-:]/g, "");
}
