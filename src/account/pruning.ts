/** Once a month: claims and events that are older than 400 days go, a bounded number at a time. */
import { isAboutTransaction } from "../protocol/events.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { isForgotten } from "./claims.ts";
import { PRUNE_EVERY, PRUNE_PAUSE, PRUNE_ROWS } from "./limits.ts";
import type { Claims } from "./storage/claims.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecordStore } from "./storage/record.ts";

export interface PruningParts {
  records: AccountRecordStore;
  claims: Claims;
  events: Events;
}

/** One step, if it is due. The look goes on where the step before stopped, and starts anew a month after its end. */
export function prune({ records, claims, events }: PruningParts, now: number): void {
  const { record } = records;
  if (record === null || record.pruneAt === null || now < record.pruneAt) return;
  const looked = claims.after(record.pruneReference, PRUNE_ROWS);
  for (const claim of looked) if (isForgotten(claim, now)) claims.remove(claim.referenceId);
  const told = pruneEvents(events, claims, record.pruneEvent, now);
  const more = looked.length === PRUNE_ROWS || told !== null;
  records.update({
    pruneAt: now + (more ? PRUNE_PAUSE : PRUNE_EVERY),
    pruneReference: looked.length === PRUNE_ROWS ? (looked.at(-1)?.referenceId ?? "") : more ? LAST : "",
    pruneEvent: told ?? (more ? Number.MAX_SAFE_INTEGER : 0),
  });
}

/** Behind every reference. */
const LAST = "\u{10FFFF}";

/**
 * Events are in the order of their times: the first young one ends the walk. The newest is kept, so that numbers never
 * come back, and so is the newest of a transaction that is open.
 *
 * @returns the number to go on behind; null: the walk has ended
 */
function pruneEvents(events: Events, claims: Claims, from: number, now: number): number | null {
  const looked = events.after(from, PRUNE_ROWS);
  const { newest } = events;
  for (const { number, at, event } of looked) {
    if (number === newest || now - at <= JOURNAL_LIFE) return null;
    const claim = isAboutTransaction(event) ? claims.find(event.data.referenceId) : null;
    if (claim?.event === number && claim.settledAt === null) continue;
    events.remove(number);
  }
  return looked.length < PRUNE_ROWS ? null : (looked.at(-1)?.number ?? null);
}
