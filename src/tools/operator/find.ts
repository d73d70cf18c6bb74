/** Finds payments, and whatever else has an id or a name. */
import type {
  FoundPayments,
  FoundTransaction,
  TransactionAnswer,
} from "../../protocol/schemas/operator-transactions.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { AUDIT_FILTERS, type Filters, SEARCH_FILTERS, STATISTICS_FILTERS } from "../../protocol/operator-filters.ts";
import { coverageWords, readAmount, readSearchText } from "../../protocol/operator-search.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import {
  type OperatorClient,
  type OperatorQuery,
  queryText,
  type OperatorRow,
} from "../../sdk/command-line/operator-client.ts";
import { type OperatorCall, OPERATOR_EXIT, readFilters, type OperatorReport } from "./options.ts";

/** The filters of one account's payments. */
const PAYMENT_FILTERS = {
  posId: { ...STATISTICS_FILTERS.posId, words: "Only payments of this account." },
  deviceId: { ...STATISTICS_FILTERS.terminalId, words: "Only payments on this terminal." },
  responseCode: {
    kind: "text",
    length: RESULT_LENGTHS.responseCode,
    words: "With --pos: only payments with this response code, such as 51.",
    flag: "code",
  },
  from: { ...AUDIT_FILTERS.from, words: "Only payments at or after this time." },
  to: { ...AUDIT_FILTERS.to, words: "Only payments before this time." },
} as const satisfies Filters;

/** Those that a search over all accounts has in addition. */
const { amount, cardLastFour } = SEARCH_FILTERS;
const SEARCHED = { amount, cardLastFour };

export const FIND_FILTERS = { ...PAYMENT_FILTERS, ...SEARCHED } satisfies Filters;

export async function runFind(call: OperatorCall, text?: string): Promise<OperatorReport> {
  const { operator, flags } = call;
  const typed = text === undefined ? null : readAmount(text);
  if (typed !== null) return runFind({ ...call, flags: { ...flags, amount: typed } });
  const { posId, deviceId: terminalId, responseCode, from, to } = readFilters(PAYMENT_FILTERS, flags);
  const searched = readFilters(SEARCHED, flags);
  const isSearch = Object.keys(searched).length > 0 || (posId === undefined && terminalId !== undefined);
  if (posId !== undefined && !isSearch) {
    return findOfAccount(call, posId, { deviceId: terminalId, responseCode, from, to, referenceId: text });
  }
  if (responseCode !== undefined) throw new UsageError("Name the account of --code with --pos.");
  if (isSearch) {
    // Over all accounts, or within the one that is named. Always says what it has covered.
    const { data, covered } = await search(operator, { ...searched, referenceId: text, posId, terminalId, from, to });
    for (const words of coverageWords(covered, String)) console.error(words);
    return reportRows(call, data, searchRow, OPERATOR_EXIT.nothing);
  }
  if (text === undefined)
    throw new UsageError("Name what to find: a number, a reference, an amount, a name, or an account with --pos.");
  const payment = isNumber(text) ? await findPayment(operator, text) : null;
  if (payment === null) return findNamed(call, text);
  const { terminalId: at, transaction } = payment;
  const data = flags.json === true ? payment : { terminalId: at, ...paymentMembers(transaction) };
  return { data, status: OPERATOR_EXIT.done };
}

/** Finds payments by reference, response code or time. */
async function findOfAccount(call: OperatorCall, posId: string, query: OperatorQuery): Promise<OperatorReport> {
  const account = `/accounts/${encodeURIComponent(posId)}`;
  const rows = await takeRows<AccountTransaction>(call, `${account}/transactions`, query);
  const { timezone } = await call.operator.get(account);
  return reportRows(call, rows, (row) => ({ ...paymentRow(row), timezone }), OPERATOR_EXIT.nothing);
}

function search(operator: OperatorClient, query: OperatorQuery): Promise<FoundPayments> {
  return operator.get<FoundPayments>(`/transactions?${queryText(query)}`);
}

