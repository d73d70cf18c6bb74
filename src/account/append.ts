/**
 * The only function that appends to the account's feed (I7). It assigns the next number in the turn of the change that the
 * event reports.
 */
import { isoWithOffset } from "../time/zone.ts";
import type { AccountEvent, EventContent } from "../protocol/events.ts";
import type { RecordedTimes } from "../rpc/account.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord } from "./storage/record.ts";

/**
 * @param times of a completed transaction
 * @returns the event's number
 */
export function append(
  { events }: { events: Events },
  { posId, timezone }: Pick<AccountRecord, "posId" | "timezone">,
  { type, data }: EventContent,
  now: number,
  times: RecordedTimes | null = null,
): number {
  const number = events.newest + 1;
  const timestamp = isoWithOffset(now, timezone);
  // The type `EventContent` ensures that type and data belong together.
  events.add({ id: eventId(posId, number), number, type, timestamp, data } as AccountEvent, now, times);
  return number;
}

/** An event's id, in the feed and in the headers of its delivery. */
export function eventId(posId: string, number: number): string {
  return `evt_${posId}_${number}`;
}
