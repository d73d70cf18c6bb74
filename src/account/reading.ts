/** Answers to readers of the feed (I7). */
import { EVENTS_PAGE } from "../protocol/limits/events.ts";
import type { EventAnswer, EventsAnswer, EventsQuestion } from "./feed-calls.ts";
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
  if (after === null) return { kind: "events", bodies: [], next: events.newest };
  const page = events.bodiesAfter(after, EVENTS_PAGE);
  if (!isThere(events, after, page[0]?.number)) {
    const { oldest, newest } = events;
    return { kind: "out-of-range", oldest, newest };
  }
  return { kind: "events", bodies: page.map(({ body }) => body), next: page.at(-1)?.number ?? after };
}

/**
 * Whether a reader can continue after this number. If it is too old, the reader would miss deleted events. If it was never
 * assigned, it belongs to another account or gateway.
 *
 * @param following the next number that is kept; undefined if there is none
 */
function isThere(events: Pick<Events, "newest" | "oldest">, after: number, following: number | undefined): boolean {
  if (after === 0) return true;
  if (following === undefined) return after === events.newest;
  return following === after + 1 || after >= events.oldest;
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
