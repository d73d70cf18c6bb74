import { TRANSFER_LENGTHS } from "./lengths.ts";
import { LAST_FOUR, TRANSACTION_NUMBER } from "./transactions.ts";

/** With a comma or a point, marks of thousands, and the currency before or after it. */
const TYPED_AMOUNT =
  /^(?:[a-z]{3}\s*)?(0|[1-9][0-9]{0,8}|[1-9][0-9]{0,2}(?:[.,'\s][0-9]{3}){1,2})[.,]([0-9]{2})(?:\s*[a-z]{3})?$/iu;

/** Returns `48.22` for `48,22`, `48.22 MYR` or `MYR 1,048.22`; null for anything else. */
export function readAmount(text: string): string | null {
  const [, whole, cents] = TYPED_AMOUNT.exec(text) ?? [];
  return whole === undefined ? null : `${whole.replaceAll(/[^0-9]/gu, "")}.${cents}`;
}

type TypedQuery = Partial<Record<"transId" | "amount" | "cardLastFour" | "referenceId", string>>;

/**
 * What a person may mean who types a text to find a payment: each is a query of `GET /operator/transactions`. POSes mostly
 * choose references in upper case. Empty: it can only be a name.
 */
export function readSearchText(typed: string): TypedQuery[] {
  const text = typed.trim();
  if (text === "") return [{}];
  const amount = readAmount(text);
  if (amount !== null) return [{ amount }];
  const references = [...new Set([text, text.toUpperCase()])].map((referenceId) => ({ referenceId }));
  const named = [...text].length > TRANSFER_LENGTHS.referenceId ? [] : references;
  if (TRANSACTION_NUMBER.test(text)) return [{ transId: text }, ...named];
  return LAST_FOUR.test(text) ? [{ cardLastFour: text }, ...named] : named;
}

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
