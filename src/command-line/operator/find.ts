/** Finds payments, and whatever else has an id or a name. */
import type { FoundPayments, FoundTransaction, TransactionAnswer } from "../../http/operator/transactions/responses.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import { TRANSFER_LENGTHS } from "../../protocol/lengths.ts";
import { type Filters, SEARCH_FILTERS } from "../../protocol/operator-filters.ts";
import { coverageWords } from "../../protocol/operator-search.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";
import { UsageError } from "../invocation.ts";
import { type Call, shown, type Shown, upTo } from "./command.ts";
import type { Operator, Query, Row } from "./client.ts";
import { EXIT, filtersOf, PAYMENT_FILTERS } from "./flags.ts";

/** Those that a search over all accounts has in addition. */
const { amount, cardLastFour } = SEARCH_FILTERS;
const SEARCHED = { amount, cardLastFour };

export const FIND_FILTERS = { ...PAYMENT_FILTERS, ...SEARCHED } satisfies Filters;

/** By reference, response code or time. */
async function findPayments(call: Call, account: string): Promise<Shown> {
  const { args, flags } = call;
  const { posId: _account, ...filters } = filtersOf(PAYMENT_FILTERS, flags);
  const path = `/accounts/${encodeURIComponent(account)}/transactions`;
  const query = { ...filters, referenceId: args[0] };
  const rows = await upTo<AccountTransaction>(call, path, query);
  const { timezone } = await call.operator.get(`/accounts/${encodeURIComponent(account)}`);
  return shown(call, rows, (row) => ({ ...paymentRow(row), timezone }), EXIT.nothing);
}

export async function find(call: Call): Promise<Shown> {
  const { operator, args, flags } = call;
  const [text] = args;
  const searched = filtersOf(SEARCHED, flags);
  const isSearch = Object.keys(searched).length > 0 || (flags.pos === undefined && flags.id !== undefined);
  if (flags.pos !== undefined && !isSearch) return findPayments(call, flags.pos);
  if (flags.code !== undefined) throw new UsageError("Name the account of --code with --pos.");
  if (isSearch) return search(call, { ...searched, referenceId: text });
  if (text === undefined)
    throw new UsageError("Name what to find, an account with --pos, or --amount, --card or --id.");
  const payment = isNumber(text) ? await findPayment(operator, text) : null;
  if (payment === null) return findNamed(call, text);
  const { terminalId, transaction } = payment;
  const data = flags.json === true ? payment : { terminalId, ...paymentMembers(transaction) };
  return { data, status: EXIT.done };
}

/** Over all accounts, or within the one that is named. Always says what it has covered. */
async function search(call: Call, wanted: Query): Promise<Shown> {
  const { posId, deviceId: terminalId, from, to } = filtersOf(PAYMENT_FILTERS, call.flags);
  const { data, covered } = await searchFor(call, { ...wanted, posId, terminalId, from, to });
  for (const words of coverageWords(covered, String)) console.error(words);
  return shown(call, data, (row) => row, EXIT.nothing);
}

function searchFor({ operator }: Call, query: Query): Promise<FoundPayments> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return operator.get<FoundPayments>(`/transactions?${new URLSearchParams(given).toString()}`);
}

/** A payment's reference, or the beginning of an id or name. */
async function findNamed(call: Call, text: string): Promise<Shown> {
  const searches = [
    ["terminal", "/terminals", { terminalId: text }, "terminalId"],
    ["terminal", "/terminals", { name: text }, "terminalId"],
    ["account", "/accounts", { posId: text }, "posId"],
    ["account", "/accounts", { name: text }, "posId"],
    ["shop", "/shops", { merchantId: text }, "merchantId"],
    ["shop", "/shops", { name: text }, "merchantId"],
  ] as const;
  const found = new Map<string, Row>();
  for (const [kind, path, query, id] of searches) {
    for (const row of await upTo(call, path, query)) {
      const { name, status = null } = row;
      found.set(`${kind} ${String(row[id])}`, { kind, id: row[id], name, status });
    }
  }
  if ([...text].length <= TRANSFER_LENGTHS.referenceId) {
    const { data, covered } = await searchFor(call, { referenceId: text });
    for (const { requestId: id, transType, transAmt, currency, posId, terminalId, statusCode: status } of data) {
      const name = `${transType} ${transAmt ?? ""} ${currency} by ${posId} on ${terminalId}`;
      found.set(`payment ${id}`, { kind: "payment", id, name, status });
    }
    if (found.size === 0) {
      console.error("For an older payment's reference, name its account: --pos POS.");
      for (const words of coverageWords(covered, String)) console.error(words);
    }
  }
  return { data: [...found.values()], status: found.size > 0 ? EXIT.done : EXIT.nothing };
}

export function isNumber(text: string): boolean {
  return TRANSACTION_NUMBER.test(text);
}

export function findPayment(operator: Operator, number: string): Promise<FoundTransaction | null> {
  return operator.find<FoundTransaction>(`/transactions?transId=${number}`);
}

function paymentRow({ requestId, deviceId, referenceId, transType, ...row }: AccountTransaction) {
  const { statusCode, responseCode, transAmt, currency, receivedAt } = row;
  return { requestId, deviceId, referenceId, transType, statusCode, responseCode, transAmt, currency, receivedAt };
}

export function paymentMembers({ outcome, stages: _stages, conflicts, evidence, ...row }: TransactionAnswer) {
  const { statusCode, responseCode, responseText } = outcome ?? {};
  return { ...row, statusCode, responseCode, responseText, conflicts: conflicts.length, evidence: evidence.length };
}
