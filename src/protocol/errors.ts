/** Error responses (part 7 of the interface). */
import type { FrameError } from "./frames.ts";

/** The names of errors and their codes: the HTTP status times 100, plus a number for a special case. */
export const ERROR_CODES = {
  /**
   * 40004: no such transaction. 40009: the `referenceId` was used before. 40010: an inquiry about a transaction that the
   * terminal no longer has.
   */
  invalid_request: [40000, 40004, 40009, 40010],
  unauthorized: [40100],
  forbidden: [40300],
  not_found: [40400],
  method_not_allowed: [40500],
  conflict: [40900],
  rate_limit_exceeded: [42900],
  internal_server_error: [50000],
} as const;

export type ErrorName = keyof typeof ERROR_CODES;

export type ErrorCode<Name extends ErrorName = ErrorName> = (typeof ERROR_CODES)[Name][number];
export type InvalidRequestCode = ErrorCode<"invalid_request">;

/** Undefined for a number that is no code of an error. */
export function findErrorName(code: number): string | undefined {
  return Object.entries(ERROR_CODES).find(([, codes]) => codes.some((one) => one === code))?.[0];
}

/**
 * What a person is shown. A POS that takes a 40009 or a 40004 for an unpaid sale charges twice, so these texts say
 * first what to do about the money, and never to change a field: whoever changes the `referenceId` charges again.
 */
export const INVALID_MESSAGES: Readonly<Record<InvalidRequestCode, string>> = {
  40000: "The request is invalid. Fix every field listed in details.",
  40004:
    "Send an inquiry with transData.referenceId. This device has no such transaction. Money may have moved. " +
    "Do not charge again before you know the outcome.",
  40009: "This referenceId was used before. Money may have moved. Send an inquiry. Do not charge again.",
  40010:
    "Look for this referenceId in GET /api/transactions. Money may have moved. Do not charge again. The terminal no " +
    "longer has this transaction, so another inquiry finds nothing either.",
};

/** Has a section for every error, of a response or a frame; the section's id is the code. */
export const ERROR_PAGE = "/docs/errors";

/**
 * Links to the gateway that was called, so a person can open the error's section from a log.
 *
 * @param url the request's URL. Only its origin is used: a path may hold an id, and a query a cursor.
 */
export function linkToError(code: ErrorCode | FrameError, url: string): string {
  return `${new URL(url).origin}${ERROR_PAGE}#${code}`;
}
