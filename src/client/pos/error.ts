import type { Problem } from "../../protocol/problem.ts";

/** What went wrong, as data. */
export interface PosProblem {
  kind:
    /** 400: `details` lists every field to fix. */
    | "invalid_request"
    /** 401 even with a fresh token: posId or password are wrong. */
    | "unauthorized"
    /** 403: the account is suspended or deleted. */
    | "forbidden"
    /** 429 until the time was over. */
    | "rate_limited"
    /** Another status that a retry does not change. */
    | "refused"
    /** No connection, a broken one, or a 5xx, until the time was over. */
    | "unreachable"
    /** An answer that the account's key did not sign, or that is about something else: nothing in it counts. */
    | "forged_answer"
    /** An answer without the expected members. */
    | "unexpected_answer"
    /** The caller's AbortSignal. */
    | "aborted";
  message: string;
  /** The HTTP status, if there was one. */
  status?: number;
  /**
   * The gateway's own code: 40004 no such transaction, 40009 the referenceId belongs to another transaction, and so on.
   */
  code?: number;
  details?: Problem[];
  /** The section of the gateway's documentation that explains the error. */
  doc?: string;
  /** For the operator's support: finds the request in the gateway's logs. */
  requestId?: string;
}

/** The message, and what is wrong with each field. */
function sentenceOf({ message, details = [] }: PosProblem): string {
  return [message, ...details.map((detail) => (detail.path === "" ? "" : `${detail.path}: `) + detail.message)].join(
    " ",
  );
}

/**
 * Every failure of a `PosClient`. `kind` says which one.
 *
 * `message` names every field that the gateway refused.
 *
 * `outcomeUnknown`: the transaction may have been processed. Call again with the same referenceId, never with a new one.
 * False: this call moved no money.
 */
export class PosError extends Error {
  override readonly name = "PosError";
  readonly kind: PosProblem["kind"];
  readonly outcomeUnknown: boolean;
  readonly problem: PosProblem;

  constructor(problem: PosProblem, outcomeUnknown: boolean) {
    super(sentenceOf(problem));
    this.kind = problem.kind;
    this.problem = problem;
    this.outcomeUnknown = outcomeUnknown;
  }
}
