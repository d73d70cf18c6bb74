/** The order of events is the order recorded (I7). */
import * as z from "zod";
import { accountStub, type EventAnswer, type EventsAnswer } from "../../../account/rpc.ts";
import { EVENTS_PAGE, EVENTS_WAIT, WAITING_READERS } from "../../../../protocol/limits.ts";
import type { Problem } from "../../../../protocol/problem.ts";
import { SECOND } from "../../../../protocol/time/units.ts";
import { refuseStanding, requireToken } from "../../middleware/authentication.ts";
import { type RequestContext, factory } from "../../middleware/context.ts";
import { type Refusal, invalid, refuse } from "../../middleware/errors.ts";
import { type Preference, readPreference } from "../../middleware/prefer.ts";
import { checkReaderRate } from "../../middleware/rate-limit.ts";
import { objectInTime } from "../../middleware/time-limit.ts";
import { noQuery, query } from "../../validation/validators.ts";
import { readFeed } from "./wait.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { describeCall } from "../../middleware/describe.ts";

const AFTER_WORDS = "Send the number of the last event that you have read, or 0 to read all events that are kept.";

/** An empty text is not a number: a reader that has lost its number must not skip unread events. */
const eventsQuery = z.object({
  after: z
    .string({ error: AFTER_WORDS })
    .regex(/^[0-9]{1,15}$/)
    .transform(Number)
    .optional(),
});

/**
 * The number in an event's id, `evt_<posId>_<number>`; null if it is not an id of this account. Each number has one
 * spelling, so each event has one id.
 */
function numberIn(id: string, posId: string): number | null {
  const prefix = `evt_${posId}_`;
  const number = id.slice(prefix.length);
  return id.startsWith(prefix) && /^[1-9][0-9]{0,14}$/.test(number) ? Number(number) : null;
}

export const eventCalls = factory.createApp();

/** Another account's event gets the same answer. */
const NOT_FOUND: Refusal = { kind: "not_found", message: "The account has no such event." };

/** The account's object checks account and session in the same call that reads the events. */
const requireReader = requireToken({ use: "access", within: checkReaderRate });

eventCalls.get("/api/events", requireReader, query(eventsQuery), async (c) => {
  const { sub: posId, sid: sessionId } = c.get("claims");
  const { after = null } = c.req.valid("query");
  const preference = after === null ? null : readBoundPreference(c);
  const answer = await readFeed(() => accountStub(c.env, posId), {
    question: { sessionId, after },
    wait: preference?.wait ?? 0,
    signal: c.req.raw.signal,
    traceId: c.get("traceId"),
  });
  if (preference !== null && answer.kind === "events") c.header("Preference-Applied", preference.applied);
  return respond(c, answer);
});