const NAMED = [
  ["terminal", "/terminals", "terminalId"],
  ["account", "/accounts", "posId"],
  ["shop", "/shops", "merchantId"],
] as const;

/** A payment's reference, or the beginning of an id or name. */
async function findNamed(call: OperatorCall, text: string): Promise<OperatorReport> {
  const found = new Map<string, OperatorRow>();
  let searched: FoundPayments["covered"] | null = null;
  for (const [kind, path, id] of NAMED) {
    for (const row of await takeRows(call, path, { [id]: text }, { name: text })) {
      const { name, status = null } = row;
      found.set(`${kind} ${String(row[id])}`, { kind, id: row[id], name, status });
    }
  }
  for (const query of readSearchText(text).filter(({ transId }) => transId === undefined)) {
    const { data, covered } = await search(call.operator, query);
    for (const { requestId: id, transType, transAmt, currency, posId, terminalId, statusCode: status } of data) {
      const name = `${transType} ${transAmt ?? ""} ${currency} by ${posId} on ${terminalId}`;
      found.set(`payment ${id}`, { kind: "payment", id, name, status });
    }
    searched = covered;
  }
  if (found.size === 0 && searched !== null) {
    console.error("For an older payment's reference, name its account: --pos POS.");
    for (const words of coverageWords(searched, String)) console.error(words);
  }
  return { data: [...found.values()], status: found.size > 0 ? OPERATOR_EXIT.done : OPERATOR_EXIT.nothing };
}

/** The rows of one query after the other, up to the limit. Says if there are more. */
export async function takeRows<Found extends object = OperatorRow>(
  { operator, flags }: OperatorCall,
  path: string,
  ...queries: OperatorQuery[]
) {
  const { limit } = flags;
  const found = await Promise.all(queries.map((query) => operator.rows<Found>(path, query, limit + 1)));
  const rows = found.flat();
  if (rows.length > limit) console.error(`There are more than these ${limit} rows. Show more with --limit.`);
  return rows.slice(0, limit);
}

/** Programs get every field, people the fields that fit on a line. @param ifNone the exit status without rows */
export function reportRows<Found>(
  { flags }: OperatorCall,
  rows: Found[],
  rowOf: (row: Found) => object,
  ifNone = OPERATOR_EXIT.done,
): OperatorReport {
  return {
    data: flags.json === true ? rows : rows.map(rowOf),
    status: rows.length === 0 ? ifNone : OPERATOR_EXIT.done,
  };
}

export function isNumber(text: string): boolean {
  return TRANSACTION_NUMBER.test(text);
}

export function findPayment(operator: OperatorClient, number: string): Promise<FoundTransaction | null> {
  return operator.find<FoundTransaction>(`/transactions?transId=${number}`);
}

/** What tells payments apart comes first: a narrow window shows no more. */
function searchRow({ requestId, transAmt, currency, statusCode, shopName, ...row }: FoundPayments["data"][number]) {
  const { terminalId, completedAt, receivedAt, conflict, responseCode, ...rest } = row;
  const outcome = { statusCode, responseCode, conflict: conflict ? "contradicted" : null };
  return { requestId, receivedAt, transAmt, currency, ...outcome, shopName, terminalId, completedAt, ...rest };
}

function paymentRow({ requestId, deviceId, referenceId, transType, ...row }: AccountTransaction) {
  const { statusCode, responseCode, transAmt, currency, receivedAt } = row;
  return { requestId, receivedAt, transAmt, currency, statusCode, responseCode, deviceId, transType, referenceId };
}

export function paymentMembers({ outcome, stages: _stages, conflicts, evidence, ...row }: TransactionAnswer) {
  const { statusCode, responseCode, responseText, transData = {} } = outcome ?? {};
  const { cardNo, apprCode, rrn, invNo } = transData as Record<string, unknown>;
  const reported = { statusCode, responseCode, responseText, cardNo, apprCode, rrn, invNo };
  return { ...row, ...reported, conflicts: conflicts.length, evidence: evidence.length };
}
