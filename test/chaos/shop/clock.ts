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

/** A run of five minutes is over within this, also on a busy machine: its first day is still open then. Milliseconds. */
const OPEN_FOR = 1_200_000;

/**
 * Hours that local time is ahead of UTC, from -12 to 11, where midnight comes in 20 to 80 minutes.
 *
 * @param now epoch milliseconds
 */
export function hoursNearMidnight(now: number): number {
  const hour = (new Date(now + OPEN_FOR).getUTCHours() + 1) % 24;
  return hour <= 12 ? -hour : 24 - hour;
}

export function zoneAhead(hours: number): string {
  // The sign of these names is that of UTC minus local time.
  return hours <= 0 ? `Etc/GMT+${-hours}` : `Etc/GMT-${hours}`;
}
