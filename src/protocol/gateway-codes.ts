/** The `responseCode`s of the answers that the gateway makes itself, each with its status and its `responseText`. */
import type { StatusCode } from "./status-codes.ts";

export const GATEWAY_CODES = {
  TERMINAL_OFFLINE: {
    statusCode: "11",
    responseText: "The terminal is not connected. Nothing was sent to it; check the terminal and try again.",
  },
  TERMINAL_BUSY: {
    statusCode: "11",
    responseText: "The terminal is busy. Nothing was started; try again when it is free.",
  },
  NOT_DELIVERED: {
    statusCode: "11",
    responseText: "The terminal did not receive the request. Nothing was charged; try again.",
  },
  TERMINAL_REFUSED: {
    statusCode: "11",
    responseText: "The terminal refused the request. Nothing was charged; check the terminal.",
  },
  CANCELLED: { statusCode: "11", responseText: "The transaction was cancelled. Nothing was charged." },
  CHANNEL_INACTIVE: {
    statusCode: "11",
    responseText: "The payment channel is not available for this currency. Choose another one.",
  },
  TRANSACTION_NOT_FOUND: {
    statusCode: "11",
    responseText: "This device has no sale or cash out of this account with that transId. Nothing was voided.",
  },
  NOT_VOIDABLE: {
    statusCode: "11",
    responseText: "The transaction cannot be voided as it stands. Ask for its status with an inquiry.",
  },
  ALREADY_VOIDED: { statusCode: "11", responseText: "The transaction has been voided before. Nothing was changed." },
  TERMINAL_TIMEOUT: {
    statusCode: "22",
    responseText: "The terminal has not answered in time. Ask again with the same referenceId; do not charge again.",
  },
  TERMINAL_LOST: {
    statusCode: "22",
    responseText: "The connection to the terminal is lost. Ask again with the same referenceId; do not charge again.",
  },
  IN_PROGRESS: {
    statusCode: "22",
    responseText: "The transaction is still running. Ask again with the same referenceId.",
  },
  UNCONFIRMED: {
    statusCode: "22",
    responseText:
      "The terminal could not confirm the outcome. Check the terminal and the operator; do not charge again.",
  },
} as const satisfies Record<string, { statusCode: StatusCode; responseText: string }>;

/** Says why a terminal is `TERMINAL_BUSY` that has too many unsettled transactions. */
export const TOO_MANY_UNSETTLED =
  "This terminal has too many open payments. Nothing was started; have the open ones cleared up first.";

export type GatewayCode = keyof typeof GATEWAY_CODES;

/** The `responseCode` of what the operator settled: 00 or 11, and the operator's reason as `responseText`. */
export const RESOLVED = "RESOLVED";
