/**
 * Writes copies to D1 after the fact, for lists: the terminal's binding, presence, secret's version and retirement, and the
 * rows of the outbox. The record stores what D1 has, so the duty to update it is as durable as the change itself.
 */
import { sealedUnder } from "../keys/sealing.ts";
import { NoteWriter } from "../objects/note-writer.ts";
import type { Turns } from "../objects/turns.ts";
import { writeTerminalNote, type TerminalNote } from "../storage/terminal-notes.ts";
import { noteUndelivered, terminalObject } from "../storage/undelivered.ts";
import { PRESENCE_DELAY } from "./limits.ts";
import { lastNumber } from "./number-reserve.ts";
import { lastHeard } from "./status.ts";
import type { TerminalRecord } from "./storage/record.ts";
import type { TerminalSide } from "./terminal-side.ts";

export interface NotesParts extends Pick<TerminalSide, "records" | "connections" | "lane" | "outbox"> {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  turns: Turns;
}

type Presence = Pick<TerminalNote, "connected" | "connection">;

/** What D1 should have at a time. */
interface Known {
  record: TerminalRecord;
  presence: Presence;
  at: number;
}

export class Notes {
  readonly #parts: NotesParts;
  readonly #writer: NoteWriter<Known>;

  constructor(parts: NotesParts) {
    this.#parts = parts;
    const { context, database, records, outbox, turns } = parts;
    this.#writer = new NoteWriter({
      context,
      outbox,
      turns,
      due: (now) => this.#due(now),
      since: ({ record }) => this.#since(record),
      write: (known, audit) => writeTerminalNote(database, known.record.terminalId, noteOf(known), audit),
      failed: (audit, now) =>
        noteUndelivered(database, terminalObject(records.terminalId ?? ""), audit[0]?.at ?? now, now),
      written: ({ record, presence }) => {
        records.update({
          notedBindingVersion: record.bindingVersion,
          notedSecretVersion: record.secretVersion,
          notedConnection: presence.connection,
          notedConnected: presence.connected,
          notedNumber: lastNumber(record.reserve),
        });
      },
      about: () => ({ terminal: records.terminalId ?? "" }),
    });
  }

  /** Starts to write what D1 does not know yet. Called at the end of every turn. */
  start(now: number): void {
    this.#writer.start(now);
  }

  /** Waits until D1 knows everything, up to this many milliseconds; see `NoteWriter`. */
  writeWithin(milliseconds: number): Promise<void> {
    return this.#writer.writeWithin(milliseconds, Date.now());
  }

  /** When to write to D1, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    const { record } = this.#parts.records;
    if (record === null) return null;
    // The next connection writes the presence again anyway.
    const deadline = this.#writer.nextDeadline(now, this.#hasNews(record));
    if (deadline !== null || this.#due(now) !== null) return deadline;
    return record.notedConnected && !this.#isOpen ? disconnectDue(record) : null;
  }

  #due(now: number): Known | null {
    const { record } = this.#parts.records;
    if (record === null) return null;
    const presence = this.#presence(record, now);
    return isNoted(record, presence) && !this.#hasNews(record) ? null : { record, presence, at: now };
  }

  /**
   * Whether the terminal is connected: in D1 an open connection counts before its hello. The object itself confirms.
   */
  get #isOpen(): boolean {
    const { lane, connections } = this.#parts;
    return lane.currentConnection !== null || connections.anyOpen;
  }

  /**
   * What D1 should say about its presence. The end of a connection is noted late, because most terminals are back at once.
   */
  #presence(record: TerminalRecord, now: number): Presence {
    if (this.#isOpen) return { connected: true, connection: record.connections };
    return { connected: record.notedConnected && now < disconnectDue(record), connection: record.notedConnection };
  }

  /** Since when its presence is unchanged, epoch milliseconds; null if D1 lacks more than that, which must not wait long. */
  #since(record: TerminalRecord): number | null {
    if (this.#hasNews(record)) return null;
    const opened = this.#parts.connections.terminals().map(({ attachment }) => attachment.openedAt);
    return opened.length > 0 ? Math.max(...opened) : record.lostAt;
  }

  /** Whether there is something that must not be lost. */
  #hasNews(record: TerminalRecord): boolean {
    return (
      record.notedBindingVersion !== record.bindingVersion ||
      record.notedSecretVersion !== record.secretVersion ||
      hasNewNumbers(record) ||
      !this.#parts.outbox.isEmpty
    );
  }
}

function disconnectDue(record: TerminalRecord): number {
  return (record.lostAt ?? 0) + PRESENCE_DELAY;
}

function isNoted(record: TerminalRecord, { connected, connection }: Presence): boolean {
  return record.notedConnected === connected && record.notedConnection === connection;
}

function hasNewNumbers({ reserve, notedNumber }: TerminalRecord): boolean {
  return lastNumber(reserve) > notedNumber;
}

function noteOf({ record, presence, at }: Known): TerminalNote {
  const { binding, bindingVersion, sealedSecret, secretVersion, notedSecretVersion } = record;
  return {
    posId: binding?.posId ?? null,
    bindingVersion,
    ...presence,
    offlineSince: presence.connected ? null : record.lostAt,
    lastHeartbeat: lastHeard(record),
    retired: sealedSecret === null,
    newSecret:
      sealedSecret === null || notedSecretVersion === secretVersion
        ? null
        : { version: secretVersion, sealedUnder: sealedUnder(sealedSecret) },
    blocks: hasNewNumbers(record) ? record.reserve.blocks : [],
    at,
  };
}
