/** Problems of a transfer that both the Worker and the terminal's object find. */
import type { ErrorCode, InvalidRequestCode } from "./errors.ts";
import type { Problem } from "./problem.ts";

/** The code of a refused transfer. `internal_server_error`: it could not be judged, and nothing was decided. */
export type RefusalCode = InvalidRequestCode | ErrorCode<"internal_server_error">;

/**
 * I6: the same text for a terminal that does not exist and for another account's terminal. Always the only problem: other
 * fields are checked only for the account's own terminals.
 */
export const NOT_BOUND: Problem = {
  path: "deviceId",
  message: "The account has no such terminal. Bind it first, or use one listed by GET /api/terminals.",
};

export const UNKNOWN_TRANS_ID: Problem = {
  path: "transData.transId",
  message: "This device has no sale or cashOut of this account with this transId. Send the transId of one.",
};

export const NO_TRANSACTION: Problem = {
  path: "deviceId",
  message: "No transaction of this account has reached this device.",
};

/**
 * An inquiry that names no transaction is about its own reference. It never returns another transaction: a till that asks
 * about a sale that never arrived would mistake another sale's approval for its own.
 */
export const UNKNOWN_REFERENCE: Problem = {
  path: "referenceId",
  message:
    "This device has no transaction with this referenceId; it may still arrive. To ask about another transaction, send " +
    "transData.referenceId or transData.transId.",
};

/** The account has a transaction with this reference, but the terminal's journal has deleted it. */
export const FORGOTTEN_REFERENCE: Problem = {
  path: "referenceId",
  message:
    "This referenceId belongs to an old transaction that the terminal no longer has. Send a new referenceId for a new transaction.",
};
