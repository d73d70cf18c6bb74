import type { PaymentMethod } from "../../protocol/payment-methods.ts";
import type { RecordEntry, RecordedTimes, AccountStub, ReportedResult } from "../account/rpc.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import { currentAnswer, type ConnectionLink, type LaneTransaction } from "./lane/index.ts";
import type { Stage } from "../../protocol/stages.ts";
import type { DeliveryAnswer, Outbox, OutboxEntry } from "../durable/storage/outbox.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { accountObject } from "../d1/objects.ts";
import { count, type Tally, turnoverOf } from "../statistics/tally.ts";
import { HOUR } from "../../protocol/time/units.ts";
import type { TerminalHour } from "./transfer-replies.ts";
import type { Journal } from "./storage/journal.ts";

/**
 * A question about statistics looks at this many pages of the journal: a month of a busy terminal in a fraction of a
 * second, during which its payments wait.
 */
const STATISTICS_PAGES = 4;
const STATISTICS_ROWS = 500;

/** A tombstone is not one of these, because it is not recorded. */
export type RealTransaction = LaneTransaction & { transType: TransactionType };

export function isReal(transaction: LaneTransaction): transaction is RealTransaction {
  return transaction.transType !== null;
}

/**
 * @param link for the gateway's own 22, which is created again each time
 * @param voided the voided transaction; null if this is no void, or the journal has deleted it
 */
export function buildRecordEntry(
  transaction: RealTransaction,
  deviceId: string,
  link: ConnectionLink,
  voided: LaneTransaction | null,
): RecordEntry {
  const { requestId, revision, transType, referenceId, terms, frozen, completedBy } = transaction;
  const { statusCode, responseCode, responseText } = currentAnswer(transaction, link);
  return {
    requestId,
    revision,
    deviceId,
    transaction: {
      transType,
      merchantId: frozen.merchantId,
      referenceId,
      statusCode,
      responseCode,
      responseText: responseText ?? null,
      completedBy,
      transAmt: frozen.transAmt ?? null,
      cashAmt: frozen.cashAmt ?? null,
      currency: frozen.currency,
      // The assertion holds, because payment methods are checked when the request arrives, and stored as text.
      paymentMethod: (terms.paymentMethod ?? frozen.paymentMethod ?? null) as PaymentMethod | null,
      ...reportedMembers(transaction),
      transId: terms.transId ?? null,
    },
    receivedAt: transaction.receivedAt,
    completedAt: transaction.completedAt,
    times: transaction.completedAt === null ? null : timesOf(transaction),
    voids:
      voided !== null && statusCode === "00" ? { requestId: voided.requestId, referenceId: voided.referenceId } : null,
  };
}

const REPORTED = ["cardNo", "invNo", "batchNo", "tid", "mid", "rrn", "apprCode", "transDateTime"] as const;

type Reported = Pick<RecordEntry["transaction"], (typeof REPORTED)[number] | "paymentChannel">;

/** The gateway's own answer is not a result and has none of these. */
function reportedMembers({ outcome, completedBy, pendingReason, terms }: LaneTransaction): Reported {
  const isReport = completedBy === "terminal" || pendingReason === "reported";
  const data = isReport ? (outcome?.transData ?? {}) : {};
  const reported = Object.fromEntries(REPORTED.map((name) => [name, data[name] || null])) as Reported;
  return { ...reported, paymentChannel: data["paymentChannel"] || terms.paymentChannel || null };
}

/**
 * Returns milliseconds. A part that did not happen is missing: a transaction that was never sent has no delivery. The
 * gateway's share ends with the turn that takes the request: that turn stores and sends it, unless it must wait for the
 * terminal.
 */
export function timesOf({ stages, receivedAt, completedBy }: LaneTransaction): RecordedTimes {
  const taken = stages[0];
  if (taken === undefined) return {};
  const accepted = stages.find(({ stage }) => stage === "accepted");
  const before = accepted === undefined ? [] : stages.slice(0, stages.indexOf(accepted));
  const lastSent = before.findLast(({ stage }) => stage === "sent");
  const result = completedBy === "terminal" ? firstResult(stages) : undefined;
  return {
    gateway: between(receivedAt, taken.at),
    ...(accepted === undefined || lastSent === undefined ? {} : { delivery: between(lastSent.at, accepted.at) }),
    ...(accepted === undefined || result === undefined ? {} : { customer: between(accepted.at, result) }),
  };
}

