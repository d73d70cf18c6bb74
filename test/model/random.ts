/** Seeded randomness, and the seeds of a run's histories. */
export { randomOf, type Random } from "../../src/simulator/random.ts";

/** The seed of the n-th history of a run: neighbouring runs share no histories. */
export function historySeed(seed: number, history: number): number {
  return Math.imul(seed, 0x85ebca6b) ^ Math.imul(history + 1, 0xc2b2ae35);
}
