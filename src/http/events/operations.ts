import { responseSchema } from "../../contracts/json-schema.ts";
import { EVENTS_PAGE, EVENTS_WAIT, WAITING_READERS } from "../../protocol/limits/events.ts";
import { duration } from "../../time/duration.ts";
import { SECOND } from "../../time/units.ts";
import type { Parameter } from "../openapi/document.ts";
import { type Family, inPath, queryParameters } from "../openapi/operation.ts";
import { invalidRequest } from "../openapi/refusals.ts";
import { dayTotals } from "../openapi/totals.ts";
import { accountTransaction, voidedBy } from "../openapi/transaction.ts";
import { EVENT_EXAMPLES, EVENT_SUMMARIES } from "./examples.ts";
import { outOfRange } from "./problems.ts";
import { eventsQuery } from "./requests.ts";
import { dayClosedEvent, event, eventPage, transactionEvent, webhookDisabledEvent } from "./responses.ts";

const PREFER: Parameter = {
  name: "Prefer",
  in: "header",
  description:
    `\`wait=SECONDS\` (RFC 7240): if there is no event after \`after\`, wait for one, at most ${duration(EVENTS_WAIT)}; a ` +
    "longer wait counts as that. Without it, the answer comes at once.",
  required: false,
  schema: { type: "string", examples: [`wait=${EVENTS_WAIT / SECOND}`] },
};

const UNKNOWN = outOfRange({ oldest: 12_001, newest: 48_210 });

const completed = EVENT_EXAMPLES["transaction.completed"];
const pending = EVENT_EXAMPLES["transaction.pending"];

export const events: Family = {
  tag: "Events",
  caller: "access",
  responses: {
    VoidedBy: responseSchema(voidedBy),
    AccountTransaction: responseSchema(accountTransaction),
    DayTotals: responseSchema(dayTotals),
    TransactionEvent: responseSchema(transactionEvent),
    DayClosedEvent: responseSchema(dayClosedEvent),
    WebhookDisabledEvent: responseSchema(webhookDisabledEvent),
    Event: responseSchema(event),
    EventPage: responseSchema(eventPage),
  },
  operations: {
    "GET /api/events": {
      operationId: "listEvents",
      summary: "Read events, or wait for the next one",
      description: [
        "Everything that happens to the account's transactions, in one order that never changes: every `00`, every `11`, and " +
          "every `22` that ended a request or that a terminal reported.",
        "Store the number of the last event that you have processed, and send it as `after`. So you miss none and get none " +
          "twice, even after failures. The same request always returns the same events.",
        "Events are deleted after 400 days. If some of those after `after` are gone, `skipped` says how many.",
        `With \`Prefer: wait=${EVENTS_WAIT / SECOND}\` the call waits for the next event, and returns an empty \`data\` if ` +
          `none arrives. At most ${WAITING_READERS} readers of an account wait at the same time: one more ends the oldest wait with an empty page.`,
      ].join("\n\n"),
      parameters: [
        ...queryParameters(eventsQuery, {
          after: {
            description:
              "The number of the last event that you have read; 0: none. Without it, the response has only the newest number as `next`.",
            schema: { type: "string", pattern: "^[0-9]{1,15}$" },
            examples: ["0", "41"],
          },
        }),
        PREFER,
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
      },
      refusals: {
        400: invalidRequest(
          "`after` is not a number, or is higher than the number of the newest event. `details` has the numbers that are kept.",
          { unknown: { summary: "The account has no event with this number", problem: UNKNOWN } },
        ),
      },
    },
    "GET /api/events/{id}": {
      operationId: "getEvent",
      summary: "Read one event",
      description: "One event of the account, by its id: the same bytes as in the list.",
      parameters: [inPath("id", "The event's id.", completed.id)],
      answers: {
        200: {
          description: "The event.",
          schema: "Event",
          examples: Object.fromEntries(
            Object.entries(EVENT_EXAMPLES).map(([type, value]) => [
              type,
              { summary: EVENT_SUMMARIES[value.type], value },
            ]),
          ),
        },
      },
      refusals: { 404: "The account has no such event." },
    },
  },
};
