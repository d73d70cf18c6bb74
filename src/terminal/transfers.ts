/** Transactions as the Worker asks for them: rows are looked up, the lane decides, and its reply is put into words. */
import type { AccountTerms, About, Conclusion, Inquiry, JournalEntry, ResolveOutcome } from "./transfer-calls.ts";
import type { Cancellation, KeptEntry, Submission, TransferReply } from "./transfer-calls.ts";
import { sendQuietly, type Connections } from "./connections.ts";
import type { Journal, KeptReport } from "./journal.ts";
import { standing } from "./lane/answers.ts";
import type { Reply } from "./lane/arrivals.ts";
import type { Frozen, Transaction } from "./lane/transaction.ts";
import type { LaneShell } from "./lane-shell.ts";
import type { TerminalRecordStore } from "./record.ts";

/** Of journal, record and lane only what is used here, so that a model can stand in for each of them. */
export interface TransfersParts {
  journal: Pick<
    Journal,
    "byReference" | "byRequestId" | "hasTransactionsOf" | "keptReports" | "newestThatReached" | "page" | "voidsOf"
  >;
  records: Pick<TerminalRecordStore, "nextNumber" | "record">;
  lane: Pick<LaneShell, "find" | "lane" | "take">;
  /** The life of a request in milliseconds. */
  life: number;
}

export class Transfers {
  readonly #parts: TransfersParts;

  constructor(parts: TransfersParts) {
    this.#parts = parts;
  }

  /** `number-needed`: nothing was decided; to be called again when the block of numbers has been filled. */
  submit(submission: Submission, now: number): TransferReply | "number-needed" {
    const { journal, lane, life } = this.#parts;
    const { posId, referenceId, transType, terms, details, problems, channelInactive, patient } = submission;
    const known = this.#byReference(posId, referenceId);
    const requestId = this.#numberFor(known);
    if (requestId === null) return "number-needed";
    const targetId = transType === "void" ? Number(terms.transId) : null;
    const target = targetId === null ? null : this.#ownByRequestId(posId, targetId);
    const { reply } = lane.take(
      {
        kind: "submit",
        posId,
        referenceId,
        requestId,
        transType,
        terms,
        details,
        known,
        problems,
        channelInactive,
        patient,
        bound: this.#isBoundTo(posId),
        life,
        frozen: frozenTerms(submission.account, terms, target),
        target,
        otherVoids: targetId === null || known !== null ? [] : journal.voidsOf(targetId),
      },
      now,
    );
    return this.#word(reply, false);
  }

