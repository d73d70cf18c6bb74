import type { EpochMs, Milliseconds } from "../../../protocol/time/units.ts";

export interface MachineClocks {
  /** The time since any moment. It is never set, but may stop while the machine sleeps. */
  monotonic(): Milliseconds;
  /** Keeps running during sleep, but may be set. */
  wall(): EpochMs;
}

export const MACHINE_CLOCKS: MachineClocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

export class GatewayClock {
  readonly #clocks: MachineClocks;
  readonly #serverTime: EpochMs;
  readonly #monotonicThen: Milliseconds;
  readonly #wallThen: EpochMs;

  /** Create it right after reading `serverTime`. */
  constructor(serverTime: EpochMs, clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#serverTime = serverTime;
    this.#monotonicThen = clocks.monotonic();
    this.#wallThen = clocks.wall();
  }

  /**
   * Uses the clock that shows more time passed: a request wrongly refused as too old does no harm,
   * but one that wrongly counts as fresh could start a payment that nobody waits for.
   */
  now(): EpochMs {
    return this.#serverTime + Math.max(this.#monotonicPassed(), this.#wallPassed());
  }

  /** Large if the machine slept, or its wall clock was set. */
  disagreement(): Milliseconds {
    return Math.abs(this.#monotonicPassed() - this.#wallPassed());
  }

  #monotonicPassed(): Milliseconds {
    return this.#clocks.monotonic() - this.#monotonicThen;
  }

  #wallPassed(): Milliseconds {
    return this.#clocks.wall() - this.#wallThen;
  }
}
