/** Two clocks of the machine, in milliseconds from starting points of their own. */
export interface MachineClocks {
  /** Never set, but may stand still while the machine sleeps. */
  steady(): number;
  /** Runs on during sleep, but may be set. */
  wall(): number;
}

export const MACHINE_CLOCKS: MachineClocks = {
  steady: () => performance.now(),
  wall: () => Date.now(),
};

/** The gateway's clock as a terminal knows it: `serverTime` from `welcome`, and the time that has passed since. */
export class GatewayClock {
  readonly #clocks: MachineClocks;
  readonly #serverTime: number;
  readonly #steadyThen: number;
  readonly #wallThen: number;

  /** To be made when `serverTime` (epoch milliseconds) has just been read. */
  constructor(serverTime: number, clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#serverTime = serverTime;
    this.#steadyThen = clocks.steady();
    this.#wallThen = clocks.wall();
  }

  /**
   * Epoch milliseconds. Of the two clocks the one that says that more time has passed is believed: a request taken for
   * too old is refused and harmless, one taken for fresh could start a payment that nobody waits for any more.
   */
  now(): number {
    return this.#serverTime + Math.max(this.#steadyPassed(), this.#wallPassed());
  }

  /** By how much the two clocks disagree, milliseconds: the machine slept, or its wall clock was set. */
  disagreement(): number {
    return Math.abs(this.#steadyPassed() - this.#wallPassed());
  }

  #steadyPassed(): number {
    return this.#clocks.steady() - this.#steadyThen;
  }

  #wallPassed(): number {
    return this.#clocks.wall() - this.#wallThen;
  }
}
