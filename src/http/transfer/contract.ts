/** The contract of transfers: the calls, their answers and refusals. Only the build of the site reads it. */
import type { JsonSchema } from "../../contracts/json-schema.ts";
import { MESSAGES } from "./components.ts";
import { TRANSFER_REQUESTS } from "./messages.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { isQuestion, TRANSFER_TYPES } from "../../protocol/transfer-types.ts";
import type { Example, MediaType, Parameter } from "../openapi/document.ts";
import type { Family } from "../openapi/operation.ts";
import { invalidRequest } from "../openapi/refusals.ts";
import {
  ANSWER_WAIT,
  DEFAULT_REQUEST_SECONDS,
  FIRST_TRANSACTION_NUMBER,
  REPLAY_LIFE,
} from "../../protocol/limits/transfers.ts";
import {
  NOT_BOUND,
  UNKNOWN_REFERENCE,
  UNKNOWN_TRANS_ID,
  usedElsewhere,
  usedLongAgo,
  usedOtherwise,
} from "../../protocol/refusals.ts";
import { TRANSFER_STAGES, type StageMessage, type TransferStage } from "../../protocol/stages.ts";
import { duration } from "../../time/duration.ts";
import { DAY, HOUR } from "../../time/units.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { EVENT_STREAM } from "./follow.ts";
import { COMMENT_EVERY } from "./limits.ts";
import { askingAnswer, transactionAnswer, transactionDetails } from "../../protocol/schemas/transfers.ts";
import { datetimeProblems, signatureProblem } from "../../signing/problems.ts";

const EXAMPLE_TIME = Date.UTC(2026, 10, 20, 2, 15);

const PREFER: Parameter = {
  name: "Prefer",
  in: "header",
  description:
    "A shorter wait (RFC 7240): `wait=SECONDS`, or `respond-async` for none. When it is over, an open transaction gets " +
    "`22 IN_PROGRESS` and continues.",
  required: false,
  schema: { type: "string", examples: ["wait=10", "respond-async"] },
};

const STREAMED: { event: string; data: object }[] = [
  ...(["received", "sent", "accepted", "reading", "authorising"] satisfies TransferStage[]).map((stage, step) => ({
    event: "stage",
    data: { stage, at: isoWithOffset(EXAMPLE_TIME + step * 1_730, "Asia/Kuala_Lumpur") } satisfies StageMessage,
  })),
  { event: "result", data: EXAMPLES.sale.answer },
];

const STAGES: MediaType = {
  schema: {
    type: "string",
    description:
      "With `Accept: text/event-stream`. The data of `stage` is a JSON object with `stage` and `at`, when the stage was " +
      "reached (ISO 8601, with the account's offset from UTC). The stages so far come first, also if the request joins a " +
      "transaction in progress or repeats a finished one. `queued` comes only if the transaction waits for another one, or " +
      "for its terminal to reconnect. `sent` comes again if the request is sent to the terminal again. The data of " +
      "`result` is a TransferResponse. Ignore events and stages that you do not know.",
  },
  example: STREAMED.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
};

function byType(names: Record<string, string>): JsonSchema {
  const references = Object.fromEntries(
    Object.entries(names).map(([type, name]) => [type, `#/components/schemas/${name}`]),
  );
  return {
    oneOf: [...new Set(Object.values(references))].map(($ref) => ({ $ref })),
    discriminator: { propertyName: "transType", mapping: references },
  };
}

export const TRANSFER_SCHEMAS: Record<string, JsonSchema> = {
  TransferRequest: {
    description: "A transfer. `transType` determines the fields of `transData`.",
    ...byType(
      Object.fromEntries(
        TRANSFER_REQUESTS.map(({ shape }) => {
          const type = shape.transType.value;
          return [type, `${type.charAt(0).toUpperCase()}${type.slice(1)}Request`];
        }),
      ),
    ),
  },
  TransferResponse: {
    description: "The response to a transaction, or to a question about one.",
    ...byType(
      Object.fromEntries(
        TRANSFER_TYPES.map((type) => [type, isQuestion(type) ? "InquiryResponse" : "TransactionResponse"]),
      ),
    ),
  },
};

function examplesOf(part: "request" | "answer", names: (keyof typeof EXAMPLES)[]): Record<string, Example> {
  return Object.fromEntries(
    names.map((name) => [name, { summary: EXAMPLES[name].words[part], value: EXAMPLES[name][part] }]),
  );
}

const { cancel: _cancel, ...transfers } = EXAMPLES;
const TRANSFERS = Object.keys(transfers) as (keyof typeof transfers)[];

const NOT_TAKEN =
  "The message was not accepted. `code` 40000: a field is invalid, the signature is wrong, the clock is off, or the " +
  "device is not the account's. ";
const NO_VERDICT =
  "It says nothing about an earlier message with the same `referenceId`: only a `statusCode` ends a transaction.";

const REFUSED =
  `${NOT_TAKEN}40004: an inquiry or getLast, and there is no such transaction. 40009: the \`referenceId\` was used ` +
  `before, on another device, with other terms, or more than ${duration(REPLAY_LIFE)} ago: send an inquiry. ${NO_VERDICT}`;

/** For a cancel, which completes a transaction that it does not find. */
const CANCEL_REFUSED = `${NOT_TAKEN}40009: the \`referenceId\` belongs to another device: send an inquiry there. ${NO_VERDICT}`;

