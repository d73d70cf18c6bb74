/** The descriptions of a terminal's frames. Those of the gateway's frames are in their schemas. */
import type * as z from "zod";
import { HELLO_WITHIN, OPEN_REQUESTS } from "../../protocol/limits.ts";
import { duration } from "../../protocol/time/duration.ts";
import { SIGNATURE } from "../../protocol/signing/signature.ts";
import { accepted, hello, progress, refused, result } from "../../protocol/terminal-frames.ts";
import * as gateway from "../../protocol/schemas/frames.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { transactionDetails } from "../../protocol/schemas/transfers.ts";
import { boundedField } from "../../protocol/schemas/fields.ts";
import {
  type Component,
  type JsonSchema,
  requestSchema,
  withExamples,
  buildSchemas,
} from "../../gateway/http/openapi/json-schema.ts";
import { TERMINAL_FRAMES } from "../../gateway/http/openapi/terminal-examples.ts";

const requestId = withExamples("The ten-digit number of the request.", "1000000042");

const attempt = withExamples("The attempt, from the gateway's frame.", 1);

const signature = {
  description:
    "HMAC-SHA-256 over the RFC 8785 form of the frame without this field, keyed with the UTF-8 bytes of the terminal's " +
    "secret, as hexadecimal digits in either case.",
  pattern: SIGNATURE.source,
  examples: [TERMINAL_FRAMES.result.signature],
};

const softwareVersion = {
  description: "The version of the terminal's software. Longer strings are truncated.",
  maxLength: RESULT_LENGTHS.softwareVersion,
  examples: ["2.4.1"],
};

const terminalSn = {
  description: "The terminal's serial number. Longer strings are truncated.",
  maxLength: RESULT_LENGTHS.terminalSn,
  examples: ["SN-20417"],
};

/** The details that the gateway accepts in a result: the members of an answer that come from the terminal. */
const reportedDetails = transactionDetails
  .omit({ transId: true, metadata: true })
  .extend({
    entryMode: boundedField(
      DETAIL_LENGTHS.entryMode,
      "How the card was read: Chip, Contactless, Magstripe, Fallback or Manual, in any case. `contact` counts as Chip. " +
        "Other values are dropped.",
      "contact",
    ),
    cvmType: boundedField(
      DETAIL_LENGTHS.cvmType,
      "How the cardholder was verified: 00 not at all; 01 signature; 02 online PIN; 03 offline PIN; 04 on the " +
        "cardholder's own device. Other values are dropped.",
      "00",
    ),
  })
  .partial()
  .meta({ description: "Details of the transaction. Longer strings are truncated, other fields dropped." });

const TYPE = { description: "The kind of frame." };

const terminalFrames: Record<string, Component> = {
  Hello: requestSchema(
    hello,
    {
      type: TYPE,
      nonce: withExamples("The `nonce` of this connection's `welcome`.", TERMINAL_FRAMES.hello.nonce),
      softwareVersion,
      terminalSn,
      memory: withExamples(
        "A random id, created with the terminal's store and kept with it. A new store has a new id.",
        "6f1c2d3e-4b5a-4978-8c6d-0e1f2a3b4c5d",
      ),
      open: withExamples(
        `The accepted requestIds whose \`00\` or \`11\` is not acknowledged yet. At most ${OPEN_REQUESTS}: ` +
          "if there are more, the newest.",
        ["1000000042"],
      ),
      signature,
    },
    {
      description:
        `The reply to \`welcome\`, within ${duration(HELLO_WITHIN)}. ` +
        "Makes this connection the terminal's current one and closes every earlier one.",
    },
  ),
  Accepted: requestSchema(
    accepted,
    { type: TYPE, requestId, attempt },
    { description: "The request is durably stored and not started yet." },
  ),
  Refused: requestSchema(
    refused,
    {
      type: TYPE,
      requestId,
      attempt,
      reason: withExamples(
        "busy: another accepted request is in progress. expired: it is after `deliverBy` or `respondBy`, or the requestId is " +
          "unknown and not higher than the highest accepted. unsupported: the terminal does not support the `transType`. " +
          "unbound: `posId` or `merchantId` is not the binding's. unknown: the answer to an `ask` or `cancel` about an " +
          "unknown request.",
        "busy",
      ),
    },
    { description: "The terminal will not start this attempt." },
  ),
  Progress: requestSchema(
    progress,
    {
      type: TYPE,
      requestId,
      stage: withExamples(
        "present: waiting for card or code. reading: reading it. pin: waiting for the PIN. scan: scanning a code. " +
          "authorising: waiting for the host. printing: printing the receipt.",
        "authorising",
      ),
    },
    { description: "How far the transaction is. For the journal; not needed." },
  ),
  Result: requestSchema(
    result,
    {
      type: TYPE,
      requestId,
      statusCode: withExamples(
        "`00`: money moved. `11`: no money moved and none will, or its reversal is durably queued. `22`: not " +
          "known yet; the payment may still become `00`.",
        "00",
      ),
      responseCode: {
        description: "The channel's code. Longer strings are truncated.",
        maxLength: RESULT_LENGTHS.responseCode,
        examples: ["00"],
      },
      responseText: {
        description: "For the POS's display. Longer strings are truncated.",
        maxLength: RESULT_LENGTHS.responseText,
        examples: ["Approved"],
      },
      softwareVersion,
      terminalSn,
      transData: { $ref: "#/components/schemas/ReportedDetails" },
      signature,
    },
    {
      description:
        "The outcome of the request. Kept until its `ack`, sent again after every `hello`, signed when it is sent.",
      required: ["type", "requestId", "statusCode", "responseCode", "softwareVersion", "terminalSn", "signature"],
    },
  ),
};

const terminalParts: Record<string, Component> = {
  ReportedDetails: {
    schema: reportedDetails,
    members: {
      transAmt: { description: "If present, the amount of the request; for a void, of the voided transaction." },
      cashAmt: { description: "If present, the cash amount of the request. For a cashOut only." },
      currency: { description: "If present, the currency of the request." },
      transDateTime: {
        description:
          "When it was completed, in the account's local time: yyyy-MM-ddTHH:mm:ss. Default: when the gateway received the result.",
      },
      cardNo: {
        description: "The card number, masked except for the last four digits. The gateway stores no other digit.",
      },
      invNo: { description: "The terminal's running number. Required with `00`." },
      tid: { description: "The acquirer's id of the terminal. Required with `00`." },
      mid: { description: "The acquirer's id of the merchant. Required with `00`." },
    },
  },
};

const gatewayFrames: Record<string, z.ZodType> = {
  Welcome: gateway.welcomeFrame,
  Ready: gateway.readyFrame,
  Request: gateway.requestFrame,
  Ask: gateway.askFrame,
  Cancel: gateway.cancelFrame,
  Ack: gateway.ackFrame,
  Binding: gateway.bindingFrame,
  Error: gateway.errorFrame,
};

/** Of all frames and their parts, by name. */
export function frameSchemas(): Record<string, JsonSchema> {
  return {
    ...buildSchemas(gatewayFrames, "output"),
    ...buildSchemas(terminalParts, "output"),
    ...buildSchemas(terminalFrames, "input"),
  };
}

/** Makes the document at `/frames.json`: a frame is one of these. */
export function framesDocument(): JsonSchema {
  const schemas = JSON.stringify(frameSchemas()).replaceAll("#/components/schemas/", "#/$defs/");
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Frame",
    description: "A frame between a payment terminal and the gateway. Its `type` says which.",
    oneOf: Object.keys({ ...gatewayFrames, ...terminalFrames }).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: JSON.parse(schemas) as JsonSchema,
  };
}
