/** The answers with HTTP status 200 (parts 2.10 and 2.11 of the interface). */
import * as z from "zod";
import { API_VERSIONS } from "../api-version.ts";
import { GATEWAY_CODES, RESOLVED } from "../gateway-codes.ts";
import { DETAIL_LENGTHS, POS_ID_LENGTH, RESULT_LENGTHS, TERMINAL_ID_LENGTH, TRANSFER_LENGTHS } from "../lengths.ts";
import { CVM_TYPES, ENTRY_MODES } from "../payment-methods.ts";
import { STATUS_CODES } from "../status-codes.ts";
import { AMOUNT, TRANSACTION_NUMBER } from "../transactions.ts";
import { QUESTION_TYPES, TRANSACTION_TYPES } from "../transfer-types.ts";
import { CURRENCY, object, patternField, signatureField, boundedField } from "./fields.ts";

/** Cut to its maximum length. */
function reported(name: keyof typeof DETAIL_LENGTHS, description: string, example: string): z.ZodString {
  return boundedField(DETAIL_LENGTHS[name], description, example);
}

export const statusCode = z.literal(STATUS_CODES).meta({
  description:
    "`00`: money moved. `11`: no money moved and none will; a new attempt with a new `referenceId` is safe. `22`: " +
    "pending; send the same request again (after 24 hours an inquiry), never one with a new `referenceId`; with " +
    "`UNCONFIRMED` as `responseCode`, stop and ask the operator. A `22` becomes `00` or `11` once. `00` and `11` never " +
    "change.",
});

const transactionNumber = patternField(
  TRANSACTION_NUMBER,
  "The transaction's number; of a void, that of the voided transaction.",
  "1000000042",
);

export const amount = z.string().regex(AMOUNT);

const currency = patternField(CURRENCY, "The account's currency, ISO 4217.", "MYR");

export const transactionDetails = object(
  "Details of a transaction. A payment by wallet has none of the fields that only cards have.",
  {
    transId: transactionNumber,
    paymentChannel: reported("paymentChannel", "The card scheme or the wallet.", "VISA"),
    transAmt: amount.meta({
      description: "The amount; of a void, that of the voided transaction.",
      examples: ["12.50"],
    }),
    cashAmt: amount.optional().meta({ description: "The cash paid out by a cashOut.", examples: ["50.00"] }),
    transDateTime: z
      .string()
      .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$/)
      .meta({
        description:
          "When it was completed, in the account's local time: yyyy-MM-ddTHH:mm:ss. Of a response of the gateway that is " +
          "still a `22`: when it was received.",
        examples: ["2026-11-20T10:15:42"],
      }),
    currency,
    cardNo: reported(
      "cardNo",
      "The masked card number: all but its last four digits are x.",
      "xxxxxxxxxxxx1234",
    ).optional(),
    invNo: reported("invNo", "The terminal's running number; empty if it gave none.", "000042"),
    batchNo: reported("batchNo", "The batch; may be empty.", "000007").optional(),
    tid: reported("tid", "The acquirer's id of the terminal; empty if it gave none.", "20000001"),
    mid: reported("mid", "The acquirer's id of the merchant; empty if it gave none.", "300000000000001"),
    entryMode: z
      .enum(ENTRY_MODES)
      .optional()
      .meta({ description: "How the card was read.", examples: ["Contactless"] }),
    rrn: reported("rrn", "The retrieval reference number.", "632410000042").optional(),
    apprCode: reported("apprCode", "The approval number.", "A1B2C3").optional(),
    tvr: reported("tvr", "EMV terminal verification results.", "0000008000").optional(),
    appCrypt: reported("appCrypt", "EMV application cryptogram.", "9F2608A1B2C3D4E5").optional(),
    aid: reported("aid", "EMV application id.", "A0000000031010").optional(),
    cvmType: z
      .enum(CVM_TYPES)
      .optional()
      .meta({
        description:
          "How the cardholder was verified: 00 not at all; 01 signature; 02 online PIN; 03 offline PIN; 04 on the " +
          "cardholder's own device.",
        examples: ["00"],
      }),
    cardLabel: reported("cardLabel", "The card's label.", "VISA CREDIT").optional(),
    cardHoldersName: reported("cardHoldersName", "The cardholder's name.", "A CARDHOLDER").optional(),
    metadata: boundedField(TRANSFER_LENGTHS.metadata, "As in the request.", "basket 42").optional(),
  },
);

const GATEWAYS = Object.entries(GATEWAY_CODES).map(([responseCode, own]) => ({
  statusCode: own.statusCode,
  responseCode,
  responseText: own.responseText,
}));

/** The operator chooses status and reason. */
const RESOLVES = { statusCode: ["00", "11"], responseCode: RESOLVED, responseText: "The operator's reason." };

export const transferAnswer = z.object({
  transType: z.enum([...TRANSACTION_TYPES, ...QUESTION_TYPES, "cancel"]),
  posId: boundedField(POS_ID_LENGTH, "As in the request.", "POS-1001"),
  deviceId: boundedField(TERMINAL_ID_LENGTH, "As in the request.", "T-1001"),
  referenceId: boundedField(TRANSFER_LENGTHS.referenceId, "As in the request.", "20261120-0042"),
  statusCode,
  responseCode: boundedField(
    RESULT_LENGTHS.responseCode,
    "The channel's own code, or one of the gateway's.",
    "00",
  ).meta({
    "x-gateway-codes": [...GATEWAYS, RESOLVES],
  }),
  responseText: boundedField(
    RESULT_LENGTHS.responseText,
    "What happened and what to do, in a sentence for the POS's display.",
    "Approved",
  ).optional(),
  softwareVersion: boundedField(
    RESULT_LENGTHS.softwareVersion,
    "The terminal's software, as it last reported it; `unknown` if it never did.",
    "2.4.1",
  ),
  terminalSn: boundedField(
    RESULT_LENGTHS.terminalSn,
    "The terminal's serial number, as it last reported it; `unknown` if it never did.",
    "SN-20417",
  ),
  transData: transactionDetails.optional(),
  originalTransType: z
    .enum(TRANSACTION_TYPES)
    .optional()
    .meta({ description: "The type of the transaction that the response is about." }),
  originalReferenceId: boundedField(
    TRANSFER_LENGTHS.referenceId,
    "The reference of the transaction that the response is about. Compare it before you trust the rest.",
    "20261120-0042",
  ).optional(),
  openReferenceId: boundedField(
    TRANSFER_LENGTHS.referenceId,
    "The account's payment that was open at the terminal, for which the transaction waited or was refused as busy. If the " +
      "POS knows it, it can offer its cancel.",
    "20261120-0041",
  ).optional(),
  voidStatus: z
    .literal(["00", "22"])
    .optional()
    .meta({ description: "The transaction has a void that is approved (`00`) or open (`22`)." }),
  apiVersion: z.enum(API_VERSIONS).meta({ description: "The version of this message." }),
  signature: signatureField("response", "the key that verified the request"),
});

export const transactionResponse = transferAnswer
  .omit({ originalTransType: true, originalReferenceId: true, voidStatus: true })
  .extend({
    transType: z.enum([...TRANSACTION_TYPES, "cancel"]).meta({
      description: "The type of the transaction; `cancel` if a transaction was cancelled before it arrived.",
    }),
  })
  .meta({ description: "The outcome of a transaction." });

export const inquiryResponse = transferAnswer
  .extend({ transType: z.enum(QUESTION_TYPES).meta({ description: "As in the request." }) })
  .meta({ description: "The status, codes, versions and details of the transaction that was asked about." });
