/** What the rounds come to: their median, and how far they lie apart. */

export interface Spread {
  median: number;
  /** Half of the rounds lie between `lower` and `upper`. */
  lower: number;
  upper: number;
}

/** The smallest value that so large a share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), lower: quantile(values, 0.25), upper: quantile(values, 0.75) };
}

/** What comes of comparing each round of one with the same round of another. */
export function spreadOfPairs<Round>(
  ones: readonly Round[],
  others: readonly Round[],
  compare: (one: Round, other: Round) => number,
): Spread {
  return spreadOf(
    ones.flatMap((one, round) => {
      const other = others[round];
      return other === undefined ? [] : [compare(one, other)];
    }),
  );
}
