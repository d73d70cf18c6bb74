import * as z from "zod";
import { FRAME_ERRORS } from "../frames.ts";
import {
  CHANNEL_NAME_LENGTH,
  MERCHANT_ID_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  TRANSFER_LENGTHS,
} from "../lengths.ts";
import { PAYMENT_METHODS } from "../payment-methods.ts";
import { STATUS_CODES } from "../status-codes.ts";
import { AMOUNT, TRANSACTION_NUMBER } from "../transactions.ts";
import { TRANSACTION_TYPES } from "../transfer-types.ts";
import { CURRENCY, exampleDoc, stringField, object, patternField, signatureField, boundedField } from "./fields.ts";

const requestId = patternField(
  TRANSACTION_NUMBER,
  "The ten-digit number of the request. The numbers of one terminal only increase.",
  "1000000042",
);

const attempt = z
  .int()
  .min(1)
  .meta({ description: "How often this request was sent, from 1.", examples: [1] });

const epochMilliseconds = (description: string): z.ZodInt =>
  z.int().meta({ description: `${description} Epoch milliseconds of the gateway's clock.`, examples: [1795169742000] });

const binding = {
  posId: boundedField(
    POS_ID_LENGTH,
    "The account that the terminal works for; null while it is unbound.",
    "POS-1001",
  ).nullable(),
  merchantId: boundedField(MERCHANT_ID_LENGTH, "The account's merchant, or null.", "M-1001").nullable(),
  currency: patternField(CURRENCY, "ISO 4217, or null.", "MYR").nullable(),
  timezone: stringField("IANA time zone name, or null.", "Asia/Kuala_Lumpur").nullable(),
};

export const welcomeFrame = object("The first frame on every connection.", {
  type: z.literal("welcome"),
  terminalId: boundedField(TERMINAL_ID_LENGTH, "The terminal that the token belongs to.", "T-1001"),
  ...binding,
  nonce: patternField(/^[A-Za-z0-9_-]{22}$/, "Return it in `hello`.", "bm9uY2Utb2Ytb25lLWNvbg"),
  serverTime: epochMilliseconds("The gateway's current time."),
  heartbeatSeconds: z
    .int()
    .min(1)
    .meta({ description: "How often the terminal sends the plain text `ping`, in seconds.", examples: [30] }),
});

export const readyFrame = object("The hello is valid: this connection is now the current one.", {
  type: z.literal("ready"),
});

export const requestFrame = object("A transaction to process.", {
  type: z.literal("request"),
  requestId,
  attempt,
  transType: z.enum(TRANSACTION_TYPES).meta({ description: "The type of the transaction." }),
  posId: boundedField(POS_ID_LENGTH, "The account that sends the request.", "POS-1001"),
  merchantId: boundedField(MERCHANT_ID_LENGTH, "Its merchant.", "M-1001"),
  referenceId: boundedField(TRANSFER_LENGTHS.referenceId, "The POS's reference, for the receipt.", "20261120-0042"),
  referenceLabel: boundedField(
    TRANSFER_LENGTHS.referenceLabel,
    "Printed before the reference. Default: `POS Ref`.",
    "Table 7",
  ).optional(),
  currency: patternField(CURRENCY, "ISO 4217.", "MYR"),
  transId: patternField(
    TRANSACTION_NUMBER,
    "The number of the transaction; for a void, of the transaction to void.",
    "1000000042",
  ),
  transData: object("The details, without missing and empty fields.", {
    transAmt: patternField(AMOUNT, "The amount. Not in a void.", "12.50").optional(),
    cashAmt: patternField(
      AMOUNT,
      "For a cashOut: the cash to pay out, charged in addition to `transAmt`.",
      "50.00",
    ).optional(),
    paymentMethod: z
      .enum(PAYMENT_METHODS)
      .optional()
      .meta({ description: "What the customer presents. Not in a void.", examples: ["bankCard"] }),
    paymentChannel: boundedField(CHANNEL_NAME_LENGTH, "The wallet, with qrCustScan.", "Touch 'n Go").optional(),
    transId: patternField(TRANSACTION_NUMBER, "The transaction to void. Only in a void.", "1000000041").optional(),
    invNo: boundedField(
      TRANSFER_LENGTHS.invNo,
      "The terminal's running number of the transaction to void, if the POS sent it. Only in a void.",
      "000041",
    ).optional(),
    productIndex: boundedField(TRANSFER_LENGTHS.productIndex, "The POS's category.", "3").optional(),
    promoSale: boundedField(
      TRANSFER_LENGTHS.promoSale,
      "A promotion. Decline cards that do not take part in it.",
      "01",
    ).optional(),
    note: boundedField(TRANSFER_LENGTHS.note, "Printed in the remarks.", "No onions").optional(),
    printCount: z
      .int()
      .min(0)
      .max(2)
      .optional()
      .meta({ description: "Copies of the receipt. Default: 2.", examples: [1] }),
    metadata: boundedField(
      TRANSFER_LENGTHS.metadata,
      "Data of the POS, which the gateway returns.",
      "basket 42",
    ).optional(),
  }),
  deliverBy: epochMilliseconds("Do not start the request if you read it after this time."),
  respondBy: epochMilliseconds("End the request by this time."),
  signature: signatureField("frame", "the terminal's secret"),
});

export const askFrame = object(
  "Asks for the outcome of a request. Answer immediately with the current `result`, or with `refused unknown`.",
  { type: z.literal("ask"), requestId, attempt },
);

export const cancelFrame = object(
  "Asks to stop a request. Answer with the `result` when the outcome is known, at `respondBy` at the latest, or with `refused unknown`.",
  { type: z.literal("cancel"), requestId, attempt },
);

export const ackFrame = object(
  "The result with this status is durably stored. Forget the request only after the ack of its `00` or `11`. An ack of " +
    "`22` only stops the retries of that 22. Ignore an ack whose status is not that of your stored result.",
  {
    type: z.literal("ack"),
    requestId,
    statusCode: z.literal(STATUS_CODES).meta({ description: "The status of the stored result.", examples: ["00"] }),
  },
);

export const bindingFrame = object("The terminal's binding, sent when it changes.", {
  type: z.literal("binding"),
  ...binding,
});

export const errorFrame = object("The gateway rejected a frame.", {
  type: z.literal("error"),
  code: z.enum(FRAME_ERRORS).meta({
    description:
      "bad_signature: the message has the length and the SHA-256 of the form that the gateway computed. With a requestId, " +
      "sign the result again and send it after 5 seconds, at most 5 times; without one it is about hello, and the " +
      "gateway closes the connection. unknown_request: the " +
      "gateway never sent this request, and has stored its `00` or `11`; forget it. bad_frame: log it.",
  }),
  message: stringField("For the log.", "The frame is not part of this protocol."),
  doc: z
    .url()
    .optional()
    .meta({
      description: "The link to the explanation of the code.",
      examples: [exampleDoc("bad_frame")],
    }),
  requestId: requestId.optional(),
});

export const gatewayFrame = z.discriminatedUnion("type", [
  welcomeFrame,
  readyFrame,
  requestFrame,
  askFrame,
  cancelFrame,
  ackFrame,
  bindingFrame,
  errorFrame,
]);
