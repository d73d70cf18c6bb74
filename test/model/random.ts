/** Seeded randomness: the same seed, the same history. Fast, as millions of small decisions hang on it. */

export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number from 0 (included) to `below` (excluded). */
  below(below: number): number;
  chance(probability: number): boolean;
  /** One of `choices`, which must not be empty. */
  pick<T>(choices: readonly T[]): T;
}

/** SplitMix32 by Guy Steele and others (https://doi.org/10.1145/2660193.2660195), in 32 bits. `seed`: any integer. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T,
  };
}

/** The seed of the n-th history of a run: neighbouring runs share no histories. */
export function historySeed(seed: number, history: number): number {
  return Math.imul(seed, 0x85ebca6b) ^ Math.imul(history + 1, 0xc2b2ae35);
}
