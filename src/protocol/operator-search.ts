/** Times are ISO 8601, `to` and those after `completeUntil` excluded. */
interface Covered {
  from: string;
  to: string;
  /** What the database has got from accounts. */
  completeUntil: string;
  /** A limit was reached. */
  cut: boolean;
  /** The posIds of accounts that were not searched. */
  notCovered: readonly string[];
}

/**
 * What a search over all accounts has looked at, in sentences: a payment that is not found may exist elsewhere.
 *
 * @param time words for a time of the answer
 */
export function coverageWords(
  { from, to, completeUntil, cut, notCovered }: Covered,
  time: (iso: string) => string,
): string[] {
  return [
    `Searched: payments from ${time(from)} to ${time(to)}.`,
    ...(Date.parse(completeUntil) < Date.parse(to)
      ? [`Those since ${time(completeUntil)} may be missing, unless you name the account or its shop.`]
      : []),
    ...(cut ? ["Earlier ones may be missing: there is too much to search. Name a shorter time, or the account."] : []),
    ...(notCovered.length > 0 ? [`Not searched: ${notCovered.join(", ")}. Name each account.`] : []),
  ];
}