describeCall(
  eventCalls,
  ({ invalidRequest, EVENT_EXAMPLES: { "transaction.completed": completed, "transaction.pending": pending } }) => ({
    tag: "Events",
    operationId: "listEvents",
    summary: "Read events, or wait for the next one",
    description: [
      "Everything that happens to the account's transactions, in one order that never changes: every `00`, every `11`, and " +
        "every `22` that ended a request or that a terminal reported. Also what happens to its terminals and webhooks.",
      "Store the number of the last event that you have processed, and send it as `after`. This way you miss none and get none " +
        "twice, even after failures. The same request always returns the same events.",
      "Events are deleted after 400 days. If some of those after `after` are gone, `skipped` says how many.",
      `With \`Prefer: wait=${EVENTS_WAIT / SECOND}\` the call waits for the next event, and returns an empty \`data\` if ` +
        `none arrives. At most ${WAITING_READERS} readers of an account wait at the same time: one more ends the oldest wait with an empty page.`,
    ].join("\n\n"),
    query: {
      after: {
        description:
          "The number of the last event that you have read; 0: none. Without it, the response has only the newest number as `next`.",
        schema: { type: "integer", minimum: 0 },
        examples: [0, 41],
      },
    },
    headers: [
      {
        name: "Prefer",
        in: "header",
        description:
          `\`wait=SECONDS\` (RFC 7240): if there is no event after \`after\`, wait for one, at most ${duration(EVENTS_WAIT)}; a ` +
          "longer wait counts as that. Without it, the response comes immediately.",
        required: false,
        schema: { type: "string", examples: [`wait=${EVENTS_WAIT / SECOND}`] },
      },
    ],
    answers: {
      200: {
        description: `The events after \`after\`, at most ${EVENTS_PAGE}.`,
        schema: "EventPage",
        headers: ["Preference-Applied"],
        examples: {
          events: { summary: "Two events", value: { data: [completed, pending], next: pending.number } },
          skipped: {
            summary: "Events between `after` and `next` are deleted",
            value: { data: [pending], next: pending.number, skipped: 12 },
          },
          nothing: { summary: "No event", value: { data: [], next: pending.number } },
        },
      },
      400: invalidRequest(
        "`after` is not a number, or is higher than the number of the newest event. `details` has the numbers that are kept.",
        {
          unknown: {
            summary: "The account has no event with this number",
            problem: outOfRange({ oldest: 12_001, newest: 48_210 }),
          },
        },
      ),
    },
  }),
);

eventCalls.get("/api/events/:id", requireReader, noQuery, async (c) => {
  const { sub: posId, sid: sessionId } = c.get("claims");
  // An id that is not this account's has no number. The session is checked anyway.
  const number = numberIn(c.req.param("id"), posId) ?? 0;
  return respond(c, await objectInTime(accountStub(c.env, posId).event(sessionId, number)));
});

describeCall(eventCalls, ({ EVENT_EXAMPLES, EVENT_SUMMARIES }) => ({
  tag: "Events",
  operationId: "getEvent",
  summary: "Read one event",
  description: "One event of the account, by its id: the same bytes as in the list.",
  answers: {
    200: {
      description: "The event.",
      schema: "Event",
      examples: Object.fromEntries(
        Object.entries(EVENT_EXAMPLES).map(([type, value]) => [type, { summary: EVENT_SUMMARIES[value.type], value }]),
      ),
    },
    404: "The account has no such event.",
  },
}));

/** A longer wait counts as the longest. */
function readBoundPreference(c: RequestContext): Preference | null {
  const wanted = readPreference(c.req.header("Prefer"));
  if (wanted === null || wanted.wait <= EVENTS_WAIT) return wanted;
  return { wait: EVENTS_WAIT, applied: `wait=${EVENTS_WAIT / SECOND}` };
}

function respond(c: RequestContext & Parameters<typeof json>[0], answer: EventsAnswer | EventAnswer): Response {
  switch (answer.kind) {
    case "events":
      return json(c, pageText(answer));
    case "event":
      return json(c, answer.body);
    case "out-of-range":
      return refuse(c, invalid([outOfRange(answer)]));
    case "no-such-event":
      return refuse(c, NOT_FOUND);
    default:
      return refuseStanding(c, answer);
  }
}

/**
 * A reader's number was never assigned.
 *
 * @param kept the numbers of the oldest and the newest event; both 0 if there are none
 */
function outOfRange({ oldest, newest }: { oldest: number; newest: number }): Problem {
  const message =
    newest === 0
      ? "There are no events yet. Send 0."
      : `Events ${oldest} to ${newest} are kept. Send a number from 0 to ${newest}.`;
  return { path: "after", message };
}

/** An event's text is passed on unchanged: its bytes are the same everywhere. */
function pageText({ bodies, next, skipped }: Extract<EventsAnswer, { kind: "events" }>): string {
  return `{"data":[${bodies.join(",")}],"next":${next}${skipped === 0 ? "" : `,"skipped":${skipped}`}}`;
}

function json(c: { body: (text: string, status: 200, headers: { "Content-Type": string }) => Response }, text: string) {
  return c.body(text, 200, { "Content-Type": "application/json" });
}