const [CLOCK] = datetimeProblems(EXAMPLE_TIME + 8 * HOUR, EXAMPLE_TIME);

const COMMON = {
  signature: { summary: "The signature is wrong", problem: signatureProblem(EXAMPLES.sale.request) },
  ...(CLOCK === undefined ? {} : { clock: { summary: "Local time was sent", problem: CLOCK } }),
  device: { summary: "The device is not the account's", problem: NOT_BOUND },
  elsewhere: {
    summary: "The reference belongs to another device: 40009",
    code: 40009,
    problem: usedElsewhere("T-0001", false),
  },
} as const;

const REFUSALS = {
  ...COMMON,
  used: {
    summary: "The reference belongs to another transaction: 40009",
    code: 40009,
    problem: usedOtherwise("sale", FIRST_TRANSACTION_NUMBER + 42, false),
  },
  longAgo: {
    summary: "The first message was more than a day ago: 40009",
    code: 40009,
    problem: usedLongAgo(EXAMPLE_TIME - 3 * DAY, true),
  },
  unknown: { summary: "There is no such transaction: 40004", code: 40004, problem: UNKNOWN_TRANS_ID },
  unnamed: {
    summary: "There is no transaction under the inquiry's own reference: 40004",
    code: 40004,
    problem: UNKNOWN_REFERENCE,
  },
} as const;

export const transfersContract = (): Family => ({
  tag: "Transfers",
  caller: "access",
  requests: MESSAGES,
  responses: {
    TransactionDetails: transactionDetails,
    TransactionResponse: transactionAnswer.meta({ ...transactionAnswer.meta(), examples: [EXAMPLES.sale.answer] }),
    InquiryResponse: askingAnswer.meta({ ...askingAnswer.meta(), examples: [EXAMPLES.inquiry.answer] }),
  },
  operations: {
    "POST /api/transfer": {
      operationId: "transfer",
      summary: "Send a transfer",
      description: [
        "Charges, voids or asks, depending on `transType`. The response arrives when the outcome is known, at the latest when " +
          `the request's life of ${DEFAULT_REQUEST_SECONDS} seconds (\`REQUEST_SECONDS\`) is over, always with HTTP status ` +
          "200 and a `statusCode`:",
        "- `00`: money moved.\n" +
          "- `11`: no money moved and none will. A new attempt with a new `referenceId` is safe.\n" +
          "- `22`: unresolved. Send the same request again until it is `00` or `11`. Never use a new `referenceId`.",
        "**Sending again is safe.** The same request (`referenceId`, `transType`, amounts, `paymentMethod`, `paymentChannel` and " +
          "`transId` are equal) joins the transaction in progress, asks the terminal about an unresolved one, or returns the stored " +
          "response, with `Idempotent-Replayed: true`. With other terms, on another device, or after more than " +
          `${duration(REPLAY_LIFE)}, it gets a 400 with code 40009. Then send an \`inquiry\` that names the \`referenceId\`, and do not ` +
          "charge again before you know the outcome. After a time-out, a broken connection or a 500, send the same request again.",
        "**Follow it live** with `Accept: text/event-stream`. A response with status 200 is then a stream of " +
          "[server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html): an event `stage` for each stage " +
          `as the transaction reaches it (${TRANSFER_STAGES.map((stage) => `\`${stage}\``).join(", ")}), a comment every ` +
          `${duration(COMMENT_EVERY)}, and at the end one event \`result\`, whose data is the signed response, byte for byte as ` +
          "without a stream. Errors are JSON. A stream that ends without `result` is a broken connection: send the request " +
          "again.",
        "The response is signed with the key that verified the request. Compare `posId`, `deviceId` and `referenceId` with " +
          "your request before you trust it.",
      ].join("\n\n"),
      parameters: [PREFER],
      body: {
        description: "A signed transfer.",
        schema: "TransferRequest",
        examples: examplesOf("request", TRANSFERS),
      },
      answers: {
        200: {
          description: "A signed response. `statusCode` is the outcome, or `22` while it is unresolved.",
          schema: "TransferResponse",
          examples: examplesOf("answer", TRANSFERS),
          headers: ["Idempotent-Replayed", "Preference-Applied"],
          otherTypes: { [EVENT_STREAM]: STAGES },
        },
        400: invalidRequest(REFUSED, REFUSALS),
      },
    },
    "POST /api/transfer/cancel": {
      operationId: "cancelTransfer",
      summary: "Cancel a transaction",
      description:
        "Cancels the transaction with this `referenceId`, and no other. Returns what the transfer would return: `11 CANCELLED` " +
        "if the terminal confirms it, the final result if it was too late, or a `22` if nothing is confirmed within " +
        `${duration(ANSWER_WAIT)}; then send it again. A reference without a transaction is completed as cancelled, ` +
        "permanently: a request that arrives later with it is never processed.",
      parameters: [PREFER],
      body: {
        description: "The signed cancel.",
        schema: "CancelRequest",
        examples: examplesOf("request", ["cancel"]),
      },
      answers: {
        200: {
          description: "A signed response about the transaction.",
          schema: "TransactionResponse",
          examples: examplesOf("answer", ["cancel"]),
          headers: ["Idempotent-Replayed", "Preference-Applied"],
        },
        400: invalidRequest(CANCEL_REFUSED, COMMON),
      },
    },
  },
});
