/**
 * Reports the outcomes of transactions to their accounts (I7), and remembers which this instance does not know to be
 * recorded. Acknowledgements are not stored: a new instance assumes that the journal's newest row and the rows that it
 * names are not recorded, unless a mark on the terminal's connection says otherwise, which survives sleep but not a
 * reset.
 */
import type { AccountStub, RecordAnswer } from "../rpc/account.ts";
import { needsTarget } from "../protocol/transfer-types.ts";
import { type Waiting, pause, type Conclusion, type Source } from "../objects/untold/teller.ts";
import { TELL_WAIT, OBJECT_PATIENCE } from "../objects/limits.ts";
import { log } from "../outcomes/log.ts";
import { within } from "../bounds/within.ts";
import type { LaneShell } from "./lane-shell.ts";
import { RECORD_ENTRIES, UNNEEDED_NAMES, RESENT_FOR } from "./limits.ts";
import { recordEntry, type RealTransaction, isReal } from "./record-entry.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { TurnParticipant } from "../objects/turns.ts";
import type { Transaction } from "./lane/index.ts";
import type { Journal } from "./storage/journal.ts";
import type { Connections } from "./connections.ts";

interface RecorderParts {
  journal: Pick<Journal, "tail" | "tailNumbers" | "rename">;
  connections: Connections;
  records: TerminalRecordStore;
  lane: () => Pick<LaneShell, "find" | "lane">;
  /** A new stub for every call. */
  account: (posId: string) => AccountStub;
}

interface Row {
  transaction: RealTransaction;
  since: number;
  /** When it is reported again if the account has not recorded it. */
  notBefore: number;
  /** The last call failed: the row goes with the next one. */
  failed: boolean;
  alarmBy: number;
}

export class Recorder implements Source, TurnParticipant {
  readonly name = "outcomes";
  /** Conclusions write no row: what is recorded is marked on a connection. */
  readonly isLight = true;
  readonly #parts: RecorderParts;
  readonly #rows = new Map<number, Row>();
  readonly #staged = new Map<number, Row>();
  /** What an earlier instance may have left is not in `#rows` yet. */
  #inherits = true;
  /** The newest row may name too many. */
  #inherited = 0;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  async tell(posId: string, now: number): Promise<Conclusion> {
    const { lane, records, account } = this.#parts;
    const told = this.#due(posId, now);
    const deviceId = records.terminalId ?? "";
    const { link } = lane().lane;
    try {
      const entries = told.map((each) => recordEntry(each, deviceId, link, this.#voidedBy(each)));
      const answer = await within(TELL_WAIT, account(posId).record(entries));
      return (after) => this.#acknowledge(told, answer, after);
    } catch (error) {
      log("warning", "outcomes-not-told", { terminal: deviceId, account: posId, detail: String(error) });
      return (after) => this.#notRecorded(told, after);
    }
  }

  /** null: another type, or the journal has deleted the transaction. A void of another account's is refused, never 00. */
  #voidedBy({ transType, terms }: RealTransaction) {
    return needsTarget(transType) ? this.#parts.lane().find(Number(terms.transId)) : null;
  }

