/** `datetime` of signed messages: `YYYYMMDDTHHMMSS` in UTC. Runs in browsers, Node and workerd alike. */

/** The form, of times that exist and of others: which ones do, only the calendar tells. */
export const DATETIME: RegExp = /^([0-9]{8})T?([0-9]{6})$/;

/**
 * Reads `YYYYMMDDTHHMMSS`, or the same 14 digits without the T, as UTC: epoch milliseconds, or null for another form
 * and for times that do not exist (30 February, hour 24, second 60).
 */
export function parseDatetime(text: string): number | null {
  const [, date, time] = DATETIME.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  const epochMs = Date.parse(`${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
  // Some parsers carry what is too much over to the next day; what does not come back the same did not exist.
  return !Number.isNaN(epochMs) && formatDatetime(epochMs) === `${date}T${time}` ? epochMs : null;
}

/** Writes epoch milliseconds (of the years 0 to 9999) as `YYYYMMDDTHHMMSS` in UTC; the milliseconds are cut off. */
export function formatDatetime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replace(/[-:]/g, "");
}
