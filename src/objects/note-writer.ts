/**
 * Writes to D1 what an object knows, after the fact: one note at a time, with the rows of the outbox and a timeout. A
 * failed write is retried. No till or terminal waits for it.
 */
import { log, logError } from "../log.ts";
import type { NumberedAuditEntry } from "../storage/audit.ts";
import { within } from "../within.ts";
import { D1_WAIT } from "./limits.ts";
import { noteRetryIn } from "./retry.ts";
import type { Outbox } from "./storage/outbox.ts";
import type { Turns } from "./turns.ts";

export interface NoteWriterParts<Note> {
  context: Pick<DurableObjectState, "waitUntil">;
  /** Missing: its notes carry none of its rows. */
  outbox?: Outbox;
  turns: Turns;
  /** What D1 does not know yet at this time, epoch milliseconds; null: it knows everything. */
  due: (now: number) => Note | null;
  /** Since when there is something to write, epoch milliseconds; null: it must not wait long, regardless of age. */
  since: (note: Note) => number | null;
  /** Writes it with these rows of the outbox, all or nothing. */
  write: (note: Note, audit: readonly NumberedAuditEntry[]) => Promise<void>;
  /** D1 has it. Called in a turn. */
  written: (note: Note) => void;
  /** Rows of the outbox could not be written: says so where that is possible. */
  failed?: (audit: readonly NumberedAuditEntry[], now: number) => Promise<void>;
  /** The object's identity, for log lines. */
  about: () => { account?: string; terminal?: string };
}

export class NoteWriter<Note> {
  readonly #parts: NoteWriterParts<Note>;
  /** The note that is being written. */
  #writing: Promise<void> | null = null;
  /** After a failure, the next write waits until then. */
  #retryAt: number | null = null;

  constructor(parts: NoteWriterParts<Note>) {
    this.#parts = parts;
  }

  /** Starts to write what D1 does not know yet. Called at the end of every turn. */
  start(now: number): void {
    if (this.#writing !== null || (this.#retryAt !== null && now < this.#retryAt)) return;
    const note = this.#parts.due(now);
    if (note === null) return;
    this.#writing = this.#write(note);
    this.#parts.context.waitUntil(this.#writing);
  }

  /**
   * Waits until D1 knows everything, up to this many milliseconds. If D1 fails or does not answer, the write is retried
   * later.
   *
   * @param now epoch milliseconds
   */
  async writeWithin(milliseconds: number, now: number): Promise<void> {
    this.#retryAt = null;
    this.start(now);
    const told = async (): Promise<void> => {
      while (this.#writing !== null) await this.#writing;
    };
    await within(milliseconds, told()).catch(() => undefined);
  }

  /**
   * When to write to D1, epoch milliseconds, always later than `now` because what is due has just been started; null: no
   * alarm is needed.
   *
   * @param mustArrive the note must not be lost: the object may be reset while it writes
   */
  nextDeadline(now: number, mustArrive: boolean): number | null {
    if (this.#writing !== null) return mustArrive ? now + D1_WAIT : null;
    return this.#parts.due(now) === null ? null : this.#retryAt;
  }

  async #write(note: Note): Promise<void> {
    const { outbox, turns, since, write, written, about } = this.#parts;
    let told: { upTo: number | null } | null = null;
    let audit: NumberedAuditEntry[] = [];
    try {
      audit = outbox?.rows() ?? [];
      await within(D1_WAIT, write(note, audit));
      told = { upTo: audit.at(-1)?.number ?? null };
    } catch (error) {
      log("warning", "note-not-written", { ...about(), detail: String(error) });
      this.#sayFailed(audit);
    }
    this.#writing = null;
    try {
      turns.take((now) => {
        this.#retryAt = now + noteRetryIn(now - (since(note) ?? now), Math.random);
        if (told === null) return;
        written(note);
        if (told.upTo !== null) outbox?.told(told.upTo);
        this.#retryAt = null;
      });
    } catch (error) {
      // The write is repeated: D1 accepts a row of the outbox once, and a note only over an older one.
      logError("note-not-kept", error, about());
    }
  }

  /** In the background: nothing waits for it, and it may fail, too. */
  #sayFailed(audit: readonly NumberedAuditEntry[]): void {
    const { failed, context } = this.#parts;
    if (failed === undefined || audit.length === 0) return;
    context.waitUntil(within(D1_WAIT, failed(audit, Date.now())).catch(() => undefined));
  }
}