  cancel({ posId, referenceId, account, problems }: Cancellation, now: number): TransferReply | "number-needed" {
    const known = this.#byReference(posId, referenceId);
    const requestId = this.#numberFor(known);
    if (requestId === null) return "number-needed";
    const { reply } = this.#parts.lane.take(
      {
        kind: "cancel",
        posId,
        referenceId,
        requestId,
        known,
        problems,
        bound: this.#isBoundTo(posId),
        hasTransactions: this.#parts.journal.hasTransactionsOf(posId),
        life: this.#parts.life,
        frozen: frozenTerms(account, {}, null),
      },
      now,
    );
    return this.#word(reply, false);
  }

  inquire(inquiry: Inquiry, now: number): TransferReply | "number-needed" {
    const { posId, namedTransId, namedReferenceId, account, problems } = inquiry;
    const target = this.#targetOf(inquiry);
    const requestId = this.#numberFor(target === null && namedReferenceId !== null ? null : "none needed");
    if (requestId === null) return "number-needed";
    const { reply } = this.#parts.lane.take(
      {
        kind: "inquire",
        posId,
        requestId,
        target,
        problems,
        namedReference: namedReferenceId,
        namesTransId: namedTransId !== null,
        bound: this.#isBoundTo(posId),
        hasTransactions: this.#parts.journal.hasTransactionsOf(posId),
        life: this.#parts.life,
        frozen: frozenTerms(account, {}, null),
      },
      now,
    );
    return this.#word(reply, true);
  }

  /** Which transaction an inquiry or getLast means; null: none that this account has here. */
  #targetOf({ posId, transType, referenceId, namedTransId, namedReferenceId }: Inquiry): Transaction | null {
    const { journal, lane } = this.#parts;
    if (transType === "getLast") return journal.newestThatReached(posId);
    if (namedTransId !== null) {
      const named = this.#ownByRequestId(posId, namedTransId);
      return named?.transType === "sale" || named?.transType === "cashOut" ? named : null;
    }
    if (namedReferenceId !== null) return this.#byReference(posId, namedReferenceId);
    const own = this.#byReference(posId, referenceId);
    if (own !== null) return own;
    const open = [...lane.lane.open.values()].filter((transaction) => transaction.posId === posId);
    return open.at(-1) ?? journal.newestThatReached(posId);
  }

  page(before: number | null, rows: number): JournalEntry[] {
    const { journal } = this.#parts;
    return journal
      .page(before ?? Number.MAX_SAFE_INTEGER, rows)
      .map((transaction) => journalEntry(transaction, journal.keptReports(transaction.requestId)));
  }

  resolve(requestId: number, statusCode: "00" | "11", reason: string, now: number): ResolveOutcome {
    const { journal, lane } = this.#parts;
    if (journal.byRequestId(requestId) === null) return { kind: "not-found" };
    if (!lane.take({ kind: "resolve", requestId, statusCode, reason }, now).resolved) return { kind: "not-open" };
    const resolved = journal.byRequestId(requestId);
    if (resolved === null) return { kind: "not-found" };
    return { kind: "resolved", entry: journalEntry(resolved, journal.keptReports(requestId)) };
  }

  /**
   * The Worker of a POS that waits opens a socket and both sleep. What was concluded since `submit` returned is
   * answered at once.
   */
  wait(socket: WebSocket, query: URLSearchParams, connections: Pick<Connections, "acceptWaiter">): Response | null {
    const requestId = Number(query.get("request"));
    const transaction = this.#parts.lane.find(requestId);
    if (transaction === null) return new Response(null, { status: 404 });
    connections.acceptWaiter(socket, requestId);
    if (transaction.conclusions > Number(query.get("conclusions"))) {
      const outcome = standing(transaction, this.#parts.lane.lane.link);
      sendQuietly(socket, JSON.stringify({ outcome } satisfies Conclusion));
    }
    return null;
  }

  #isBoundTo(posId: string): boolean {
    const { record } = this.#parts.records;
    return record !== null && record.sealedSecret !== null && record.binding?.posId === posId;
  }

  /** The number that a new row would take; null where one is needed and the block is used up. */
  #numberFor(known: Transaction | "none needed" | null): number | null {
    return known === null ? this.#parts.records.nextNumber : 0;
  }

  #byReference(posId: string, referenceId: string): Transaction | null {
    return this.#parts.journal.byReference(posId, referenceId);
  }

  /** Per account: whoever else used this terminal is invisible. */
  #ownByRequestId(posId: string, requestId: number): Transaction | null {
    const transaction = this.#parts.journal.byRequestId(requestId);
    return transaction?.posId === posId ? transaction : null;
  }

  /** Only who asks about a transaction is told of its voids; they cost a look-up. */
  #word(reply: Reply | null, withVoids: boolean): TransferReply {
    if (reply === null) throw new Error("the lane gave no reply");
    if (reply.kind === "refused") return reply;
    const { requestId, transType, referenceId } = reply.transaction;
    const voidStatus = withVoids ? this.#voidStatus(reply.transaction) : null;
    const about: About = { requestId, transType, referenceId, voidStatus };
    if (reply.kind === "answered") return { kind: "answered", about, outcome: reply.outcome, replayed: reply.replayed };
    const { transaction, forMilliseconds } = reply;
    return { kind: "waiting", about, conclusions: transaction.conclusions, forMilliseconds, standing: reply.standing };
  }

  #voidStatus({ requestId, transType }: Transaction): About["voidStatus"] {
    const voids = transType === "sale" || transType === "cashOut" ? this.#parts.journal.voidsOf(requestId) : [];
    const done = voids.some(({ state, outcome }) => state === "settled" && outcome?.statusCode === "00");
    const open = voids.some(({ state }) => state !== "settled");
    return done ? "00" : open ? "22" : null;
  }
}

/** What the transaction is about, frozen on arrival; a void has the amounts and currency of the voided one. */
function frozenTerms(account: AccountTerms, terms: Submission["terms"], target: Transaction | null): Frozen {
  const { transAmt, cashAmt } = target?.frozen ?? terms;
  return {
    merchantId: account.merchantId,
    currency: target?.frozen.currency ?? account.currency,
    timezone: account.timezone,
    ...(transAmt === undefined ? {} : { transAmt }),
    ...(cashAmt === undefined ? {} : { cashAmt }),
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
    settledBy: transaction.settledBy,
    receivedAt: transaction.receivedAt,
    endsAt: transaction.endsAt,
    settledAt: transaction.settledAt,
    stages: transaction.stages,
    conflicts: entries("conflict"),
    evidence: entries("evidence"),
  };
}
