/** The frames on a terminal's socket, in words; those of the gateway have theirs with their schemas. */
import { FRAME_BYTES, HELLO_WITHIN, OPEN_REQUESTS } from "../../protocol/limits/connections.ts";
import { duration } from "../../time/duration.ts";
import { SIGNATURE } from "../../signing/signature.ts";
import { accepted, hello, progress, refused, result } from "../../terminal/frames.ts";
import * as gateway from "../gateway-frames.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { transactionDetails } from "../../transfer/responses.ts";
import { upTo } from "../../validation/described.ts";
import { type Component, made, taken } from "../json-schema.ts";
import { TERMINAL_FRAMES } from "../terminal-examples.ts";

const requestId = {
  description: "The request's number of ten digits, as the `request` has it.",
  examples: ["1000000042"],
};

const attempt = { description: "The attempt that it is about, as the frame of the gateway has it.", examples: [1] };

const signature = {
  description:
    "HMAC-SHA-256 over the RFC 8785 form of the frame without this member, keyed with the UTF-8 bytes of the terminal's " +
    "secret, in hexadecimal of either case.",
  pattern: SIGNATURE.source,
  examples: [TERMINAL_FRAMES.result.signature],
};

const softwareVersion = {
  description: "The version of the terminal's software. What is longer is cut.",
  maxLength: RESULT_LENGTHS.softwareVersion,
  examples: ["2.4.1"],
};

const terminalSn = {
  description: "The terminal's serial number. What is longer is cut.",
  maxLength: RESULT_LENGTHS.terminalSn,
  examples: ["SN-20417"],
};

/** What the gateway takes of a result's details: the members of an answer, but those that it knows itself. */
export const reportedDetails = transactionDetails
  .omit({ transId: true, metadata: true })
  .extend({
    entryMode: upTo(
      DETAIL_LENGTHS.entryMode,
      "How the card was read: Chip, Contactless, Magstripe, Fallback or Manual. `contact` is taken for Chip, and each in " +
        "any case. Anything else is dropped.",
      "contact",
    ),
    cvmType: upTo(
      DETAIL_LENGTHS.cvmType,
      "How the cardholder was verified: 00 not at all; 01 signature; 02 online PIN; 03 offline PIN; 04 on the " +
        "cardholder's own device. Anything else is dropped.",
      "00",
    ),
  })
  .partial()
  .meta({ description: "Details of the transaction. What is longer is cut; anything else in here is dropped." });

const TYPE = { description: "The kind of frame." };

export const terminalFrames: Record<string, Component> = {
  Hello: taken(
    hello,
    {
      type: TYPE,
      nonce: { description: "The `nonce` of this connection's `welcome`.", examples: [TERMINAL_FRAMES.hello.nonce] },
      softwareVersion,
      terminalSn,
      memory: {
        description:
          "A random id, drawn when the terminal's store was created, and kept with it: a terminal whose store is new says " +
          "another one.",
        examples: ["6f1c2d3e-4b5a-4978-8c6d-0e1f2a3b4c5d"],
      },
      open: {
        description:
          "The requestIds that the terminal has accepted, and whose `00` or `11` is not acknowledged. At most " +
          `${OPEN_REQUESTS}.`,
        examples: [["1000000042"]],
      },
      signature,
    },
    {
      description:
        `The answer to \`welcome\`, within ${duration(HELLO_WITHIN)}. ` +
        "It makes this connection the terminal's current one, and closes every " +
        "earlier one.",
    },
  ),
  Accepted: taken(
    accepted,
    { type: TYPE, requestId, attempt },
    { description: "The request is stored durably, and nothing has been begun." },
  ),
  Refused: taken(
    refused,
    {
      type: TYPE,
      requestId,
      attempt,
      reason: {
        description:
          "busy: another request is at work. expired: read after `deliverBy`, or not higher than the highest that was ever " +
          "accepted. unsupported: a type or method that the terminal does not know. unbound: not of the account that it is " +
          "bound to. unknown: the answer to `ask` and `cancel` about a request that it does not hold.",
        examples: ["busy"],
      },
    },
    { description: "This attempt will not be begun." },
  ),
  Progress: taken(
    progress,
    {
      type: TYPE,
      requestId,
      stage: {
        description:
          "present: the customer is asked to present card or code. reading: it is being read. pin: the PIN is being entered. " +
          "scan: a code is being scanned. authorising: the host is being asked. printing: the receipt is being printed.",
        examples: ["authorising"],
      },
    },
    { description: "How far the transaction is. For the journal; not needed." },
  ),
  Result: taken(
    result,
    {
      type: TYPE,
      requestId,
      statusCode: {
        description:
          "`00`: money moved. `11`: nothing was taken and nothing will be, or its reversal is durably queued. `22`: not " +
          "known: as long as the payment may still become `00`.",
        examples: ["00"],
      },
      responseCode: {
        description: "The channel's own code. What is longer is cut.",
        maxLength: RESULT_LENGTHS.responseCode,
        examples: ["00"],
      },
      responseText: {
        description: "For the till's display. What is longer is cut.",
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
        "What became of the request. Kept until its `ack`, sent again after every `hello`, signed when it is sent.",
      required: ["type", "requestId", "statusCode", "responseCode", "softwareVersion", "terminalSn", "signature"],
    },
  ),
};

/** Parts of the terminal's frames. */
export const terminalParts: Record<string, Component> = {
  ReportedDetails: made(
    reportedDetails,
    {},
    {
      transAmt: { description: "Where it is named, that of the request; of a void, that of the voided transaction." },
      cashAmt: { description: "Where it is named, that of the request: the cash handed out, of a cashOut." },
      currency: { description: "Where it is named, that of the request." },
      transDateTime: {
        description:
          "When it was completed, in the account's local time: yyyy-MM-ddTHH:mm:ss. Left out, the time at which the result came.",
      },
      cardNo: {
        description: "The card number with its last four digits alone. Whatever comes, no other digit is kept.",
      },
      invNo: { description: "The terminal's running number. With a `00` not to be left out." },
      tid: { description: "The acquirer's id of the terminal. With a `00` not to be left out." },
      mid: { description: "The acquirer's id of the merchant. With a `00` not to be left out." },
    },
  ),
};

export const gatewayFrames: Record<string, Component> = {
  Welcome: made(gateway.welcomeFrame),
  Ready: made(gateway.readyFrame),
  Request: made(gateway.requestFrame),
  Ask: made(gateway.askFrame),
  Cancel: made(gateway.cancelFrame),
  Ack: made(gateway.ackFrame),
  Binding: made(gateway.bindingFrame),
  Error: made(gateway.errorFrame),
};

/** A frame's longest text, in KiB. */
export const FRAME_KIB = FRAME_BYTES / 1024;
