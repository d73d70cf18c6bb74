/**
 * The time zone in which the next full hour of UTC is midnight.
 *
 * @param now epoch milliseconds
 */
export function zoneNearMidnight(now: number): string {
  const hour = (new Date(now).getUTCHours() + 1) % 24;
  // The sign of these names is that of UTC minus local time.
  return hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
}
