/** The one way into the account's feed (I7): the next number, in the turn of what it tells of. */
import { isoWithOffset } from "../time/zone.ts";
import type { AccountEvent, EventContent } from "../protocol/events.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord } from "./storage/record.ts";

/** @returns the event's number */
export function append(
  { events }: { events: Events },
  { posId, timezone }: Pick<AccountRecord, "posId" | "timezone">,
  { type, data }: EventContent,
  now: number,
): number {
  const number = events.newest + 1;
  const timestamp = isoWithOffset(now, timezone);
  // Which data goes with which type is the content's to know.
  events.add({ id: eventId(posId, number), number, type, timestamp, data } as AccountEvent, now);
  return number;
}

/** What an event is called wherever it is read: in the feed, and in the headers of its delivery. */
export function eventId(posId: string, number: number): string {
  return `evt_${posId}_${number}`;
}
