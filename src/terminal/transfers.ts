/** Looks up the rows that the Worker's calls are about, for the lane to decide, and returns its reply. */
import { canBeVoided, needsTarget, type TransactionType } from "../protocol/transfer-types.ts";
import type {
  AccountTerms,
  About,
  Inquiry,
  JournalEntry,
  JournalPage,
  ResolveOutcome,
  Cancellation,
  KeptEntry,
  OwnName,
  OwnTransaction,
  Question,
  Submission,
  TerminalHour,
  TransferCall,
  TransferReply,
} from "../rpc/transfers.ts";
import type { Journal } from "./storage/journal.ts";
import type { KeptReport, KeptReports } from "./storage/kept-reports.ts";
import type { AuditValues } from "../storage/audit.ts";
import type { Problem } from "../protocol/problem.ts";
import { NO_TRANSACTION, UNKNOWN_REFERENCE, UNKNOWN_TRANS_ID } from "../protocol/refusals.ts";
import {
  currentAnswer,
  toldStages,
  type Arrival,
  type FrozenTerms,
  type LaneEvent,
  type Reply,
  type Transaction,
} from "./lane/index.ts";
import { statisticsOf, isReal, recordEntry } from "./record-entry.ts";
import type { LaneShell } from "./lane-shell.ts";
import type { TerminalRecordStore } from "./storage/record.ts";

export type Asked = "submit" | "cancel" | "inquire";

/** Only the used parts of journal, record and lane, so that a model can replace each. */
export interface TransfersParts {
  journal: Pick<
    Journal,
    "byReference" | "byRequestId" | "hasTransactionsOf" | "newestThatReached" | "page" | "voidsOf"
  >;
  reports: Pick<KeptReports, "of" | "strays">;
  records: Pick<TerminalRecordStore, "nextNumber" | "record">;
  lane: Pick<LaneShell, "find" | "isGreeting" | "lane" | "take">;
  /** In milliseconds. */
  life: number;
}

export class Transfers {
  readonly #parts: TransfersParts;

  constructor(parts: TransfersParts) {
    this.#parts = parts;
  }

  /** null: a new row needs a number, and none is free. */
  eventOf({ call, question }: TransferCall): LaneEvent<Asked> | null {
    switch (call) {
      case "submit":
        return this.#submission(question);
      case "cancel":
        return this.#cancellation(question);
      case "inquire":
        return this.#inquiry(question);
      default:
        return call satisfies never;
    }
  }

