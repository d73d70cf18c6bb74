/**
 * What D1 is told of an account after the fact: a copy for listings, and the outbox. What D1 was told last is in the
 * record, so what it has to be told yet is as durable as the change itself.
 */
import { sealedUnder } from "../keys/sealing.ts";
import { log, logError } from "../log.ts";
import type { Outbox } from "../objects/storage/outbox.ts";
import type { Turns } from "../objects/turns.ts";
import { writeAccountNote } from "../storage/account-notes.ts";
import { within } from "../within.ts";
import { CALL_WAIT, NOTE_RETRY } from "./limits.ts";
import { viewOf } from "./sessions.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface NotesParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  records: AccountRecordStore;
  outbox: Outbox;
  turns: Turns;
}

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
    const { record } = this.#parts.records;
    if (record === null || this.#writing !== null || !this.#hasNews(record)) return;
    if (this.#retryAt !== null && now < this.#retryAt) return;
    this.#writing = this.#write(record);
    this.#parts.context.waitUntil(this.#writing);
  }

  /** Waits until D1 knows everything, but no longer than that. A D1 that fails or does not answer is told later. */
  async tellWithin(milliseconds: number): Promise<void> {
    const { record } = this.#parts.records;
    if (record === null) return;
    this.#retryAt = null;
    const told = async (): Promise<void> => {
      while (this.#writing !== null) await this.#writing;
    };
    await within(milliseconds, told()).catch(() => undefined);
  }

  /** When D1 is to be told something, epoch milliseconds; null: no alarm is needed. */
  nextDeadline(now: number): number | null {
    const { record } = this.#parts.records;
    if (record === null || !this.#hasNews(record)) return null;
    // The object may be reset while it writes.
    return this.#writing === null ? this.#retryAt : now + CALL_WAIT;
  }

  async #write(record: AccountRecord): Promise<void> {
    const { database, outbox, records, turns } = this.#parts;
    let told: { upTo: number | null } | null = null;
    try {
      const audit = outbox.rows();
      const note = { ...viewOf(record), sealedUnder: sealedUnder(record.signingKey) };
      await within(CALL_WAIT, writeAccountNote(database, note, audit));
      told = { upTo: audit.at(-1)?.number ?? null };
    } catch (error) {
      log("warning", "note-not-written", { account: record.posId, detail: String(error) });
    }
    try {
      turns.take((now) => {
        this.#writing = null;
        this.#retryAt = now + NOTE_RETRY;
        if (told === null) return;
        if (told.upTo !== null) outbox.told(told.upTo);
        records.update({ notedVersion: record.version });
        this.#retryAt = null;
      });
    } catch (error) {
      // D1 is told again: it takes a row of the outbox once, and a copy only over an older one.
      logError("note-not-kept", error, { account: record.posId });
    }
  }

  #hasNews({ version, notedVersion }: AccountRecord): boolean {
    return version !== notedVersion || !this.#parts.outbox.isEmpty;
  }
}
