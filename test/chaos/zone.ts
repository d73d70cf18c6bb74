/**
 * Hours that local time is ahead of UTC where the next full hour of UTC is midnight: from -12 to 11.
 *
 * @param now epoch milliseconds
 */
export function hoursNearMidnight(now: number): number {
  const hour = (new Date(now).getUTCHours() + 1) % 24;
  return hour <= 12 ? -hour : 24 - hour;
}

/** The name of the time zone that is so many hours ahead of UTC. */
export function zoneAhead(hours: number): string {
  // The sign of these names is that of UTC minus local time.
  return hours <= 0 ? `Etc/GMT+${-hours}` : `Etc/GMT-${hours}`;
}
