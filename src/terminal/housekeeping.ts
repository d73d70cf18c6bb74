/** The object's one alarm, its notes to D1 and the pruning of its journal: what happens while nobody asks. */
import { HELLO_WITHIN, NOTE_RETRY, PRESENCE_DELAY, PRUNE_EVERY } from "../limits.ts";
import type { Connections } from "./connections.ts";
import type { Journal } from "./journal.ts";
import type { LaneShell } from "./lane-shell.ts";
import { logEvent } from "./log.ts";
import { dueNote, writeNote } from "./notes.ts";
import type { TerminalRecord, TerminalRecordStore } from "./record.ts";
import type { TerminalSocket } from "./terminal-socket.ts";

export interface HousekeepingParts {
  context: DurableObjectState;
  env: Env;
  records: TerminalRecordStore;
  connections: Connections;
  journal: Journal;
  lane: LaneShell;
  socket: TerminalSocket;
}

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  /** The alarm as far as this instance knows; null: none, or unknown after a wake-up. */
  #alarmAt: number | null = null;
  #noting: Promise<void> = Promise.resolve();
  #noteRetryAt: number | null = null;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  /**
   * Makes sure that the alarm comes no later than the next deadline. One that comes earlier stays: it finds nothing to
   * do and sets the next, which costs less than moving the alarm with every frame (each move is a row written).
   */
  arm(now: number): void {
    const next = this.#nextDeadline(now);
    if (next === null || (this.#alarmAt !== null && this.#alarmAt <= next)) return;
    this.#alarmAt = next;
    // Not awaited: the write joins the turn's other writes behind the output gate.
    void this.#parts.context.storage.setAlarm(next);
  }

  async alarm(): Promise<void> {
    const now = Date.now();
    const { lane, socket, journal } = this.#parts;
    this.#alarmAt = null;
    socket.closeSilentGreetings(now, HELLO_WITHIN);
    lane.take({ kind: "deadline" }, now);
    journal.prune(now);
    await this.note();
    this.arm(Date.now());
    this.#armPruning(now);
  }

  /**
   * Nothing else being due, the journal is looked at again in a month: one alarm, for a terminal with transactions that
   * is not connected. One that is prunes whenever it sells, and some day its connection ends.
   */
  #armPruning(now: number): void {
    const { context, journal } = this.#parts;
    if (this.#alarmAt !== null || this.#isConnected()) return;
    if (journal.page(Number.MAX_SAFE_INTEGER, 1).length === 0) return;
    this.#alarmAt = now + PRUNE_EVERY;
    void context.storage.setAlarm(this.#alarmAt);
  }

  /** Tells D1 what it does not know yet. Never throws: what fails is tried again by the alarm. One at a time. */
  note(): Promise<void> {
    this.#noting = this.#noting.then(() => this.#noteOnce());
    return this.#noting;
  }

  /**
   * Like `note`, within a bounded time: a listing that follows the terminal's connection shows it, and yet no terminal is
   * kept out by a D1 that does not answer.
   */
  async noteWithin(milliseconds: number): Promise<void> {
    await Promise.race([this.note(), scheduler.wait(milliseconds)]);
  }

  async #noteOnce(): Promise<void> {
    const { records, env } = this.#parts;
    const { record } = records;
    if (record === null) return;
    const now = Date.now();
    const connected = this.#isConnected();
    const note = dueNote(record, connected, disconnectDue(record) <= now);
    if (note === null) return;
    try {
      await writeNote(env.DATABASE, record.terminalId, note, now);
      records.update({
        notedBindingVersion: note.bindingVersion,
        notedConnection: note.connection,
        notedConnected: note.connected,
      });
      this.#noteRetryAt = null;
    } catch (error) {
      logEvent("warning", "note-not-written", { terminal: record.terminalId, detail: String(error) });
      this.#noteRetryAt = Date.now() + NOTE_RETRY;
    }
    this.arm(Date.now());
  }

  /** In D1 an open connection counts before its hello: "may be connected". The object itself confirms. */
  #isConnected(): boolean {
    return this.#parts.connections.terminals().length > 0;
  }

  #nextDeadline(now: number): number | null {
    const { lane, connections, records } = this.#parts;
    const { record } = records;
    const times: number[] = [];
    const own = lane.nextDeadline(now);
    if (own !== null) times.push(own);
    if (lane.isGreeting) {
      for (const { attachment } of connections.terminals()) {
        if (!attachment.saidHello) times.push(attachment.openedAt + HELLO_WITHIN);
      }
    }
    const mayBeNoted = record?.notedConnected === true && this.#noteRetryAt === null;
    if (mayBeNoted && lane.currentConnection === null && !this.#isConnected()) times.push(disconnectDue(record));
    if (this.#noteRetryAt !== null) times.push(this.#noteRetryAt);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** A disconnect is noted late, since most terminals are back at once. */
function disconnectDue(record: TerminalRecord): number {
  return (record.lostAt ?? 0) + PRESENCE_DELAY;
}
