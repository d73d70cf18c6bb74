import * as z from "zod";
import { accountStub, listQuestion, type RecordFilters } from "../../../account/rpc.ts";
import { toAccountTransaction } from "../../../account/feed.ts";
import type { AccountTransaction } from "../../../../protocol/events.ts";
import { TERMINAL_ID_LENGTH, TRANSFER_LENGTHS } from "../../../../protocol/lengths.ts";
import { STATUS_CODES } from "../../../../protocol/status-codes.ts";
import { TRANSACTION_TYPES } from "../../../../protocol/transfer-types.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import type { JournalEntry, StoredEntry } from "../../../terminal/transfer-replies.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { date, identifier, optionalField, textField } from "../../validation/fields.ts";
import { numberedPageQuery } from "../../middleware/pages.ts";
import type { TransactionList } from "../../../../protocol/schemas/transactions.ts";

export const transactionsQuery = z.object({
  day: optionalField(date),
  deviceId: optionalField(identifier(TERMINAL_ID_LENGTH)),
  statusCode: optionalField(z.enum(STATUS_CODES, { error: `Send one of ${STATUS_CODES.join(", ")}.` })),
  transType: optionalField(z.enum(TRANSACTION_TYPES, { error: `Send one of ${TRANSACTION_TYPES.join(", ")}.` })),
  referenceId: optionalField(textField(TRANSFER_LENGTHS.referenceId)),
  ...numberedPageQuery.shape,
});

type Query = z.output<typeof transactionsQuery> & {
  from?: number | undefined;
  to?: number | undefined;
  responseCode?: string | undefined;
};

interface Account {
  posId: string;
  timezone: string;
}

export async function listAccountTransactions(
  env: Env,
  account: Account,
  { cursor, limit = PAGE_ROWS, from, to, ...named }: Query,
): Promise<TransactionList> {
  const period = { from: from ?? null, to: to ?? null };
  const question = listQuestion(named, { before: cursor ?? null, limit, period });
  const answer = await accountStub(env, account.posId).transactions(question);
  const page = answer.kind === "page" ? answer : await unrecorded(env, account, answer.deviceId, question.filters);
  return { data: page.data, next: page.next === null ? null : String(page.next) };
}

/** A transaction that the account has not recorded yet: only its terminal has it, if any. */
async function unrecorded(
  env: Env,
  { posId, timezone }: Account,
  deviceId: string,
  filters: RecordFilters,
): Promise<{ data: AccountTransaction[]; next: null }> {
  const referenceId = filters.referenceId ?? "";
  const own = await terminalStub(env, deviceId).ownTransaction(posId, { referenceId });
  if (own === null) return { data: [], next: null };
  const transaction = toAccountTransaction(own.entry, null, null, timezone);
  const isMeant = (["day", "deviceId", "statusCode", "transType", "responseCode"] as const).every(
    (name) => filters[name] === null || filters[name] === transaction[name],
  );
  return { data: isMeant ? [transaction] : [], next: null };
}

/**
 * Returns what a terminal's journal has about a transaction besides the account's record, for its account and for
 * operators.
 */
export function journalView(entry: JournalEntry, timezone: string) {
  const { state, pendingReason, attempt, cancelled, endsAt, stages, conflicts, evidence } = entry;
  return {
    state,
    pendingReason,
    attempt,
    cancelled,
    endsAt: isoWithOffset(endsAt, timezone),
    stages: stages.map(({ stage, at }) => ({ stage, at: isoWithOffset(at, timezone) })),
    conflicts: conflicts.map((one) => accountEntry(one, timezone)),
    evidence: evidence.map((one) => accountEntry(one, timezone)),
  };
}

export function accountEntry({ at, report }: StoredEntry, timezone: string) {
  return { at: isoWithOffset(at, timezone), report };
}