  #submission(submission: Submission): LaneEvent<"submit"> | null {
    const { journal, lane } = this.#parts;
    const { posId, referenceId, transType, terms, details, channel, detached } = submission;
    const known = journal.byReference(posId, referenceId);
    const requestId = this.#numberFor(known);
    if (requestId === null) return null;
    const targetId = needsTarget(transType) ? Number(terms.transId) : null;
    const target = targetId === null ? null : this.#ownByRequestId(posId, targetId);
    const otherVoids = targetId === null || known !== null ? [] : journal.voidsOf(targetId);
    const arrival = this.#arrival(submission, requestId, terms, FROZEN_FROM[transType] === "target" ? target : null);
    const stopped = this.#isStopped(submission);
    const asked = { referenceId, transType, terms, details, channel, detached, stopped };
    return { kind: "submit", ...arrival, ...asked, known, target, otherVoids, greeting: lane.isGreeting };
  }

  #cancellation(cancellation: Cancellation): LaneEvent<"cancel"> | null {
    const { journal } = this.#parts;
    const { posId, referenceId } = cancellation;
    const known = journal.byReference(posId, referenceId);
    const requestId = this.#numberFor(known);
    if (requestId === null) return null;
    const arrival = this.#arrival(cancellation, requestId);
    return { kind: "cancel", ...arrival, referenceId, known, hasTransactions: journal.hasTransactionsOf(posId) };
  }

  #inquiry(inquiry: Inquiry): LaneEvent<"inquire"> | null {
    const { posId, namedReferenceId: namedReference } = inquiry;
    const target = this.#targetOf(inquiry);
    const requestId = this.#numberFor(target === null && namedReference !== null ? null : "none needed");
    if (requestId === null) return null;
    const arrival = this.#arrival(inquiry, requestId);
    const hasTransactions = this.#parts.journal.hasTransactionsOf(posId);
    return { kind: "inquire", ...arrival, target, namedReference, missing: missingFor(inquiry), hasTransactions };
  }

  #arrival(
    question: Question,
    requestId: number,
    terms: Submission["terms"] = {},
    target: Transaction | null = null,
  ): Arrival {
    const { posId, account, problems, recorded, arrivedAt } = question;
    const frozen = frozenTerms(account, terms, target);
    const { life } = this.#parts;
    return { posId, requestId, problems, recorded, arrivedAt, bound: this.#isBoundTo(posId), life, frozen };
  }

  /** null if this account has no such transaction on this device. */
  #targetOf({ posId, transType, referenceId, namedTransId, namedReferenceId }: Inquiry): Transaction | null {
    const { journal } = this.#parts;
    switch (transType) {
      case "getLast":
        return journal.newestThatReached(posId);
      case "inquiry":
        break;
      default:
        return transType satisfies never;
    }
    if (namedTransId !== null) {
      const named = this.#ownByRequestId(posId, namedTransId);
      return named !== null && canBeVoided(named.transType) ? named : null;
    }
    return journal.byReference(posId, namedReferenceId ?? referenceId);
  }

  page(before: number | null, rows: number): JournalPage {
    const { journal, reports, lane } = this.#parts;
    const { open } = lane.lane;
    const stray = before === null ? reports.strays() : [];
    return {
      entries: journal
        .page(before ?? Number.MAX_SAFE_INTEGER, rows)
        .map((row) => open.get(row.requestId) ?? row)
        .map((transaction) => journalEntry(transaction, reports.of(transaction.requestId))),
      strayResults: stray.map(({ requestId, keptAt: at, report }) => ({ requestId: String(requestId), at, report })),
    };
  }

  statistics(from: number, to: number): TerminalHour[] {
    const { journal, lane } = this.#parts;
    return statisticsOf(journal, lane.lane.link, from, to);
  }

  /** Never a tombstone. */
  own(posId: string, name: OwnName, terminalId: string): OwnTransaction | null {
    const { journal, reports, lane } = this.#parts;
    const { open, link } = lane.lane;
    const row =
      "requestId" in name ? this.#ownByRequestId(posId, name.requestId) : journal.byReference(posId, name.referenceId);
    const transaction = row === null ? null : (open.get(row.requestId) ?? row);
    if (transaction === null || !isReal(transaction)) return null;
    return {
      // Its own events report the transaction that it voided.
      entry: recordEntry(transaction, terminalId, link, null),
      journal: journalEntry(transaction, reports.of(transaction.requestId)),
      outcome: currentAnswer(transaction, link),
    };
  }

  /** Empty if there is no transaction. */
  statusOf(requestId: number): AuditValues {
    const { lane } = this.#parts;
    const transaction = lane.find(requestId);
    if (transaction === null) return {};
    const { statusCode, responseCode, responseText = null } = currentAnswer(transaction, lane.lane.link);
    return { state: transaction.state, statusCode, responseCode, responseText };
  }

  resolve(resolution: Omit<LaneEvent<"resolve">, "kind">, now: number): ResolveOutcome {
    const { journal, reports, lane } = this.#parts;
    const { requestId } = resolution;
    if (journal.byRequestId(requestId) === null) return { kind: "not-found" };
    const reply = lane.take({ kind: "resolve", ...resolution }, now);
    if (reply.kind === "not-open") return reply;
    return { kind: "resolved", entry: journalEntry(reply.transaction, reports.of(requestId)) };
  }

  #isBoundTo(posId: string): boolean {
    const { record } = this.#parts.records;
    return record !== null && record.sealedSecret !== null && record.binding?.posId === posId;
  }

  /** Whether the account was suspended or deleted after it admitted the request, as far as the terminal knows. */
  #isStopped({ posId, account: { version } }: Submission): boolean {
    const { record } = this.#parts.records;
    return record !== null && record.stoppedPosId === posId && version < record.stoppedVersion;
  }

  /** null if a new row needs a number and the reserve is used up. */
  #numberFor(known: Transaction | "none needed" | null): number | null {
    return known === null ? this.#parts.records.nextNumber : 0;
  }

  /** Per account: other accounts on this terminal are invisible. */
  #ownByRequestId(posId: string, requestId: number): Transaction | null {
    const transaction = this.#parts.journal.byRequestId(requestId);
    return transaction?.posId === posId ? transaction : null;
  }

  /** Whether the transaction was voided is only for callers that ask: that costs a look-up. */
  toReply(reply: Reply, { call, question }: TransferCall): TransferReply {
    if (reply.kind === "refused") return reply;
    const { requestId, transType, referenceId } = reply.transaction;
    const voidStatus = call === "inquire" ? this.#voidStatus(reply.transaction) : null;
    const about: About = { requestId, transType, referenceId, voidStatus };
    const stages = question.stages ? { stages: toldStages(reply.transaction) } : {};
    if (reply.kind === "answered") {
      return { kind: "answered", about, ...stages, outcome: reply.outcome, replayed: reply.replayed };
    }
    const { forMilliseconds, standing } = reply;
    return { kind: "waiting", about, ...stages, forMilliseconds, standing };
  }

  #voidStatus({ requestId, transType }: Transaction): About["voidStatus"] {
    const voids = canBeVoided(transType) ? this.#parts.journal.voidsOf(requestId) : [];
    const done = voids.some(({ state, outcome }) => state === "completed" && outcome?.statusCode === "00");
    const open = voids.some(({ state }) => state !== "completed");
    return done ? "00" : open ? "22" : null;
  }
}

function missingFor({ transType, namedTransId }: Inquiry): Problem {
  if (transType === "getLast") return NO_TRANSACTION;
  return namedTransId === null ? UNKNOWN_REFERENCE : UNKNOWN_TRANS_ID;
}

/** Whose amounts and currency a transaction has. */
const FROZEN_FROM: Readonly<Record<TransactionType, "request" | "target">> = {
  sale: "request",
  cashOut: "request",
  void: "target",
};

function frozenTerms(account: AccountTerms, terms: Submission["terms"], target: Transaction | null): FrozenTerms {
  const { transAmt, cashAmt } = target?.frozen ?? terms;
  const paymentMethod = target?.terms.paymentMethod;
  return {
    merchantId: account.merchantId,
    currency: target?.frozen.currency ?? account.currency,
    timezone: account.timezone,
    ...(transAmt === undefined ? {} : { transAmt }),
    ...(cashAmt === undefined ? {} : { cashAmt }),
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
  };
}

function journalEntry(transaction: Transaction, kept: KeptReport[]): JournalEntry {
  const { frozen } = transaction;
  const entries = (keptAs: KeptReport["keptAs"]): KeptEntry[] =>
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
