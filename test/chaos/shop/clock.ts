/** A device's clock, which somebody may set wrongly. */
export class DeviceClock {
  /** Milliseconds that it is ahead. */
  offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }
}

/** `datetime` of a signed message: UTC, to the second. */
export function datetimeOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replaceAll(/[-:]|\.\d+Z/gu, "");
}

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
