/**
 * Deletes what is older than 400 days, in bounded steps that delay no payment: completed transactions with their
 * reports, and reports without a transaction. It looks once a day, from the oldest row's time on. An object without
 * rows to delete sets no alarm.
 */
import type { TurnParticipant } from "../objects/turns.ts";
import { earliest } from "../objects/turns.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { DAY } from "../time/units.ts";
import { PRUNE_AHEAD, PRUNE_PAUSE } from "./limits.ts";
import type { Journal } from "./storage/journal.ts";
import type { KeptReports } from "./storage/kept-reports.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { Recorder } from "./recorder.ts";

interface RetentionParts {
  journal: Pick<Journal, "oldestCompleted" | "prune">;
  reports: Pick<KeptReports, "oldestStray" | "pruneStrays">;
  recorder: Pick<Recorder, "known">;
  records: Pick<TerminalRecordStore, "keepNumbers">;
}

export class Retention implements TurnParticipant {
  readonly #parts: RetentionParts;
  /** When the next step is due, epoch milliseconds; Infinity: never; null: unknown. */
  #due: number | null = null;
  /** The number after which the next step continues. */
  #after = 0;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  rollBack(): void {
    this.#due = null;
    this.#after = 0;
  }

  /** After a turn that completed or stored something: there may be something to delete from now on. */
  stored(): void {
    if (this.#due === Infinity) this.#due = null;
  }

  step(now: number): void {
    if (now < this.#known()) return;
    const { journal, reports, recorder, records } = this.#parts;
    const before = now - JOURNAL_LIFE;
    records.keepNumbers();
    const reached = journal.prune(before, this.#after, recorder.known());
    this.#after = reached ?? 0;
    this.#due = null;
    if (reached !== null) {
      this.#due = now + PRUNE_PAUSE;
      return;
    }
    reports.pruneStrays(before);
    // A row that was completed late, or is not recorded, outlasts its day: the next look is tomorrow.
    this.#due = Math.max(this.#known(), now + DAY);
  }

  /**
   * When to wake the object, epoch milliseconds; null: no alarm is needed.
   *
   * @param isConnected each payment replaces the alarm, and setting it again is one more row. So it is set again only
   * if it is due before any connection has ended: noticing that end sets it
   */
  nextDeadline(isConnected: boolean, now: number): number | null {
    const due = this.#known();
    if (due === Infinity || (isConnected && due > now + PRUNE_AHEAD)) return null;
    return due > now ? due : now + DAY;
  }

  /** The day after the oldest row's last one. */
  #known(): number {
    const { journal, reports } = this.#parts;
    this.#due ??= (earliest(journal.oldestCompleted(), reports.oldestStray()) ?? Infinity) + JOURNAL_LIFE + DAY;
    return this.#due;
  }
}
