/** A page of an account's transactions, for the account itself and for operators. */
import type * as z from "zod";
import type { ListAnswer, TransactionFilters } from "../../rpc/feed.ts";
import { listed } from "../../account/claims.ts";
import { accountStub } from "../../rpc/account.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import { PAGE_ROWS } from "../../protocol/limits/messages.ts";
import { terminalStub } from "../../rpc/terminal.ts";
import type { transactionsQuery } from "./calls.ts";
import type { TransactionList } from "./responses.ts";

/** The account's own filters, and those that only operators have. */
type Query = z.output<typeof transactionsQuery> & {
  from?: number | undefined;
  to?: number | undefined;
  responseCode?: string | undefined;
};

export async function listedTransactions(
  env: Env,
  { posId, timezone }: { posId: string; timezone: string },
  { cursor, limit = PAGE_ROWS, from, to, ...named }: Query,
): Promise<TransactionList> {
  const { day = null, deviceId = null, statusCode = null, transType = null, referenceId = null } = named;
  const { responseCode = null } = named;
  const filters: TransactionFilters = { day, deviceId, statusCode, transType, referenceId, responseCode };
  const period = from === undefined && to === undefined ? {} : { period: { from: from ?? null, to: to ?? null } };
  const answer = await accountStub(env, posId).transactions({ filters, before: cursor ?? null, limit, ...period });
  const page = answer.kind === "page" ? answer : await unrecorded(env, posId, timezone, answer, filters);
  return { data: page.data, next: page.next === null ? null : String(page.next) };
}

/** The transaction under a reference of which the account has no record yet: its terminal knows it, or nobody. */
async function unrecorded(
  env: Env,
  posId: string,
  timezone: string,
  { deviceId }: Extract<ListAnswer, { kind: "ask" }>,
  filters: TransactionFilters,
): Promise<{ data: AccountTransaction[]; next: null }> {
  const referenceId = filters.referenceId ?? "";
  const own = await terminalStub(env, deviceId).ownTransaction(posId, { referenceId });
  if (own === null) return { data: [], next: null };
  const transaction = listed(own.entry, null, null, timezone);
  const isMeant = (["day", "deviceId", "statusCode", "transType", "responseCode"] as const).every(
    (name) => (filters[name] ?? null) === null || filters[name] === transaction[name],
  );
  return { data: isMeant ? [transaction] : [], next: null };
}
