/** An account's events, in the order recorded (I7). */
import { accountStub } from "../../account/stub.ts";
import type { EventAnswer, EventsAnswer } from "../../account/feed-calls.ts";
import { EVENTS_WAIT } from "../../protocol/limits/events.ts";
import { SECOND } from "../../time/units.ts";
import { refuseStanding, requireToken } from "../authentication.ts";
import { factory, type RequestContext } from "../context.ts";
import { invalid, type Refusal, refuse } from "../errors.ts";
import { type Preference, readPreference } from "../prefer.ts";
import { withinReaderRate } from "../rate-limit.ts";
import { inTime } from "../time-limit.ts";
import { noQuery, query } from "../validation/validators.ts";
import { outOfRange } from "./problems.ts";
import { eventsQuery, numberIn } from "./requests.ts";
import { readFeed } from "./wait.ts";

export const events = factory.createApp();

/** Another account's event looks like one that does not exist. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such event." };

/** The account's object checks account and session in the same call that reads the events. */
const requireReader = requireToken({ use: "access", within: withinReaderRate });

events.get("/api/events", requireReader, query(eventsQuery), async (c) => {
  const { sub: posId, sid: sessionId } = c.get("claims");
  const { after = null } = c.req.valid("query");
  const preference = after === null ? null : preferenceOf(c);
  const answer = await readFeed(() => accountStub(c.env, posId), {
    question: { sessionId, after },
    wait: preference?.wait ?? 0,
    signal: c.req.raw.signal,
  });
  if (preference !== null && answer.kind === "events") c.header("Preference-Applied", preference.applied);
  return respond(c, answer);
});

events.get("/api/events/:id", requireReader, noQuery, async (c) => {
  const { sub: posId, sid: sessionId } = c.get("claims");
  // An id that is not this account's has no number. The session is checked anyway.
  const number = numberIn(c.req.param("id"), posId) ?? 0;
  return respondOne(c, await inTime(accountStub(c.env, posId).event(sessionId, number)));
});

/** A longer wait counts as the longest. */
function preferenceOf(c: RequestContext): Preference | null {
  const wanted = readPreference(c.req.header("Prefer"));
  if (wanted === null || wanted.wait <= EVENTS_WAIT) return wanted;
  return { wait: EVENTS_WAIT, applied: `wait=${EVENTS_WAIT / SECOND}` };
}

function respond(c: RequestContext & Parameters<typeof json>[0], answer: EventsAnswer): Response {
  switch (answer.kind) {
    case "events":
      return json(c, pageText(answer));
    case "out-of-range":
      return refuse(c, invalid([outOfRange(answer)]));
    case "unknown":
    case "not-active":
    case "session-ended":
      return refuseStanding(c, answer);
    default:
      return answer satisfies never;
  }
}

function respondOne(c: RequestContext & Parameters<typeof json>[0], answer: EventAnswer): Response {
  switch (answer.kind) {
    case "event":
      return json(c, answer.body);
    case "no-such-event":
      return refuse(c, NOT_FOUND);
    case "unknown":
    case "not-active":
    case "session-ended":
      return refuseStanding(c, answer);
    default:
      return answer satisfies never;
  }
}

/** An event's text goes through as it is: it has the same bytes everywhere. */
function pageText({ bodies, next, skipped }: Extract<EventsAnswer, { kind: "events" }>): string {
  return `{"data":[${bodies.join(",")}],"next":${next}${skipped === 0 ? "" : `,"skipped":${skipped}`}}`;
}

/** The body is JSON already. */
function json(c: { body: (text: string, status: 200, headers: { "Content-Type": string }) => Response }, text: string) {
  return c.body(text, 200, { "Content-Type": "application/json" });
}
