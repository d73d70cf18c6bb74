import { readAmount, readSearchText } from "../../../protocol/operator-search.ts";
import { goInstead } from "../address.ts";
import type { FoundPayment, FoundPayments, FoundTransaction, ShopPage } from "../answers.ts";
import { type OperatorCalls, NONE, type CallQuery } from "../operator-calls.ts";
import { paymentLink } from "../route.ts";

/** The names in the address: `text` is whatever somebody knows of a payment. */
export const SEARCHED = ["text", "posId", "amount", "cardLastFour", "terminalId", "merchantId", "from", "to"] as const;

export type PaymentSearch = Record<(typeof SEARCHED)[number], string>;

export interface SearchPage {
  data: FoundPayment[];
  /** It is null if the gateway was asked for one payment only, which it does not have. */
  covered: FoundPayments["covered"] | null;
}

/** Shops whose names begin with the text. */
const SHOPS = "5";

/** The payments that the text may mean, and those of the shops with this name. */
export async function searchPayments(calls: OperatorCalls, { text, ...others }: PaymentSearch): Promise<SearchPage> {
  const marks: CallQuery = { ...others, amount: readAmount(others.amount) ?? others.amount };
  const queries: CallQuery[] = readSearchText(text);
  if (text !== "" && marks["merchantId"] === "" && marks["terminalId"] === "") {
    const shops = await calls.get<ShopPage>("/shops", { name: text, limit: SHOPS });
    queries.push(...shops.data.map(({ merchantId }) => ({ merchantId })));
  }
  return mergePages(await Promise.all(queries.map((query) => searchOnce(calls, { ...marks, ...query }))));
}

/** A number, or an account's reference, leads to its payment in place of a list. */
async function searchOnce(calls: OperatorCalls, query: CallQuery): Promise<SearchPage> {
  const found = await calls.find<FoundPayments | FoundTransaction>("/transactions", query);
  if (found !== NONE && !("transaction" in found)) return found;
  if (found !== NONE) goInstead(paymentLink(found.terminalId, found.transaction.requestId));
  return { data: [], covered: null };
}

function timeOf({ completedAt, receivedAt }: FoundPayment): number {
  return Date.parse(completedAt ?? receivedAt);
}

/** Merges them, newest first. The merged page covers what every page covers. */
export function mergePages(pages: readonly SearchPage[]): SearchPage {
  const rows = new Map(pages.flatMap(({ data }) => data).map((row) => [`${row.terminalId} ${row.requestId}`, row]));
  return {
    data: [...rows.values()].toSorted((one, other) => timeOf(other) - timeOf(one)),
    covered: coveredByAll(pages.flatMap(({ covered }) => covered ?? [])),
  };
}

function coveredByAll(all: FoundPayments["covered"][]): SearchPage["covered"] {
  const [least, ...others] = all.toSorted(
    (one, other) => Date.parse(one.completeUntil) - Date.parse(other.completeUntil),
  );
  if (least === undefined) return null;
  return {
    ...least,
    from: others.reduce((from, other) => (Date.parse(other.from) > Date.parse(from) ? other.from : from), least.from),
    cut: all.some(({ cut }) => cut),
    notCovered: [...new Set([least, ...others].flatMap(({ notCovered }) => notCovered))],
  };
}
