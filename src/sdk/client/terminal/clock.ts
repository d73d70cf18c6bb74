/** Milliseconds from different starting points. */
export interface MachineClocks {
  /** Never set, but may stop while the machine sleeps. */
  monotonic(): number;
  /** Keeps running during sleep, but may be set. */
  wall(): number;
}

export const MACHINE_CLOCKS: MachineClocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

export class GatewayClock {
  readonly #clocks: MachineClocks;
  readonly #serverTime: number;
  readonly #monotonicThen: number;
  readonly #wallThen: number;

  /** Create it right after reading `serverTime`. */
  constructor(serverTime: number, clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#serverTime = serverTime;
    this.#monotonicThen = clocks.monotonic();
    this.#wallThen = clocks.wall();
  }

  /**
   * Uses the clock that shows more time passed: a request wrongly refused as too old does no harm,
   * but one that wrongly counts as fresh could start a payment that nobody waits for.
   */
  now(): number {
    return this.#serverTime + Math.max(this.#monotonicPassed(), this.#wallPassed());
  }

  /** Large if the machine slept, or its wall clock was set. */
  disagreement(): number {
    return Math.abs(this.#monotonicPassed() - this.#wallPassed());
  }

  #monotonicPassed(): number {
    return this.#clocks.monotonic() - this.#monotonicThen;
  }

  #wallPassed(): number {
    return this.#clocks.wall() - this.#wallThen;
  }
}
