/** What is wrong with a transfer whose words do not depend on who finds out: the Worker or the terminal's object. */
import type { Problem } from "./problem.ts";

/**
 * I6: the same words for a terminal that is not there and for somebody else's. Always alone: what else is wrong is only
 * found out about a terminal that is there.
 */
export const NOT_BOUND: Problem = {
  path: "deviceId",
  message: "is not a terminal of this account; bind it first, or name one that GET /api/terminals lists",
};

export const UNKNOWN_TRANS_ID: Problem = {
  path: "transData.transId",
  message: "names no sale or cashOut of this account on this device",
};

export const NO_TRANSACTION: Problem = {
  path: "deviceId",
  message: "has no transaction of this account that has reached it",
};

/**
 * An inquiry that names nothing means its own reference. It is never shown another transaction: a till that asks about a
 * sale which never arrived would take somebody else's approval for its own.
 */
export const UNKNOWN_REFERENCE: Problem = {
  path: "referenceId",
  message:
    "has no transaction on this device, and it may still arrive; name the transaction you ask about with " +
    "transData.referenceId or transData.transId",
};

/** The account has a transaction under the reference, and the terminal's journal does not hold it any more. */
export const FORGOTTEN_REFERENCE: Problem = {
  path: "referenceId",
  message:
    "was used before, and its terminal has forgotten that transaction; take a new referenceId for a new transaction",
};
