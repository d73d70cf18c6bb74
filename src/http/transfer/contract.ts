/** The contract of transfers. Only the build of the site reads it. */
import * as members from "../openapi/signed.ts";
import * as z from "zod";
import { type Component, type JsonSchema, requestSchema } from "../../contracts/json-schema.ts";
import {
  cancelRequest,
  cashOutPayment,
  cashOutRequest,
  channelName,
  getLastRequest,
  inquiryRequest,
  question,
  salePayment,
  saleRequest,
  TRANSFER_REQUESTS,
  voiding,
  voidRequest,
} from "./requests.ts";
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

const NOTHING = { enum: [null, ""] };
const { $schema: _dialect, ...CHANNEL_NAME } = z.toJSONSchema(channelName);

const signedMembers = {
  posId: { description: "The account of the access token.", examples: ["POS-0001"] },
  deviceId: {
    description: "The terminal's unique id. An account may have several terminals.",
    examples: ["T-0001"],
  },
  referenceId: {
    description:
      "The till's own reference, unique for each transaction. It makes the request safe to repeat: the gateway processes " +
      "one reference at most once, no matter how often and to which device you send it.",
    examples: ["R-20261120-0001"],
  },
  datetime: members.at("message", "20261120T021500", "A new transaction is accepted within"),
  signature: members.signature(members.ACCOUNT_KEY, EXAMPLES.sale.request.signature),
};

const head = {
  ...signedMembers,
  merchantId: { description: "The account's merchant, as the operator assigned it.", examples: ["M-1000"] },
  referenceLabel: {
    description: "Printed on the receipt before the reference. Default: `POS Ref`.",
    examples: ["Table 7"],
  },
  apiVersion: { description: "The version of this message.", examples: ["v1"] },
};

const common = {
  productIndex: { description: "The till's own category: 1 to 10, as a string.", examples: ["3"] },
  promoSale: {
    description: "A promotion. Cards that do not take part in it are declined.",
    examples: ["01"],
  },
  printCount: {
    description:
      "Copies of the receipt. 0: none. 1: the merchant's. 2 (the default): the merchant's and the customer's.",
    examples: [2],
  },
  metadata: {
    description: "Data of the till, returned in the answer. Card numbers in it are masked.",
    examples: ["basket 42"],
  },
};

const note = {
  description: "Printed in the remarks of the receipt. Card numbers in it are masked.",
  examples: ["No onions"],
};

const transAmt = {
  description: 'The amount: a string with two decimals and a dot, from "0.01" to "999999999.99".',
  examples: ["12.50"],
};

const transId = {
  description: "The ten digits of a `transId` from an answer, as string or number.",
  examples: ["1000000042"],
};

/** Only `qrCustScan` needs a wallet's name: with the other methods, the payment itself tells it. */
const CHANNEL_RULE = {
  oneOf: [
    {
      title: "By a wallet whose code the customer scans",
      properties: { paymentMethod: { const: "qrCustScan" }, paymentChannel: CHANNEL_NAME },
      required: ["paymentMethod", "paymentChannel"],
    },
    {
      title: "By card, or by a wallet whose code the merchant scans",
      properties: { paymentMethod: { enum: ["qrMerchScan", "bankCard"] } },
      required: ["paymentMethod"],
    },
  ],
};

/**
 * @param type the meaning of its `transType`
 * @param data the meaning of its `transData`
 */
function transferSchema(
  schema: (typeof TRANSFER_REQUESTS)[number],
  type: string,
  data: string,
  keywords: JsonSchema,
): Component {
  return { schema, members: { transType: { description: type }, transData: { description: data }, ...head }, keywords };
}

