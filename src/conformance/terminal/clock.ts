/**
 * The kit's time, epoch milliseconds. It is some hours ahead of the machine's: a terminal that uses its own clock instead
 * of the gateway's judges deadlines wrongly, and the kit finds it.
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
