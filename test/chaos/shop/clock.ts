/** A device's clock, which somebody may set wrongly. */
export class DeviceClock {
  /** Milliseconds that it is ahead. */
  offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }
}
