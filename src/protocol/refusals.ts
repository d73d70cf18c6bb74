/** Both the Worker and the terminal's object find these problems. */
import type { ErrorCode, InvalidRequestCode } from "./errors.ts";
import type { Problem } from "./problem.ts";
import type { TransactionType } from "./transfer-types.ts";
import type { EpochMs } from "./time/units.ts";

/** With `internal_server_error` the transfer could not be judged, and nothing was decided. */
export type RefusalCode = InvalidRequestCode | ErrorCode<"internal_server_error">;

/**
 * I6: a terminal that does not exist and another account's terminal get the same text. It is always the only problem:
 * other fields are checked only for the account's own terminals.
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
 * An inquiry that names no transaction is about its own reference. It never returns another transaction: a POS that
 * asks about a sale that never arrived would mistake another sale's approval for its own.
 */
export const UNKNOWN_REFERENCE: Problem = {
  path: "referenceId",
  message:
    "This device has no transaction with this referenceId; it may still arrive. To ask about another transaction, send " +
    "transData.referenceId or transData.transId.",
};

/**
 * 40009. Each text begins with the one thing that is always safe. A POS that takes the refusal for an unpaid sale
 * charges twice.
 *
 * @param isOpen whether the outcome of that transaction is unknown
 */
function used(ask: string, reason: string, isOpen: boolean): Problem {
  const open = isOpen ? " That transaction is still open: money may still move." : "";
  const message = `${ask} ${reason}${open} Use a new referenceId only for another transaction.`;
  return { path: "referenceId", message };
}

const ASK_FIRST = "Send an inquiry about this referenceId first.";

/** The reference belongs to a transaction with other terms on the same device. */
export function usedOtherwise(transType: TransactionType, requestId: number, isOpen: boolean): Problem {
  return used(ASK_FIRST, `It belongs to another ${transType} (number ${requestId}), with other terms.`, isOpen);
}

/** @param at when the same request came first */
export function usedLongAgo(at: EpochMs, isOpen: boolean): Problem {
  const day = new Date(at).toISOString().slice(0, 10);
  return used(ASK_FIRST, `It was used on ${day} (UTC), more than 24 hours ago.`, isOpen);
}

/** I1: this stops a cashier who tries the next terminal after a 22. */
export function usedElsewhere(deviceId: string, isOpen: boolean): Problem {
  return used(
    `Send an inquiry about this referenceId to device ${deviceId} first.`,
    "It belongs to that device.",
    isOpen,
  );
}

/**
 * The account has a transaction with this reference, but the terminal's journal has deleted it. 40010 for an inquiry, which
 * nothing but the account's list answers; 40009 for a message that is followed by an inquiry.
 */
export const FORGOTTEN_REFERENCE: Problem = used(
  "Look for this referenceId in GET /api/transactions first.",
  "It belongs to an old transaction that the terminal no longer has.",
  false,
);
