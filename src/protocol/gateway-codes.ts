import type { StatusCode } from "./status-codes.ts";

export const GATEWAY_CODES = {
  TERMINAL_OFFLINE: {
    statusCode: "11",
    responseText: "The terminal is not connected. Nothing was charged. Check the terminal and try again.",
  },
  TERMINAL_BUSY: {
    statusCode: "11",
    responseText: "The terminal is busy. Nothing was charged. Try again when it is free.",
  },
  NOT_DELIVERED: {
    statusCode: "11",
    responseText: "The terminal did not receive the request. Nothing was charged. Try again.",
  },
  TERMINAL_REFUSED: {
    statusCode: "11",
    responseText: "The terminal refused the request. Nothing was charged. Check the terminal.",
  },
  CANCELLED: { statusCode: "11", responseText: "The transaction was cancelled. Nothing was charged." },
  CHANNEL_INACTIVE: {
    statusCode: "11",
    responseText: "The payment channel is not available for this currency. Choose another channel.",
  },
  TRANSACTION_NOT_FOUND: {
    statusCode: "11",
    responseText: "This device has no sale or cash out with this transId. Nothing was voided.",
  },
  NOT_VOIDABLE: {
    statusCode: "11",
    responseText: "This transaction cannot be voided. Check its status with an inquiry.",
  },
  ALREADY_VOIDED: { statusCode: "11", responseText: "The transaction is already voided. Nothing was changed." },
  TERMINAL_TIMEOUT: {
    statusCode: "22",
    responseText: "The terminal did not answer in time. Ask again with the same referenceId. Do not charge again.",
  },
  TERMINAL_LOST: {
    statusCode: "22",
    responseText: "The connection to the terminal was lost. Ask again with the same referenceId. Do not charge again.",
  },
  IN_PROGRESS: {
    statusCode: "22",
    responseText: "The transaction is in progress. Ask again with the same referenceId.",
  },
  UNCONFIRMED: {
    statusCode: "22",
    responseText:
      "The terminal could not confirm the outcome. Check the terminal and ask the operator. Do not charge again.",
  },
} as const satisfies Record<string, { statusCode: StatusCode; responseText: string }>;

/** The text of `TERMINAL_BUSY` when the terminal has too many pending transactions. */
export const TOO_MANY_PENDING = "This terminal has too many pending payments. Nothing was charged. Ask the operator.";

/** The text of `TERMINAL_BUSY` when a payment of the same account is open at the terminal: at most 128 characters. */
export function busyWith(referenceId: string): string {
  return `The terminal is busy with payment ${referenceId}. Nothing was charged. Finish or cancel that payment, then try again.`;
}

/** The same for a payment of another account, which is not named. */
export const BUSY_WITH_ANOTHER =
  "The terminal is busy with another payment. Nothing was charged. Try again when it has ended.";

/** The text of `IN_PROGRESS` of a transaction that waits for that payment: at most 128 characters. */
export function waitsFor(referenceId: string): string {
  return `Waiting: payment ${referenceId} is open at the terminal. Finish or cancel it. Ask again with the same referenceId.`;
}

export type GatewayCode = keyof typeof GATEWAY_CODES;

/** Of a transaction that the operator resolved as 00 or 11; the operator's reason is the `responseText`. */
export const RESOLVED = "RESOLVED";
