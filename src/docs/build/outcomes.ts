/** The answers that the gateway makes itself, for people: what happened, whether money moved, what a till does next. */
import { GATEWAY_CODES, type GatewayCode } from "../../protocol/gateway-codes.ts";

import { figure } from "./figures.ts";

interface Meaning {
  happened: string;
  next: string;
}

const NEW_REFERENCE = "A new try takes a new `referenceId`.";
const SAME_AGAIN = "Send the same request again: the terminal is asked.";

/** Complete by its type: a new code of the gateway does not compile until it is explained here. */
const MEANINGS: Record<GatewayCode, Meaning> = {
  TERMINAL_OFFLINE: {
    happened:
      "The terminal is not connected; if its connection had only just ended, it did not come back within " +
      `${figure("QUEUE_WAIT")}. Nothing was sent.`,
    next: `Have a look at the terminal's power and network. ${NEW_REFERENCE}`,
  },
  TERMINAL_BUSY: {
    happened:
      `The terminal was at work for somebody else for ${figure("QUEUE_WAIT")}, ${figure("QUEUE_LENGTH")} requests were ` +
      "waiting already, the terminal said that it is busy, the request reached it too late in its life, or " +
      `${figure("UNSETTLED_TRANSACTIONS")} of its payments are open. Nothing was started.`,
    next:
      `Wait until the terminal is free. ${NEW_REFERENCE} Where \`responseText\` speaks of open payments, have those ` +
      "cleared up first.",
  },
  NOT_DELIVERED: {
    happened: "The request was sent, and the terminal has proved that it never took it.",
    next: NEW_REFERENCE,
  },
  TERMINAL_REFUSED: {
    happened: "The terminal refused it: read too late, a type that it does not know, or not its account's.",
    next: `Have a look at the terminal's clock, binding and software. ${NEW_REFERENCE}`,
  },
  CANCELLED: {
    happened:
      "Cancelled before it was sent (by a cancel, as its last asker had hung up, or as the account was suspended), or " +
      "proved not to have started. Also: this reference was cancelled or asked about before its request arrived, and will " +
      "never be carried out.",
    next: NEW_REFERENCE,
  },
  CHANNEL_INACTIVE: {
    happened: "The wallet that `paymentChannel` names is switched off, or does not take the account's currency.",
    next: "Offer another one: `GET /api/ewallet-channels`. " + NEW_REFERENCE,
  },
  TRANSACTION_NOT_FOUND: {
    happened: "A void: this device has no sale or cashOut of this account with that `transId`. Nothing was voided.",
    next: "Compare `transId` and `deviceId` with the answer of the sale. " + NEW_REFERENCE,
  },
  NOT_VOIDABLE: {
    happened: "A void: the transaction was not approved, is still open, or another void of it is. Nothing was voided.",
    next: "Send an inquiry about the sale: its `statusCode` and `voidStatus` say what is the matter.",
  },
  ALREADY_VOIDED: {
    happened: "A void: an earlier void of this transaction was approved. This one changed nothing.",
    next: "Nothing: the money went back with the earlier one.",
  },
  TERMINAL_TIMEOUT: {
    happened: "The request's life is over. The terminal is connected and has not said how it ended.",
    next: SAME_AGAIN,
  },
  TERMINAL_LOST: {
    happened: "The request's life is over, and the terminal is not connected.",
    next: `${SAME_AGAIN} Its result comes when it is back.`,
  },
  IN_PROGRESS: {
    happened: "It is still running; or you chose a shorter wait; or the gateway could not reach its own store.",
    next: "Send the same request again: it joins the one that runs.",
  },
  UNCONFIRMED: {
    happened:
      "What the terminal has said does not settle it: another amount than the one asked for, or it has lost its memory. " +
      "Answered at once, however often it is asked.",
    next: "Show it to the cashier as open, look at the terminal, call the operator, who settles it. Do not charge again.",
  },
};

const MONEY = { "00": "**Yes**", "11": "**No**", "22": "**Not known yet**" };

/** A Markdown table of every code that the gateway itself makes. */
export function outcomesTable(): string {
  const rows = Object.entries(MEANINGS).map(([code, { happened, next }]) => {
    const { statusCode } = GATEWAY_CODES[code as GatewayCode];
    return `| \`${statusCode}\`<br>\`${code}\` | ${happened} | ${MONEY[statusCode]} | ${next} |`;
  });
  const resolved =
    "| `00` or `11`<br>`RESOLVED` | The operator has settled it; `responseText` is the reason. | As `statusCode` says | " +
    "Nothing; it is final. |";
  return [
    "| statusCode, responseCode | What happened | Did money move? | What the till does next |",
    "| --- | --- | --- | --- |",
    ...rows,
    resolved,
    "",
  ].join("\n");
}

/** The sentences that `responseText` holds, by code, as a Markdown table. */
export function textsTable(): string {
  const rows = Object.entries(GATEWAY_CODES).map(([code, { responseText }]) => `| \`${code}\` | ${responseText} |`);
  return ["| responseCode | responseText |", "| --- | --- |", ...rows, ""].join("\n");
}