/** Returns undefined if the transaction was 22 first: nobody measured how long its result took. */
function firstResult(stages: readonly Stage[]): number | undefined {
  const ended = stages.find(({ stage }) => stage === "pending" || stage === "completed");
  return ended?.stage === "completed" ? ended.at : undefined;
}

/** The result is never negative, although the clocks of two machines differ. */
function between(from: number, to: number): number {
  return Math.max(to - from, 0);
}

/**
 * Conflicting results of completed transactions, for their accounts. The status of a transaction never changes (I2).
 */

export const CONFLICT = "conflict";

interface Body {
  requestId: number;
  reportedAt: number;
  reported: ReportedResult;
}

/**
 * Each report is an entry of its own.
 *
 * @param report as it is stored
 */
export function enqueueConflict(outbox: Outbox, transaction: LaneTransaction, report: JsonObject, now: number): void {
  const { requestId, posId } = transaction;
  const body: Body = { requestId, reportedAt: now, reported: reportedBy(report) };
  const version = outbox.nextVersion(now);
  const about = { target: accountObject(posId), kind: CONFLICT, key: String(version), version };
  outbox.enqueue({ ...about, payload: JSON.stringify(body) }, now);
}

function reportedBy(report: JsonObject): ReportedResult {
  const named = report["named"] as JsonObject;
  return {
    statusCode: report["statusCode"] as ReportedResult["statusCode"],
    responseCode: text(report["responseCode"]) ?? "",
    responseText: text(report["responseText"]),
    transAmt: text(named["transAmt"]),
    cashAmt: text(named["cashAmt"]),
    currency: text(named["currency"]),
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** An account gets what is derived from the journal at that time. */
export interface RecordSource {
  /** Finds a transaction, even a completed one. */
  find: (requestId: number) => LaneTransaction | null;
  terminalId: string;
  /** The link serves the gateway's own 22, which is made again each time. */
  link: ConnectionLink;
}

export async function deliverConflict(
  { find, terminalId, link }: RecordSource,
  account: AccountStub,
  { version, payload }: Pick<OutboxEntry, "version" | "payload">,
): Promise<(now: number) => DeliveryAnswer> {
  const { requestId, reportedAt, reported } = JSON.parse(payload ?? "") as Body;
  const transaction = find(requestId);
  // The transaction was pruned after 400 days without an answer.
  if (transaction === null || !isReal(transaction)) return () => "refused";
  const entry = buildRecordEntry(transaction, terminalId, link, null);
  const answer = await account.contradicted({ version, entry, reportedAt, reported });
  return () => answer;
}

/**
 * Transactions that were received in this time and completed, by the hour of completion. Only the newest rows count.
 */
export function statisticsOf(
  journal: Pick<Journal, "page">,
  link: ConnectionLink,
  from: number,
  to: number,
): TerminalHour[] {
  const hours = new Map<string, { hour: number; posId: string; tally: Tally }>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let page = 0; page < STATISTICS_PAGES; page++) {
    for (const row of journal.page(before, STATISTICS_ROWS)) {
      before = row.requestId;
      // Numbers are in the order of arrival.
      if (row.receivedAt < from) return listHours(hours);
      const { posId, completedAt, completedBy, frozen } = row;
      if (!isReal(row) || completedAt === null || completedBy === null || row.receivedAt >= to) continue;
      const { statusCode, responseCode } = currentAnswer(row, link);
      if (statusCode === "22") continue;
      const hour = Math.floor(completedAt / HOUR);
      const key = `${hour} ${posId}`;
      const group = hours.get(key) ?? { hour, posId, tally: new Map<string, number>() };
      hours.set(key, group);
      const kind = { statusCode, completedBy, transType: row.transType, responseCode };
      const { currency, transAmt = null } = frozen;
      count(group.tally, kind, timesOf(row), turnoverOf({ ...kind, currency, transAmt }));
    }
  }
  return listHours(hours);
}

function listHours(hours: ReadonlyMap<string, { hour: number; posId: string; tally: Tally }>): TerminalHour[] {
  return [...hours.values()].map(({ hour, posId, tally }) => ({ hour, posId, tally: [...tally] }));
}
