/** The gateway's own answers for people: what happened, whether money moved, what the till does next. */
import { GATEWAY_CODES, type GatewayCode } from "../../protocol/gateway-codes.ts";

import { figure } from "./figures.ts";

interface Meaning {
  happened: string;
  next: string;
}

const NEW_REFERENCE = "A new attempt needs a new `referenceId`.";
const SAME_AGAIN = `Send the same request again, after ${figure("REPLAY_LIFE")} an inquiry: the gateway asks the terminal.`;

/** Complete by its type: a new code of the gateway does not compile until it is explained here. */
const MEANINGS: Record<GatewayCode, Meaning> = {
  TERMINAL_OFFLINE: {
    happened:
      "The terminal is not connected. If its connection had just ended, it did not come back within " +
      `${figure("QUEUE_WAIT")}. Nothing was sent.`,
    next: `Check the terminal's power and network. ${NEW_REFERENCE}`,
  },
  TERMINAL_BUSY: {
    happened:
      `The terminal processed another transaction for ${figure("QUEUE_WAIT")}, ${figure("QUEUE_LENGTH")} requests were ` +
      "waiting already, the terminal refused the request as busy, too little of the request's life was left, or " +
      `${figure("UNRESOLVED_TRANSACTIONS")} of the terminal's payments are open. Nothing was started.`,
    next:
      `Wait until the terminal is free. ${NEW_REFERENCE} If \`responseText\` mentions open payments, have them completed ` +
      "first.",
  },
  NOT_DELIVERED: {
    happened: "The request was sent, and the terminal has proved that it never accepted it.",
    next: NEW_REFERENCE,
  },
  TERMINAL_REFUSED: {
    happened:
      "The terminal refused the request: it read it too late, does not support the type, or is bound to another account.",
    next: `Check the terminal's clock, binding and software. ${NEW_REFERENCE}`,
  },
  CANCELLED: {
    happened:
      "The transaction was cancelled before it was sent (by a cancel, because its last caller hung up, or because the " +
      "account was suspended), or the terminal has proved that it did not start it. Also: the reference was cancelled or " +
      "asked about before its request arrived, and is never processed.",
    next: NEW_REFERENCE,
  },
  CHANNEL_INACTIVE: {
    happened: "The wallet in `paymentChannel` is inactive, or does not support the account's currency.",
    next: "Offer another one from `GET /api/ewallet-channels`. " + NEW_REFERENCE,
  },
  TRANSACTION_NOT_FOUND: {
    happened: "A void: this device has no sale or cashOut of this account with that `transId`. Nothing was voided.",
    next: "Compare `transId` and `deviceId` with the answer to the sale. " + NEW_REFERENCE,
  },
  NOT_VOIDABLE: {
    happened:
      "A void: the transaction is not approved, is still open, or another void of it is open. Nothing was voided.",
    next: "Send an inquiry about the sale: its `statusCode` and `voidStatus` show the reason.",
  },
  ALREADY_VOIDED: {
    happened: "A void: an earlier void of this transaction was approved. This one changed nothing.",
    next: "Nothing. The earlier void returned the money.",
  },
  TERMINAL_TIMEOUT: {
    happened: "The request's life is over. The terminal is connected and has not reported the outcome.",
    next: SAME_AGAIN,
  },
  TERMINAL_LOST: {
    happened: "The request's life is over, and the terminal is not connected.",
    next: `${SAME_AGAIN} Its result arrives when it is back.`,
  },
  IN_PROGRESS: {
    happened: "It is still in progress, you chose a shorter wait, or the gateway could not reach its own record.",
    next: "Send the same request again: it joins the one in progress.",
  },
  UNCONFIRMED: {
    happened:
      "The terminal's report does not complete it: the amount differs from the request, or the terminal has lost its memory. " +
      "Every further request gets the same answer at once.",
    next: "Show the sale to the cashier as open, check the terminal, and call the operator, who resolves it. Do not charge again.",
  },
};

const MONEY = { "00": "**Yes**", "11": "**No**", "22": "**Not known yet**" };

/** A Markdown table of every code of the gateway. */
export function outcomesTable(): string {
  const rows = Object.entries(MEANINGS).map(([code, { happened, next }]) => {
    const { statusCode } = GATEWAY_CODES[code as GatewayCode];
    return `| \`${statusCode}\`<br>\`${code}\` | ${happened} | ${MONEY[statusCode]} | ${next} |`;
  });
  const resolved =
    "| `00` or `11`<br>`RESOLVED` | The operator has resolved it; `responseText` is the reason. | See `statusCode` | " +
    "Nothing. It is final. |";
  return [
    "| statusCode, responseCode | What happened | Did money move? | What the till does next |",
    "| --- | --- | --- | --- |",
    ...rows,
    resolved,
    "",
  ].join("\n");
}

/** A Markdown table of the codes with their `responseText`. */
export function textsTable(): string {
  const rows = Object.entries(GATEWAY_CODES).map(([code, { responseText }]) => `| \`${code}\` | ${responseText} |`);
  return ["| responseCode | responseText |", "| --- | --- |", ...rows, ""].join("\n");
}
