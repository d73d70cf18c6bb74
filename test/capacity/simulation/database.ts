import type { Series } from "./series.ts";

/** Times are milliseconds. */
export interface DatabaseLimits {
  /** What a call takes that only reads, and one that writes. */
  read: number;
  write: number;
  /** A call that would wait longer for its turn is refused as "overloaded". */
  patience: number;
}

/** D1: one call at a time, the others wait in their order, and too long a queue refuses. */
export class Database {
  readonly #limits: DatabaseLimits;
  readonly #series: Series;
  #freeAt = 0;

  constructor(limits: DatabaseLimits, series: Series) {
    this.#limits = limits;
    this.#series = series;
  }

  /**
   * Calls it, one after the other.
   *
   * @param reads calls that only read
   * @param writes calls that write
   * @returns when the last one has its answer, or null where it refused
   */
  call(now: number, reads: number, writes: number): number | null {
    if (reads + writes === 0) return now;
    const { read, write, patience } = this.#limits;
    const calls = reads + writes;
    this.#series.add("d1Calls", now, calls);
    const begins = Math.max(now, this.#freeAt);
    if (begins - now > patience) {
      this.#series.add("d1Refused", now, calls);
      return null;
    }
    const work = reads * read + writes * write;
    this.#freeAt = begins + work;
    this.#series.addTime("d1Busy", begins, work);
    return this.#freeAt;
  }
}
