/** Answers to readers of the feed (I7). */
import { EVENTS_PAGE } from "../protocol/limits/events.ts";
import type { EventAnswer, EventsAnswer, EventsQuestion } from "../rpc/feed.ts";
import { standingOf } from "./sessions.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecordStore } from "./storage/record.ts";
import type { Sessions } from "./storage/sessions.ts";

export interface ReadingParts {
  records: Pick<AccountRecordStore, "record">;
  sessions: Pick<Sessions, "has">;
  events: Pick<Events, "newest" | "oldest" | "body" | "bodiesAfter">;
}

/** At most one page of the events after a number. */
export function readEvents(
  { records, sessions, events }: ReadingParts,
  { sessionId, after }: EventsQuestion,
): EventsAnswer {
  const standing = standingOf(records.record, sessions, sessionId);
  if (standing.kind !== "good") return standing;
  const { newest } = events;
  if (after === null) return { kind: "events", bodies: [], next: newest, skipped: 0 };
  // A number that was never assigned belongs to another account or gateway.
  if (after > newest) return { kind: "out-of-range", oldest: events.oldest, newest };
  const page = events.bodiesAfter(after, EVENTS_PAGE);
  const next = page.at(-1)?.number ?? after;
  // Numbers are without gaps, so what is missing was deleted: the reader is told how much it misses.
  return { kind: "events", bodies: page.map(({ body }) => body), next, skipped: next - after - page.length };
}

export function readEvent({ records, sessions, events }: ReadingParts, sessionId: string, number: number): EventAnswer {
  const standing = standingOf(records.record, sessions, sessionId);
  if (standing.kind !== "good") return standing;
  const body = events.body(number);
  return body === null ? { kind: "no-such-event" } : { kind: "event", body };
}

/** Whether the reader has read everything, so the answer has to wait. */
export function hasReadAll(answer: EventsAnswer, { after }: EventsQuestion): boolean {
  return answer.kind === "events" && answer.bodies.length === 0 && after !== null;
}
