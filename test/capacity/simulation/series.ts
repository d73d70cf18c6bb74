/** What is counted over the time of a run, in steps of equal length. */

const COUNTED = ["tries", "logins", "connects", "limited", "turnedAway", "d1Calls", "d1Refused", "d1Busy"] as const;

/** How often in every step; for `d1Busy`, how many milliseconds of it. */
export type Counted = (typeof COUNTED)[number];

export class Series {
  /** Milliseconds of a step. */
  readonly step: number;
  readonly #counts: Record<Counted, Float64Array>;

  /** @param until the run's longest time, milliseconds: what comes later counts for the last step */
  constructor(step: number, until: number) {
    this.step = step;
    const steps = Math.ceil(until / step) + 1;
    this.#counts = Object.fromEntries(COUNTED.map((name) => [name, new Float64Array(steps)])) as Record<
      Counted,
      Float64Array
    >;
  }

  /** @param now milliseconds from the start */
  add(what: Counted, now: number, count = 1): void {
    const counts = this.#counts[what];
    const at = Math.min(counts.length - 1, Math.floor(now / this.step));
    counts[at] = (counts[at] ?? 0) + count;
  }

  /** Adds time to the steps in which it passes. */
  addTime(what: Counted, begins: number, length: number): void {
    const end = begins + length;
    let from = begins;
    while (from < end) {
      const until = Math.min(end, (Math.floor(from / this.step) + 1) * this.step);
      this.add(what, from, until - from);
      from = until;
    }
  }

  /** One number for each of the first `steps` steps. */
  of(what: Counted, steps: number): number[] {
    return [...this.#counts[what].subarray(0, steps)];
  }

  total(what: Counted): number {
    return this.#counts[what].reduce((sum, count) => sum + count, 0);
  }
}
