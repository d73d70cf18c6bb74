/** Error responses (part 7 of the interface). */
import type { Problem } from "./problem.ts";

/** The names of errors and their codes: the HTTP status times 100, plus a number for a special case. */
export const ERROR_CODES = {
  /** 40004: no such transaction. 40009: the `referenceId` belongs to another transaction. */
  invalid_request: [40000, 40004, 40009],
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

interface ErrorMembers<Name extends ErrorName> {
  code: ErrorCode<Name>;
  error: Name;
  message: string;
  requestId: string;
}

export interface InvalidRequestAnswer extends ErrorMembers<"invalid_request"> {
  /** Every invalid field. */
  details: Problem[];
  /** The gateway's time in epoch milliseconds, if a terminal's clock is off at its login. */
  serverTime?: number | undefined;
}

type PlainErrorName = Exclude<ErrorName, "invalid_request">;

/** The body of an error. */
export type ErrorAnswer = InvalidRequestAnswer | { [Name in PlainErrorName]: ErrorMembers<Name> }[PlainErrorName];
