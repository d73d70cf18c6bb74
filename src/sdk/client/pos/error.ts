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
    /** The caller's AbortSignal ended the call. */
    | "aborted";
  message: string;
  /** The HTTP status, if there was one. */
  status?: number;
  /** The gateway's own code: 40004 no such transaction, 40009 the referenceId was used before, and so on (`/docs/errors`). */
  code?: number;
  details?: Problem[];
  /** The section of the gateway's documentation that explains the error. */
  doc?: string;
  /** The operator's support finds the request in the gateway's logs by it. */
  traceId?: string;
}

type Next = "again" | "inquiry" | "transactions" | "none";

/** What to do about the money. It comes first: people read the first words of an error, and act. */
const MONEY_FIRST: Record<Next, string> = {
  again: "Ask again with the same referenceId. Do not charge again.",
  inquiry: "Send an inquiry. Do not charge again.",
  transactions: "Look for the referenceId in the account's transactions. Do not charge again.",
  none: "",
};

/** A POS that treats one of these refusals as an unpaid sale charges twice. */
const NEXT_BY_CODE: ReadonlyMap<number | undefined, Next> = new Map([
  // An inquiry or getLast found nothing. A message on its way may still arrive, unless an inquiry names it.
  [40004, "inquiry"],
  [40009, "inquiry"],
  [40010, "transactions"],
]);

function writeSentence({ message, details = [] }: PosProblem, next: Next): string {
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
   * referenceId. `inquiry`: this call does not return the outcome of a transaction that may exist, so call `inquiry`
   * with `about: { referenceId }`, whose answer is a promise. If this call was an inquiry, the message names the device
   * to ask. `transactions`: the terminal no longer has the transaction of this inquiry, so look for it with
   * `transactions({ referenceId })`. `none`: this call moved no money.
   */
  readonly next: Next;

  /**
   * @param maybeTaken the gateway may have processed the transaction
   * @param cause the platform's error, if there was no answer
   */
  constructor(problem: PosProblem, maybeTaken: boolean, cause?: unknown) {
    const next = NEXT_BY_CODE.get(problem.code) ?? (maybeTaken ? "again" : "none");
    super(writeSentence(problem, next), cause === undefined ? {} : { cause });
    this.kind = problem.kind;
    this.problem = problem;
    this.next = next;
  }

  /** Money may have moved under this referenceId. Never charge again under a new one before the outcome is known. */
  get outcomeUnknown(): boolean {
    return this.next !== "none";
  }
}
