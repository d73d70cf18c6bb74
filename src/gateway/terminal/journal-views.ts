/** The views of the journal for operators and accounts. No payment depends on them. */
import type {
  JournalEntry,
  JournalPage,
  StoredEntry,
  OwnName,
  OwnTransaction,
  ResolveOutcome,
  TerminalHour,
} from "./transfer-replies.ts";
import type { AuditValues } from "../d1/audit.ts";
import type { LaneRunner } from "./lane-runner.ts";
import { currentAnswer, type LaneEvent, type LaneTransaction } from "./lane/index.ts";
import { isReal, buildRecordEntry, measureTimes } from "./record-entry.ts";
import { count, type Tally, computeTurnover } from "../statistics/tally.ts";
import { HOUR, type EpochMs } from "../../protocol/time/units.ts";
import type { Journal } from "./storage/journal.ts";
import type { StoredReport, StoredReportTable } from "./storage/stored-reports.ts";

/** Only the used parts, so that a model can replace each. */
export interface JournalStores {
  journal: Pick<Journal, "byReference" | "byRequestId" | "page">;
  reports: Pick<StoredReportTable, "of" | "orphans">;
  lane: Pick<LaneRunner, "find" | "lane" | "take">;
}

/**
 * Newest first.
 *
 * @param before the last number of the previous page; null: the first page, which also has the orphan results
 */
export function journalPage(
  { journal, reports, lane }: JournalStores,
  before: number | null,
  rows: number,
): JournalPage {
  const { open } = lane.lane;
  const orphan = before === null ? reports.orphans() : [];
  return {
    entries: journal
      .page(before ?? Number.MAX_SAFE_INTEGER, rows)
      .map((row) => open.get(row.requestId) ?? row)
      .map((transaction) => journalEntry(transaction, reports.of(transaction.requestId))),
    orphanResults: orphan.map(({ requestId, keptAt: at, report }) => ({ requestId: String(requestId), at, report })),
  };
}

/**
 * A question about statistics looks at this many pages of the journal: a month of a busy terminal in a fraction of a
 * second, during which its payments wait.
 */
const STATISTICS_PAGES = 4;
const STATISTICS_ROWS = 500;

/**
 * Counts the transactions that were received at or after `from` and before `to`, and completed, by
 * the hour of completion. Only the newest rows count.
 */
export function hourlyStatistics(
  { journal, lane }: Pick<JournalStores, "journal" | "lane">,
  from: number,
  to: number,
): TerminalHour[] {
  const { link } = lane.lane;
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
      count(group.tally, kind, measureTimes(row), computeTurnover({ ...kind, currency, transAmt }));
    }
  }
  return listHours(hours);
}

function listHours(hours: ReadonlyMap<string, { hour: number; posId: string; tally: Tally }>): TerminalHour[] {
  return [...hours.values()].map(({ hour, posId, tally }) => ({ hour, posId, tally: [...tally] }));
}

/** Returns null if the account has no such transaction on this terminal. It never returns a tombstone. */
export function findOwnTransaction(
  { journal, reports, lane }: JournalStores,
  posId: string,
  name: OwnName,
  terminalId: string,
): OwnTransaction | null {
  const { open, link } = lane.lane;
  const found =
    "requestId" in name ? journal.byRequestId(name.requestId) : journal.byReference(posId, name.referenceId);
  if (found === null || found.posId !== posId) return null;
  const transaction = open.get(found.requestId) ?? found;
  if (!isReal(transaction)) return null;
  return {
    // Its own events report the transaction that it voided.
    entry: buildRecordEntry(transaction, terminalId, link, null),
    journal: journalEntry(transaction, reports.of(transaction.requestId)),
    outcome: currentAnswer(transaction, link),
  };
}

/** Serves the audit log. The result is empty if there is no transaction. */
export function auditedStatus({ lane }: Pick<JournalStores, "lane">, requestId: number): AuditValues {
  const transaction = lane.find(requestId);
  if (transaction === null) return {};
  const { statusCode, responseCode, responseText = null } = currentAnswer(transaction, lane.lane.link);
  return { state: transaction.state, statusCode, responseCode, responseText };
}

export function resolveTransaction(
  { journal, reports, lane }: JournalStores,
  resolution: Omit<LaneEvent<"resolve">, "kind">,
  now: EpochMs,
): ResolveOutcome {
  const { requestId } = resolution;
  if (journal.byRequestId(requestId) === null) return { kind: "not-found" };
  const reply = lane.take({ kind: "resolve", ...resolution }, now);
  if (reply.kind === "not-open") return reply;
  return { kind: "resolved", entry: journalEntry(reply.transaction, reports.of(requestId)) };
}

function journalEntry(transaction: LaneTransaction, kept: StoredReport[]): JournalEntry {
  const { frozen } = transaction;
  const entries = (keptAs: StoredReport["keptAs"]): StoredEntry[] =>
    kept.filter((report) => report.keptAs === keptAs).map(({ keptAt, report }) => ({ at: keptAt, report }));
  return {
    requestId: String(transaction.requestId),
    posId: transaction.posId,
    referenceId: transaction.referenceId,
    transType: transaction.transType,
    transAmt: frozen.transAmt ?? null,
    cashAmt: frozen.cashAmt ?? null,
    currency: frozen.currency,
    state: transaction.state,
    pendingReason: transaction.pendingReason,
    attempt: transaction.attempt,
    cancelled: transaction.cancel !== "none",
    outcome: transaction.outcome,
    completedBy: transaction.completedBy,
    resolvedBy: transaction.resolvedBy,
    receivedAt: transaction.receivedAt,
    endsAt: transaction.endsAt,
    completedAt: transaction.completedAt,
    stages: transaction.stages,
    conflicts: entries("conflict"),
    evidence: entries("evidence"),
  };
}
