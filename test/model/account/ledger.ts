/**
 * A terminal as its account's object sees it, and what it truly did: binding, journal, and its outbox. It does
 * what a terminal's object promises, and nothing more.
 */
import type { RecordEntry, AccountUpdate } from "../../../src/gateway/account/rpc.ts";
import type { AccountTerms } from "../../../src/protocol/transfer-message.ts";
import { JOURNAL_LIFE } from "../../../src/protocol/limits.ts";
import { saleEntry } from "../../support/gateway/account/samples.ts";

/** What a transaction is about: frozen when it starts. A void is about what it voids. */
export interface Payment {
  type: "sale" | "cashOut" | "void";
  transAmt: string;
  cashAmt: string | null;
  currency: string;
  /** As the terminal reports it with the outcome. */
  paymentChannel: string | null;
}

export interface Entry extends Payment {
  requestId: number;
  posId: string;
  reference: string;
  startedAt: number;
  revision: number;
  /** The revision that the account's object has acknowledged. */
  acknowledged: number;
  acknowledgedAt: number;
  statusCode: "00" | "11" | "22";
  completedAt: number | null;
  voids: Entry | null;
  /** What was reported at each revision, to be reported again late. */
  reported: RecordEntry[];
}

export class Ledger {
  readonly terminalId: string;
  posId: string | null = null;
  bindingVersion = 0;
  /** Accounts that do not know of the newest binding yet. */
  readonly update = new Map<string, { bindingVersion: number; bound: boolean }>();
  readonly entries: Entry[] = [];
  /** The newest terms that it has received, for each account. */
  readonly terms = new Map<string, AccountUpdate>();
  #nextNumber: number;

  constructor(terminalId: string, firstNumber: number) {
    this.terminalId = terminalId;
    this.#nextNumber = firstNumber;
  }

  bind(posId: string | null): void {
    if (posId === this.posId) return;
    this.bindingVersion++;
    if (this.posId !== null) this.update.set(this.posId, { bindingVersion: this.bindingVersion, bound: false });
    if (posId !== null) this.update.set(posId, { bindingVersion: this.bindingVersion, bound: true });
    this.posId = posId;
  }

  /** News of the account: older ones than those known are ignored, and a deleted account is left. */
  hear(posId: string, update: AccountUpdate): void {
    const known = this.terms.get(posId);
    if (known !== undefined && versionOf(update) < versionOf(known)) return;
    this.terms.set(posId, update);
    if (update.kind === "deleted" && this.posId === posId) this.bind(null);
  }

  /** No request may start that was admitted under terms older than a suspension or deletion that has arrived here. */
  mayStart(posId: string, terms: AccountTerms): boolean {
    const known = this.terms.get(posId);
    if (this.posId !== posId) return false;
    const isStopped = known !== undefined && (known.kind === "deleted" || known.status !== "active");
    return !(isStopped && terms.version < versionOf(known));
  }

  find(posId: string, reference: string): Entry | undefined {
    return this.entries.findLast((entry) => entry.posId === posId && entry.reference === reference);
  }

  start(posId: string, reference: string, now: number, payment: Payment, voids: Entry | null): Entry {
    const entry: Entry = {
      ...payment,
      requestId: this.#nextNumber++,
      posId,
      reference,
      startedAt: now,
      revision: 0,
      acknowledged: 0,
      acknowledgedAt: 0,
      statusCode: "22",
      completedAt: null,
      voids,
      reported: [],
    };
    this.entries.push(entry);
    return entry;
  }

  /** Its status changes, which has to be reported. */
  becomes(entry: Entry, statusCode: "00" | "11" | "22", now: number): void {
    if (entry.completedAt !== null) return;
    entry.statusCode = statusCode;
    entry.completedAt = statusCode === "22" ? null : now;
    entry.revision++;
    entry.reported.push(reportOf(this.terminalId, entry));
  }

  /** What has to be reported, oldest first. */
  owed(posId: string): Entry[] {
    return this.entries.filter((entry) => entry.posId === posId && entry.acknowledged < entry.revision);
  }

  /** What is completed, reported and old is forgotten. */
  forget(now: number): void {
    const old = ({ completedAt, startedAt, acknowledged, revision }: Entry): boolean =>
      completedAt !== null &&
      acknowledged >= revision &&
      now - startedAt > JOURNAL_LIFE &&
      now - completedAt > JOURNAL_LIFE;
    for (const entry of this.entries.filter(old)) this.entries.splice(this.entries.indexOf(entry), 1);
  }
}

/** A void is about the whole payment. */
export function voidOf({ transAmt, cashAmt, currency, paymentChannel }: Payment): Payment {
  return { type: "void", transAmt, cashAmt, currency, paymentChannel };
}

function versionOf(update: AccountUpdate): number {
  return update.kind === "terms" ? update.terms.version : update.version;
}

function reportOf(deviceId: string, entry: Entry): RecordEntry {
  const { requestId, revision, reference, type, statusCode, completedAt, startedAt, voids } = entry;
  const { transAmt, cashAmt, currency, paymentChannel } = entry;
  const isOpen = completedAt === null;
  return saleEntry(requestId, {
    revision,
    deviceId,
    receivedAt: startedAt,
    completedAt,
    times: isOpen ? null : {},
    voids: voids === null || statusCode !== "00" ? null : { requestId: voids.requestId, referenceId: voids.reference },
    transaction: {
      transType: type,
      referenceId: reference,
      statusCode,
      responseCode: statusCode,
      completedBy: isOpen ? null : "terminal",
      transAmt,
      cashAmt,
      currency,
      paymentChannel: isOpen ? null : paymentChannel,
      transId: voids === null ? null : String(voids.requestId),
    },
  });
}
