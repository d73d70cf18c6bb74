/**
 * What D1 is told of a terminal after the fact: copies of its binding, presence, secret's version and retirement, for
 * listings, and the outbox. What D1 was told last is in the record, so what it has to be told yet is as durable as the
 * change itself.
 */
import { sealedUnder } from "../keys/sealing.ts";
import { log, logError } from "../log.ts";
import { writeTerminalNote, type TerminalNote } from "../storage/terminal-notes.ts";
import { within } from "../within.ts";
import { D1_WAIT, NOTE_RETRY, PRESENCE_DELAY } from "./limits.ts";
import type { TerminalRecord } from "./storage/record.ts";
import type { TerminalSide } from "./terminal-side.ts";
import type { Turns } from "../objects/turns.ts";

export interface NotesParts extends Pick<TerminalSide, "records" | "connections" | "lane" | "outbox"> {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  turns: Turns;
}

type Presence = Pick<TerminalNote, "connected" | "connection">;

export class Notes {
  readonly #parts: NotesParts;
  /** The one note that is being written. */
  #writing: Promise<void> | null = null;
  /** After a note failed, the next one waits until then. */
  #retryAt: number | null = null;

  constructor(parts: NotesParts) {
    this.#parts = parts;
  }

  /** Starts to tell D1 what it does not know yet; called at the end of every turn. */
  start(now: number): void {
    if (this.#writing !== null || (this.#retryAt !== null && now < this.#retryAt)) return;
    const { records, context } = this.#parts;
    const { record } = records;
    if (record === null) return;
    const presence = this.#presence(record, now);
    if (isNoted(record, presence) && !this.#hasNews(record)) return;
    this.#writing = this.#write(record, presence);
    context.waitUntil(this.#writing);
  }

  /**
   * Waits until D1 knows everything, but no longer than that. A D1 that fails or does not answer is no error: it is
   * told later.
   */
  async tellWithin(milliseconds: number): Promise<void> {
    this.#retryAt = null;
    this.start(Date.now());
    const told = async (): Promise<void> => {
      while (this.#writing !== null) await this.#writing;
    };
    await within(milliseconds, told()).catch(() => undefined);
  }

  /**
   * When D1 is to be told something, epoch milliseconds; null: no alarm is needed. Always later than `now`, as what is
   * due has just been started.
   */
  nextDeadline(now: number): number | null {
    const { record } = this.#parts.records;
    if (record === null) return null;
    // The object may be reset while it writes. A note of presence alone is written again with the next connection.
    if (this.#writing !== null) return this.#hasNews(record) ? now + D1_WAIT : null;
    if (this.#hasNews(record) || !isNoted(record, this.#presence(record, now))) return this.#retryAt;
    return record.notedConnected && !this.#isOpen ? disconnectDue(record) : null;
  }

  async #write(record: TerminalRecord, presence: Presence): Promise<void> {
    const { records, outbox, database, turns } = this.#parts;
    let told: { upTo: number | null } | null = null;
    try {
      const audit = outbox.rows();
      await within(D1_WAIT, writeTerminalNote(database, record.terminalId, noteOf(record, presence), audit));
      told = { upTo: audit.at(-1)?.number ?? null };
    } catch (error) {
      log("warning", "note-not-written", { terminal: record.terminalId, detail: String(error) });
    }
    try {
      turns.take((now) => {
        this.#writing = null;
        this.#retryAt = now + NOTE_RETRY;
        if (told === null) return;
        records.update({
          notedBindingVersion: record.bindingVersion,
          notedSecretVersion: record.secretVersion,
          notedConnection: presence.connection,
          notedConnected: presence.connected,
        });
        if (told.upTo !== null) outbox.told(told.upTo);
        this.#retryAt = null;
      });
    } catch (error) {
      // D1 is told again: it takes a row of the outbox once, and a note only over an older one.
      logError("note-not-kept", error, { terminal: record.terminalId });
    }
  }

  /** Whether the terminal is there: in D1 an open connection counts before its hello. The object itself confirms. */
  get #isOpen(): boolean {
    const { lane, connections } = this.#parts;
    return lane.currentConnection !== null || connections.anyOpen;
  }

  /** What D1 is to say of its presence. An end is noted late, since most terminals are back at once. */
  #presence(record: TerminalRecord, now: number): Presence {
    if (this.#isOpen) return { connected: true, connection: record.connections };
    return { connected: record.notedConnected && now < disconnectDue(record), connection: record.notedConnection };
  }

  /** Whether there is something that must not be lost. */
  #hasNews(record: TerminalRecord): boolean {
    return (
      record.notedBindingVersion !== record.bindingVersion ||
      record.notedSecretVersion !== record.secretVersion ||
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

function noteOf(record: TerminalRecord, presence: Presence): TerminalNote {
  const { binding, bindingVersion, sealedSecret, secretVersion, notedSecretVersion } = record;
  return {
    posId: binding?.posId ?? null,
    bindingVersion,
    ...presence,
    retired: sealedSecret === null,
    newSecret:
      sealedSecret === null || notedSecretVersion === secretVersion
        ? null
        : { version: secretVersion, sealedUnder: sealedUnder(sealedSecret) },
  };
}
