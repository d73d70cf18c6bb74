/**
 * `12:30:05`
 *
 * @param at epoch milliseconds
 * @param timeZone its IANA name
 */
export function clockTime(at: number, timeZone: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { timeZone });
}
