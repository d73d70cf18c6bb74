import type { Problem } from "../../../protocol/problem.ts";

export interface PosProblem {
  kind:
    /** 400: `details` lists every field to fix, unless `next` says more. */
    | "invalid_request"
    /** 401 even with a fresh token: posId or password are wrong. */
    | "unauthorized"
    /** 403: the account is suspended or deleted. */
    | "forbidden"
    /** 429 until the time was over. */
    | "rate_limited"
    /** Another 4xx of the gateway, which a retry does not change. */
    | "refused"
    /** No connection, a broken one, or a 5xx, until the time was over. */
    | "unreachable"
    /** Until the time was over, answers that the account's key did not sign, or about something else. None counts. */
    | "forged_answer"
    /** Until the time was over, answers that were not the gateway's: a proxy's error, a redirect, a login page. */
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

type Next = "again" | "inquiry" | "none";

/** What to do about the money. It comes first: people read the first words of an error, and act. */
const MONEY_FIRST: Record<Next, string> = {
  again: "Ask again with the same referenceId. Do not charge again.",
  inquiry: "Send an inquiry. Do not charge again.",
  none: "",
};

function sentenceOf({ message, details = [] }: PosProblem, next: Next): string {
  const said = details.map((detail) => (detail.path === "" ? "" : `${detail.path}: `) + detail.message);
  return [MONEY_FIRST[next], message, ...said].join(" ").trimStart();
}

/**
 * Every failure of a `PosClient`. `message` begins with what to do about the money, and names every field that the
 * gateway refused.
 */
export class PosError extends Error {
  override readonly name = "PosError";
  readonly kind: PosProblem["kind"];
  readonly problem: PosProblem;
  /**
   * What the POS does next. `again`: the transaction may have been processed, so repeat the call with the same
   * referenceId. `inquiry`: this call does not tell the outcome of a transaction that may exist, so call `inquiry`
   * with `about: { referenceId }`, whose answer is a promise. If this call was an inquiry, the message names the device
   * to ask, or where else to look. `none`: this call moved no money.
   */
  readonly next: Next;

  /**
   * @param maybeTaken the gateway may have processed the transaction
   * @param cause the platform's error, if there was no answer
   */
  constructor(problem: PosProblem, maybeTaken: boolean, cause?: unknown) {
    const next = problem.code === USED_BEFORE || problem.code === NOT_FOUND ? "inquiry" : maybeTaken ? "again" : "none";
    super(sentenceOf(problem, next), cause === undefined ? {} : { cause });
    this.kind = problem.kind;
    this.problem = problem;
    this.next = next;
  }

  /** Money may have moved under this referenceId. Never charge again under a new one before the outcome is known. */
  get outcomeUnknown(): boolean {
    return this.next !== "none";
  }
}

/** A POS that treats this refusal as an unpaid sale charges twice. */
const USED_BEFORE = 40009;

/** An inquiry or getLast found nothing: a message on its way may still arrive, unless an inquiry names it. */
const NOT_FOUND = 40004;
