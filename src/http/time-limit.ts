/**
 * A D1 that does not answer must not keep a caller waiting: calls that need it end in time, with a 500 that says that the
 * request may be sent again. Transfers, refreshes and logouts need no D1.
 */
import { SECOND } from "../time/units.ts";
import { within } from "../within.ts";
import { log } from "../log.ts";
import { factory } from "./context.ts";
import { refuse } from "./errors.ts";

/** Callers count on an answer within 10 seconds; the rest is for a busy machine and the way back. */
const ANSWER_WITHIN = 8 * SECOND;

/** Ends a call in time. The handler goes on, and its answer goes nowhere: only for calls that may be repeated. */
export const limitTime = factory.createMiddleware(async (c, next) => {
  const answering = next();
  const answered = new AbortController();
  const tooLate = scheduler.wait(ANSWER_WITHIN, { signal: answered.signal }).then(() => "late" as const);
  try {
    if ((await Promise.race([answering, tooLate])) !== "late") return;
  } finally {
    answered.abort();
  }
  // What the handler has begun it may end.
  c.executionCtx.waitUntil(answering);
  log("warning", "answer-too-late", { requestId: c.get("requestId") });
  return refuse(c, { kind: "internal_server_error" });
});

/** Ends calls that only read in time. */
export const limitReads = factory.createMiddleware(async (c, next) =>
  c.req.method === "GET" ? limitTime(c, next) : next(),
);

/**
 * Waits for D1 in front of a change that an object makes. The change itself has no such limit: the object ends by itself
 * and does without D1, and its answer, which may show a new key, must not be lost. Throws when the time is over.
 */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return within(ANSWER_WITHIN, work);
}
