/** Random numbers that follow from a seed. Every part of a run has a stream of its own, so that none disturbs another. */
import { createHash } from "node:crypto";

export class Random {
  readonly #name: string;
  #state: number;

  constructor(seed: number | string) {
    this.#name = String(seed);
    this.#state = createHash("sha256").update(this.#name).digest().readUInt32LE();
  }

  /** A stream of its own, which depends only on the seed and the names that lead to it. */
  of(name: string | number): Random {
    return new Random(`${this.#name}/${name}`);
  }

  /** From 0 up to 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Throws if there is none. */
  pick<Of>(all: readonly Of[]): Of {
    const one = all[Math.floor(this.next() * all.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  }
}
