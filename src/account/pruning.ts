/** Once a month, deletes claims and events that are older than 400 days, a bounded number at a time. */
import { isAboutTransaction } from "../protocol/events.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { isForgotten } from "./claims.ts";
import { PRUNE_EVERY, PRUNE_PAUSE, PRUNE_ROWS } from "./limits.ts";
import type { AccountStores } from "./stores.ts";

/** One step, if it is due. It continues where the previous step stopped, and starts over a month after the end. */
export function prune(
  { records, claims, events }: Pick<AccountStores, "records" | "claims" | "events">,
  now: number,
): void {
  const { record } = records;
  if (record === null || record.pruneAt === null || now < record.pruneAt) return;
  const looked = claims.after(record.pruneReference, PRUNE_ROWS);
  for (const claim of looked) if (isForgotten(claim, now)) claims.remove(claim.referenceId);
  const told = pruneEvents({ events, claims }, record.pruneEvent, now);
  const more = looked.length === PRUNE_ROWS || told !== null;
  records.update({
    pruneAt: now + (more ? PRUNE_PAUSE : PRUNE_EVERY),
    pruneReference: looked.length === PRUNE_ROWS ? (looked.at(-1)?.referenceId ?? "") : more ? LAST : "",
    pruneEvent: told ?? (more ? Number.MAX_SAFE_INTEGER : 0),
  });
}

/** Sorts after every reference. */
const LAST = "\u{10FFFF}";

/**
 * Events are ordered by time, so the first recent one ends the step. The newest event is kept, so that numbers are never
 * reused, and so is the newest event of each open transaction.
 *
 * @returns the number to continue after; null at the end
 */
function pruneEvents(
  { events, claims }: Pick<AccountStores, "claims" | "events">,
  from: number,
  now: number,
): number | null {
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