const requests: Record<string, Component> = {
  SaleData: requestSchema(
    salePayment,
    {
      transAmt,
      cashAmt: { description: "Only for a cashOut. `0.00` is ignored.", examples: ["0.00"] },
      paymentMethod: {
        description:
          "qrCustScan: the customer scans the merchant's QR code. qrMerchScan: the merchant scans the customer's. bankCard: " +
          "a credit, debit or prepaid card.",
        examples: ["bankCard"],
      },
      paymentChannel: {
        description:
          "The e-wallet's name from `GET /api/ewallet-channels`. Mandatory with qrCustScan, ignored with other methods.",
        examples: ["Touch 'n Go"],
      },
      note,
      ...common,
    },
    { description: "A purchase.", ...CHANNEL_RULE, examples: [EXAMPLES.sale.request.transData] },
  ),
  CashOutData: requestSchema(
    cashOutPayment,
    {
      transAmt,
      cashAmt: {
        description: "The cash to pay out, in the same form as `transAmt`. The card is charged the sum of both.",
        examples: ["50.00"],
      },
      paymentMethod: { description: "Only bankCard, for the domestic debit channel." },
      paymentChannel: { description: "Ignored: a cashOut is paid by card." },
      note,
      ...common,
    },
    { description: "A purchase with cash out.", examples: [EXAMPLES.cashOut.request.transData] },
  ),
  VoidData: requestSchema(
    voiding,
    {
      transId: {
        ...transId,
        description:
          "The `transId` of the sale or cashOut to void, of this account on this device: ten digits, as string or number.",
      },
      invNo: {
        description: "The terminal's running number of that transaction, for people. Only `transId` counts.",
        examples: ["000042"],
      },
      ...common,
    },
    { description: "Which transaction to void.", examples: [EXAMPLES.void.request.transData] },
  ),
  InquiryData: requestSchema(
    question,
    {
      transId: { ...transId, description: `${transId.description} Only of a sale or cashOut.` },
      referenceId: { description: "The reference of a transaction of any type.", examples: ["R-20261120-0001"] },
    },
    {
      description:
        "The transaction to ask about, named by one of the two. Without either: the one with the inquiry's own reference. A " +
        "named reference that has not arrived is completed as `11 CANCELLED`; an inquiry that names nothing completes nothing.",
      not: {
        properties: { transId: { not: NOTHING }, referenceId: { not: NOTHING } },
        required: ["transId", "referenceId"],
      },
      examples: [EXAMPLES.inquiry.request.transData],
    },
  ),
  SaleRequest: transferSchema(saleRequest, "A purchase.", "The purchase.", {
    description: "Charges a customer.",
    examples: [EXAMPLES.sale.request],
  }),
  CashOutRequest: transferSchema(cashOutRequest, "A purchase with cash out.", "The purchase and the cash.", {
    description: "Charges a customer and pays out cash.",
    examples: [EXAMPLES.cashOut.request],
  }),
  VoidRequest: transferSchema(voidRequest, "The reversal of an approved transaction.", "The transaction to void.", {
    description: "Returns the money of an approved sale or cashOut.",
    examples: [EXAMPLES.void.request],
  }),
  InquiryRequest: transferSchema(
    inquiryRequest,
    "A question about a transaction.",
    "The transaction to ask about. Optional.",
    {
      description: "Asks for the outcome of a transaction. Moves no money.",
      examples: [EXAMPLES.inquiry.request],
    },
  ),
  GetLastRequest: transferSchema(getLastRequest, "The last transaction that reached the terminal.", "Ignored.", {
    description: "Asks for the last transaction of this account that reached the terminal. Moves no money.",
    examples: [EXAMPLES.getLast.request],
  }),
  CancelRequest: requestSchema(
    cancelRequest,
    { ...signedMembers },
    {
      description: "Cancels the transaction with this reference, and no other. A cancel must not have a `transType`.",
      not: { properties: { transType: {} }, required: ["transType"] },
      examples: [EXAMPLES.cancel.request],
    },
  ),
};

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
      "`result` is a TransferAnswer. Ignore events and stages that you do not know.",
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
    description: "A transfer. `transType` determines the members of `transData`.",
    ...byType(
      Object.fromEntries(
        TRANSFER_REQUESTS.map(({ shape }) => {
          const type = shape.transType.value;
          return [type, `${type.charAt(0).toUpperCase()}${type.slice(1)}Request`];
        }),
      ),
    ),
  },
  TransferAnswer: {
    description: "The answer to a transaction, or to a question about one.",
    ...byType(
      Object.fromEntries(TRANSFER_TYPES.map((type) => [type, isQuestion(type) ? "AskingAnswer" : "TransactionAnswer"])),
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
  "The message was not accepted. `code` 40000: a member is invalid, the signature is wrong, the clock is off, or the " +
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
  requests,
  responses: {
    TransactionDetails: transactionDetails,
    TransactionAnswer: transactionAnswer.meta({ ...transactionAnswer.meta(), examples: [EXAMPLES.sale.answer] }),
    AskingAnswer: askingAnswer.meta({ ...askingAnswer.meta(), examples: [EXAMPLES.inquiry.answer] }),
  },
  operations: {
    "POST /api/transfer": {
      operationId: "transfer",
      summary: "Send a transfer",
      description: [
        "Charges, voids or asks, depending on `transType`. The answer arrives when the outcome is known, at the latest when " +
          `the request's life of ${DEFAULT_REQUEST_SECONDS} seconds (\`REQUEST_SECONDS\`) is over, always with HTTP status ` +
          "200 and a `statusCode`:",
        "- `00`: money moved.\n" +
          "- `11`: no money moved and none will. A new attempt with a new `referenceId` is safe.\n" +
          "- `22`: not known yet. Send the same request again until it is `00` or `11`. Never use a new `referenceId`.",
        "**Sending again is safe.** The same request (`referenceId`, `transType`, amounts, `paymentMethod`, `paymentChannel` and " +
          "`transId` are equal) joins the transaction in progress, asks the terminal about a pending one, or returns the stored " +
          "answer, with `Idempotent-Replayed: true`. With other terms, on another device, or after more than " +
          `${duration(REPLAY_LIFE)}, it gets a 400 with code 40009. Then send an \`inquiry\` that names the \`referenceId\`, and do not ` +
          "charge again before you know the outcome. After a time-out, a broken connection or a 500, send the same request again.",
        "**Follow it live** with `Accept: text/event-stream`. An answer with status 200 is then a stream of " +
          "[server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html): an event `stage` for each stage " +
          `as the transaction reaches it (${TRANSFER_STAGES.map((stage) => `\`${stage}\``).join(", ")}), a comment every ` +
          `${duration(COMMENT_EVERY)}, and at the end one event \`result\`, whose data is the signed answer, byte for byte as ` +
          "without a stream. Errors are JSON. A stream that ends without `result` is a broken connection: send the request " +
          "again.",
        "The answer is signed with the key that verified the request. Compare `posId`, `deviceId` and `referenceId` with " +
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
          description: "A signed answer. `statusCode` is the outcome, or `22` if it is not known yet.",
          schema: "TransferAnswer",
          examples: examplesOf("answer", TRANSFERS),
          headers: ["Idempotent-Replayed", "Preference-Applied"],
          otherTypes: { [EVENT_STREAM]: STAGES },
        },
      },
      refusals: {
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
          description: "A signed answer about the transaction.",
          schema: "TransactionAnswer",
          examples: examplesOf("answer", ["cancel"]),
          headers: ["Idempotent-Replayed", "Preference-Applied"],
        },
      },
      refusals: { 400: invalidRequest(CANCEL_REFUSED, COMMON) },
    },
  },
});
