/** The same seed gives the same history. Fast, because a history makes millions of small decisions. */

export interface Random {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next: () => number;
  /** Returns a whole number from 0 (included) to `below` (excluded). */
  below(below: number): number;
  chance(probability: number): boolean;
  /** `choices` must not be empty, nor have an undefined one. */
  pick<T>(choices: readonly T[]): T;
}

/**
 * Makes SplitMix32 by Guy Steele and others (https://doi.org/10.1145/2660193.2660195), in 32 bits, from any integer.
 */
export function createRandom(seed: number): Random {
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
    pick: <T>(choices: readonly T[]): T => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new RangeError("There is nothing to pick from.");
      return choice;
    },
  };
}
