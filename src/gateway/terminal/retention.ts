/**
 * Deletes what is older than 400 days, in bounded steps that delay no payment: completed transactions with their
 * reports, and reports without a transaction. It looks once a day, from the oldest row's time on. An object without
 * rows to delete sets no alarm.
 */
import { earliest } from "../durable/turns.ts";
import { JOURNAL_LIFE } from "../../protocol/limits.ts";
import { DAY, SECOND, type EpochMs } from "../../protocol/time/units.ts";
import type { Journal } from "./storage/journal.ts";
import type { StoredReportTable } from "./storage/stored-reports.ts";
import type { TerminalRecordStore } from "./storage/record.ts";

/** The pause between two such steps. */
const PRUNE_PAUSE = SECOND;

/** This is far longer than a connection lasts: the platform closes all of them when it restarts an object. */
const PRUNE_AHEAD = 30 * DAY;

interface RetentionParts {
  journal: Pick<Journal, "oldestCompleted" | "prune">;
  reports: Pick<StoredReportTable, "oldestOrphan" | "pruneOrphans">;
  records: Pick<TerminalRecordStore, "keepNumbers" | "record" | "update">;
}

export class Retention {
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Schedules the deletion of what a turn has completed or stored; call this in that turn. */
  stored(now: EpochMs): void {
    const { records } = this.#parts;
    if (records.record?.pruneAt === null) records.update({ pruneAt: now + JOURNAL_LIFE + DAY });
  }

  step(now: EpochMs): void {
    const { journal, reports, records } = this.#parts;
    const { pruneAt = null, pruneAfter = 0 } = records.record ?? {};
    if (pruneAt === null || now < pruneAt) return;
    const before = now - JOURNAL_LIFE;
    records.keepNumbers();
    const reached = journal.prune(before, pruneAfter);
    if (reached !== null) {
      records.update({ pruneAt: now + PRUNE_PAUSE, pruneAfter: reached });
      return;
    }
    reports.pruneOrphans(before);
    const oldest = earliest(journal.oldestCompleted(), reports.oldestOrphan());
    // A row that was completed late, or is not recorded, outlasts its day: the next look is tomorrow.
    const next = oldest === null ? null : Math.max(oldest + JOURNAL_LIFE + DAY, now + DAY);
    records.update({ pruneAt: next, pruneAfter: 0 });
  }

  /**
   * When to wake the object; null: no alarm is needed.
   *
   * @param isConnected each payment replaces the alarm, and setting it again is one more row. So it is set again only
   * if it is due before any connection has ended: noticing that end sets it
   */
  nextDeadline(isConnected: boolean, now: EpochMs): number | null {
    const due = this.#parts.records.record?.pruneAt ?? null;
    if (due === null || (isConnected && due > now + PRUNE_AHEAD)) return null;
    return due > now ? due : now + DAY;
  }
}
