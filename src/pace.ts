/**
 * Starts work of one kind evenly, however much of it arrives at once, so that other work of the isolate runs in between.
 *
 * Each caller reserves its own start and waits for it. So it does not matter if a caller hangs up, whose timers the
 * platform then cancels: its start passes unused.
 */
export interface PaceLimits {
  /** Between two starts, in milliseconds. */
  apart: number;
  /** The longest wait for a start, in milliseconds. */
  longestWait: number;
}

export class Pace {
  readonly #limits: PaceLimits;
  /** The next free start, in `performance.now()`. */
  #next = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  /** Resolves to true when the caller may start; to false, at once, if too many wait. */
  async turn(): Promise<boolean> {
    const { apart, longestWait } = this.#limits;
    const now = performance.now();
    const start = Math.max(now, this.#next);
    if (start - now > longestWait) return false;
    this.#next = start + apart;
    if (start > now) await scheduler.wait(start - now);
    return true;
  }
}
