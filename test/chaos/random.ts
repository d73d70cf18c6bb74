/** Random numbers that follow from a seed. Every part of a run has a stream of its own, so that none disturbs another. */
import { createHash } from "node:crypto";
import { type Random as Numbers, randomOf } from "../../src/simulator/random.ts";

export interface Random extends Numbers {
  /** A stream of its own, which depends only on the seed and the names that lead to it. */
  of(name: string | number): Random;
  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number;
}

export function streamOf(seed: string | number): Random {
  const numbers = randomOf(createHash("sha256").update(String(seed)).digest().readInt32LE());
  return {
    ...numbers,
    of: (name) => streamOf(`${seed}/${name}`),
    between: (from, to) => from + numbers.below(to - from + 1),
  };
}