  commit(): void {
    for (const [requestId, row] of this.#staged) this.#rows.set(requestId, row);
    this.#staged.clear();
  }

  rollBack(): void {
    this.#staged.clear();
  }

  /**
   * Called for each new revision.
   *
   * @param alarmBy there is an alarm no later than this, epoch milliseconds; null if none is known
   */
  add(transaction: Transaction, alarmBy: number | null, now: number): void {
    if (!isReal(transaction)) return;
    this.#mayInherit();
    this.#mark(false);
    this.#staged.set(transaction.requestId, this.#rowOf(transaction, now, alarmBy ?? 0));
  }

  known(): number[] {
    return [...new Set([...this.#rows.keys(), ...this.#staged.keys()])];
  }

  /** The numbers that a new row must name, so that a new instance finds them. */
  names(): number[] {
    return [...(this.#mayInherit() ? this.#parts.journal.tailNumbers() : []), ...this.known()];
  }

  /** The alarm has fired, so none is set now. An earlier instance may have set it for what it could not report. */
  alarm(now: number): void {
    for (const row of this.#rows.values()) row.alarmBy = 0;
    this.takeOver(now);
  }

  /** Takes over what an earlier instance may not have reported. */
  takeOver(now: number): void {
    if (!this.#mayInherit()) return;
    const rows = this.#parts.journal.tail();
    this.#inherits = false;
    this.#inherited = rows.length;
    for (const transaction of rows) {
      const { requestId, revision, completedAt, endsAt } = transaction;
      if (!isReal(transaction) || revision === 0 || this.#rows.has(requestId)) continue;
      if (completedAt !== null && completedAt < now - RESENT_FOR) continue;
      this.#rows.set(requestId, this.#rowOf(transaction, completedAt ?? endsAt));
    }
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  waiting(): ReadonlyMap<string, Waiting> {
    const waiting = new Map<string, Required<Pick<Waiting, "notBefore" | "alarmBy">>>();
    for (const { transaction, notBefore, alarmBy } of this.#rows.values()) {
      const before = waiting.get(transaction.posId) ?? { notBefore: Infinity, alarmBy: Infinity };
      waiting.set(transaction.posId, {
        notBefore: Math.min(before.notBefore, notBefore),
        alarmBy: Math.min(before.alarmBy, alarmBy),
      });
    }
    return waiting;
  }

  /** Oldest first. */
  #due(posId: string, now: number): RealTransaction[] {
    return [...this.#rows.values()]
      .filter(({ transaction, notBefore, failed }) => transaction.posId === posId && (failed || notBefore <= now))
      .map(({ transaction }) => transaction)
      .toSorted((one, other) => one.requestId - other.requestId)
      .slice(0, RECORD_ENTRIES);
  }

  /** What the account has not recorded is reported again later, and does not delay the rest. */
  #acknowledge(told: readonly Transaction[], { recorded }: RecordAnswer, now: number): void {
    const revisions = new Map(recorded.map(({ requestId, revision }) => [requestId, revision]));
    for (const { requestId, posId, revision } of told) {
      const row = this.#rows.get(requestId);
      if (row === undefined) continue;
      if ((revisions.get(requestId) ?? 0) >= row.transaction.revision) this.#rows.delete(requestId);
      else if (row.transaction.revision === revision) {
        this.#delay(row, false, now);
        log("error", "transaction-not-recorded", { transaction: requestId, account: posId });
      }
    }
    if (this.#rows.size > 0 || this.#staged.size > 0 || this.#inherits) return;
    this.#mark(true);
    const open = [...this.#parts.lane().lane.open.keys()];
    if (this.#inherited > UNNEEDED_NAMES + open.length) this.#parts.journal.rename(open);
    this.#inherited = 0;
  }

  /** The same is reported again later. What is new meanwhile is reported at once. */
  #notRecorded(told: readonly Transaction[], now: number): void {
    for (const { requestId, revision } of told) {
      const row = this.#rows.get(requestId);
      if (row?.transaction.revision === revision) this.#delay(row, true, now);
    }
  }

  #delay(row: Row, failed: boolean, now: number): void {
    row.failed = failed;
    row.notBefore = now + pause(now - row.since, OBJECT_PATIENCE, Math.random());
  }

  #mayInherit(): boolean {
    if (this.#inherits && this.#markedConnection()?.attachment.recorded === true) this.#inherits = false;
    return this.#inherits;
  }

  /** On a new connection nothing is known to be recorded. */
  #markedConnection() {
    const { connections, records } = this.#parts;
    const number = records.record?.currentConnection ?? null;
    const socket = number === null ? null : connections.byNumber(number);
    const attachment = socket === null ? null : connections.attachmentOf(socket);
    return socket === null || attachment?.role !== "terminal" ? null : { socket, attachment };
  }

  /** Written with the turn. */
  #mark(everything: boolean): void {
    const connection = this.#markedConnection();
    if (connection === null || connection.attachment.recorded === everything) return;
    this.#parts.connections.update(connection.socket, { recorded: everything });
  }

  #rowOf(transaction: RealTransaction, since: number, alarmBy = 0): Row {
    return { transaction, since, notBefore: 0, failed: false, alarmBy };
  }
}
