/** Words about transfers that are too long for the calls themselves. */
import type { Example, MediaType, Parameter } from "../../openapi/document.ts";
import type { Kit } from "../../openapi/kit.ts";
import { FIRST_TRANSACTION_NUMBER, REPLAY_LIFE } from "../../../../protocol/limits.ts";
import {
  FORGOTTEN_REFERENCE,
  NOT_BOUND,
  UNKNOWN_REFERENCE,
  UNKNOWN_TRANS_ID,
  usedElsewhere,
  usedLongAgo,
  usedOtherwise,
} from "../../../../protocol/refusals.ts";
import type { StageMessage, TransferStage } from "../../../../protocol/stages.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { DAY } from "../../../../protocol/time/units.ts";
import { isoWithOffset } from "../../../../protocol/time/zone.ts";
import { signatureProblem } from "../../../../protocol/signing/problems.ts";

const EXAMPLE_TIME = Date.UTC(2026, 10, 20, 2, 15);

export const PREFER: Parameter = {
  name: "Prefer",
  in: "header",
  description:
    "A shorter wait (RFC 7240): `wait=SECONDS`, or `respond-async` for none. When it is over, an open transaction gets " +
    "`22 IN_PROGRESS` and continues.",
  required: false,
  schema: { type: "string", examples: ["wait=10", "respond-async"] },
};

/** Returns the media type with its example. */
export function stageStream({ EXAMPLES }: Kit): MediaType {
  const streamed: { event: string; data: object }[] = [
    ...(["received", "sent", "accepted", "reading", "authorising"] satisfies TransferStage[]).map((stage, step) => ({
      event: "stage",
      data: { stage, at: isoWithOffset(EXAMPLE_TIME + step * 1_730, "Asia/Kuala_Lumpur") } satisfies StageMessage,
    })),
    { event: "result", data: EXAMPLES.sale.answer },
  ];
  return {
    schema: {
      type: "string",
      description:
        "With `Accept: text/event-stream`. The data of `stage` is a JSON object with `stage` and `at`, when the stage was " +
        "reached (ISO 8601, with the account's offset from UTC). The stages so far come first, also if the request joins a " +
        "transaction in progress or repeats a finished one. `queued` comes only if the transaction waits for another one, or " +
        "for its terminal to reconnect. `sent` comes again if the request is sent to the terminal again. The data of " +
        "`result` is a TransferResponse. Ignore events and stages that you do not know.",
    },
    example: streamed.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
  };
}

/** Returns the examples of all types. */
export function transferExamples({ EXAMPLES }: Kit, part: "request" | "answer"): Record<string, Example> {
  const { cancel: _cancel, ...transfers } = EXAMPLES;
  return chooseExamples(transfers, part);
}

export function cancelExample({ EXAMPLES: { cancel } }: Kit, part: "request" | "answer"): Record<string, Example> {
  return chooseExamples({ cancel }, part);
}

function chooseExamples(examples: Partial<Kit["EXAMPLES"]>, part: "request" | "answer"): Record<string, Example> {
  const entries = Object.entries(examples).map(([name, example]) => [
    name,
    { summary: example.words[part], value: example[part] },
  ]);
  return Object.fromEntries(entries) as Record<string, Example>;
}

const NOT_TAKEN =
  "The message was not accepted. `code` 40000: a field is invalid, the signature is wrong, the clock is off, or the " +
  "device is not the account's. ";
const NO_VERDICT =
  "It says nothing about an earlier message with the same `referenceId`: only a `statusCode` ends a transaction.";

export const transferRefused = () =>
  `${NOT_TAKEN}40004: an inquiry or getLast, and there is no such transaction. 40009: the \`referenceId\` was used ` +
  `before, on another device, with other terms, or more than ${duration(REPLAY_LIFE)} ago: send an inquiry. ` +
  `40010: an inquiry about a transaction that the terminal no longer has: read \`GET /api/transactions\`. ${NO_VERDICT}`;

/** For a cancel, which completes a transaction that it does not find. */
export const CANCEL_REFUSED = `${NOT_TAKEN}40009: the \`referenceId\` belongs to another device: send an inquiry there. ${NO_VERDICT}`;

export function commonRefusals({ EXAMPLES, LOCAL_TIME }: Kit) {
  return {
    signature: { summary: "The signature is wrong", problem: signatureProblem(EXAMPLES.sale.request) },
    clock: LOCAL_TIME,
    device: { summary: "The device is not the account's", problem: NOT_BOUND },
    elsewhere: {
      summary: "The reference belongs to another device: 40009",
      code: 40009,
      problem: usedElsewhere("T-0001", false),
    },
  } as const;
}

export function refusals(kit: Kit) {
  return {
    ...commonRefusals(kit),
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
    forgotten: {
      summary: "The terminal no longer has the transaction: 40010",
      code: 40010,
      problem: FORGOTTEN_REFERENCE,
    },
    unnamed: {
      summary: "There is no transaction under the inquiry's own reference: 40004",
      code: 40004,
      problem: UNKNOWN_REFERENCE,
    },
  } as const;
}
