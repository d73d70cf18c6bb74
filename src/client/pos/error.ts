import type { Problem } from "../../protocol/problem.ts";

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
    /** An answer without the expected members, or not of the gateway: a network's login page. */
    | "unexpected_answer"
    /** The caller's AbortSignal. */
    | "aborted";
  message: string;
  /** The HTTP status, if there was one. */
  status?: number;
  /** The gateway's own code: 40004 no such transaction, 40009 the referenceId was used before, and so on. */
  code?: number;
  details?: Problem[];
  /** The section of the gateway's documentation that explains the error. */
  doc?: string;
  /** For the operator's support: finds the request in the gateway's logs. */
  traceId?: string;
}

function sentenceOf({ message, details = [] }: PosProblem): string {
  return [message, ...details.map((detail) => (detail.path === "" ? "" : `${detail.path}: `) + detail.message)].join(
    " ",
  );
}

/** Every failure of a `PosClient`. `message` names every field that the gateway refused. */
export class PosError extends Error {
  override readonly name = "PosError";
  readonly kind: PosProblem["kind"];
  readonly problem: PosProblem;
  /**
   * What the till does next. `again`: the transaction may have been processed, so repeat the call with the same
   * referenceId. `inquiry`: the referenceId was used before, with an outcome that this call does not tell, so call
   * `inquiry` with that referenceId. `none`: this call moved no money.
   */
  readonly next: "again" | "inquiry" | "none";

  /**
   * @param maybeTaken the gateway may have processed the transaction
   * @param cause the platform's error, if there was no answer
   */
  constructor(problem: PosProblem, maybeTaken: boolean, cause?: unknown) {
    super(sentenceOf(problem), cause === undefined ? {} : { cause });
    this.kind = problem.kind;
    this.problem = problem;
    this.next = problem.code === USED_BEFORE ? "inquiry" : maybeTaken ? "again" : "none";
  }

  /** Money may have moved under this referenceId. Never charge again under a new one before the outcome is known. */
  get outcomeUnknown(): boolean {
    return this.next !== "none";
  }
}

/** A till that treats this refusal as an unpaid sale charges twice. */
const USED_BEFORE = 40009;
