/**
 * The kit's own time, epoch milliseconds. It is some hours ahead of the machine's: a terminal that goes by its own clock
 * where the gateway's counts takes an old request for a fresh one, and shows itself.
 */
export class KitClock {
  readonly ahead: number;

  constructor(ahead: number) {
    this.ahead = ahead;
  }

  now(): number {
    return Date.now() + this.ahead;
  }
}
