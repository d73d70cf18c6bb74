/**
 * Deletes what an account does not need any more, 400 days after its last use. Sums of closed days, and the zones in
 * which they were closed, stay for ever: a day that is closed never changes (I7).
 */
import { isAboutTransaction } from "../../protocol/events.ts";
import { JOURNAL_LIFE } from "../../protocol/limits.ts";
import { isForgotten } from "./feed.ts";
import type { AccountTables } from "./storage/tables.ts";
import { DAY, SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** An account that has rows to prune is pruned this often. */
export const PRUNE_EVERY = 30 * DAY;

/** The pause between two steps of pruning. */
export const PRUNE_PAUSE = SECOND;

/** One step of pruning reads at most this many claims, and events, so that it never delays a payment. */
export const PRUNE_ROWS = 2_000;

/** Sorts after every reference. */
const LAST = "\u{10FFFF}";

/** Schedules pruning, since there is something to prune from now on. */
export function expectPruning({ records }: AccountTables, now: EpochMs): void {
  if (records.record?.pruneAt === null) records.update({ pruneAt: now + PRUNE_EVERY });
}

/**
 * Takes one bounded step, if it is due: it continues where the previous step stopped, and starts over a month after the
 * end.
 */
export function prune(tables: AccountTables, now: EpochMs): void {
  const { records, claims, devices, conflictingResults } = tables;
  const { record } = records;
  if (record === null || record.pruneAt === null || now < record.pruneAt) return;
  const looked = claims.after(record.pruneReference, PRUNE_ROWS);
  const { forgotten = [], kept = [] } = Object.groupBy(looked, (claim) =>
    isForgotten(claim, now) ? "forgotten" : "kept",
  );
  for (const { referenceId } of forgotten) claims.remove(referenceId);
  devices.noteClaims(new Set(kept.map(({ deviceId }) => deviceId)), now);
  conflictingResults.removeClosedBefore(now - JOURNAL_LIFE, PRUNE_ROWS);
  const prunedTo = pruneEvents(tables, record.pruneEvent, now);
  const more = looked.length === PRUNE_ROWS || prunedTo !== null;
  // Every claim was looked at since the last month's end: the devices with a claim were recorded.
  if (!more) devices.removeUnused({ unboundBefore: now - JOURNAL_LIFE, unclaimedSince: now - PRUNE_EVERY }, PRUNE_ROWS);
  records.update({
    pruneAt: now + (more ? PRUNE_PAUSE : PRUNE_EVERY),
    pruneReference: looked.length === PRUNE_ROWS ? (looked.at(-1)?.referenceId ?? "") : more ? LAST : "",
    pruneEvent: prunedTo ?? (more ? Number.MAX_SAFE_INTEGER : 0),
  });
}

/**
 * Events are ordered by time, so the first recent one ends the step. The newest event is kept, so that numbers are
 * never reused, and so is the newest event of each open transaction.
 *
 * @returns the number to continue after; null at the end
 */
function pruneEvents({ events, claims }: AccountTables, from: number, now: EpochMs): number | null {
  // If the step reaches the end, the newest event is among these, or there is none.
  const looked = events.after(from, PRUNE_ROWS);
  const { newest } = events;
  for (const { number, at, event } of looked) {
    if (number === newest || now - at <= JOURNAL_LIFE) return null;
    const claim = isAboutTransaction(event) ? claims.find(event.data.referenceId) : null;
    if (claim?.event === number && claim.completedAt === null) continue;
    events.remove(number);
  }
  return looked.at(-1)?.number ?? null;
}
