/**
 * A D1 that does not answer must not keep a caller waiting: calls that need it end with a 500 that says so. Transfers, refreshes and logouts need no D1.
 */
import { Overload } from "../../durable/sockets.ts";
import { SECOND } from "../../../protocol/time/units.ts";
import { NoAnswer, withTimeout } from "../../lib/with-timeout.ts";
import { log } from "../../lib/log.ts";
import { factory } from "./context.ts";
import { DATABASE_AWAY, refuse } from "./errors.ts";

/** Callers expect an answer within 10 seconds. The rest is for a busy machine and the network. */
const ANSWER_WITHIN = 8 * SECOND;

/** An object's answer must come before `limitTime` ends the call. */
const OBJECT_WITHIN = ANSWER_WITHIN - SECOND;

/** A call waits this long for D1 if an object alone can carry it out. */
const OBJECT_ALONE_AFTER = 2 * SECOND;

/** The handler continues and its answer is lost, so this is only for calls that can be retried. */
export const limitTime = factory.createMiddleware(async (c, next) => {
  const answering = next();
  const answered = new AbortController();
  const tooLate = scheduler.wait(ANSWER_WITHIN, { signal: answered.signal }).then(() => "late" as const);
  try {
    if ((await Promise.race([answering, tooLate])) !== "late") return;
  } finally {
    answered.abort();
  }
  // The handler may finish its work.
  c.executionCtx.waitUntil(answering);
  log("warning", "answer_timed_out", { traceId: c.get("traceId") });
  return refuse(c, DATABASE_AWAY);
});

/** These calls wait because their caller wants it. They ask no D1, and end by themselves. */
const WAIT = ["/api/events"];

export const limitReads = factory.createMiddleware(async (c, next) =>
  c.req.method === "GET" && !WAIT.includes(c.req.path) ? limitTime(c, next) : next(),
);

/**
 * Waits for D1 before an object makes a change. The change itself has no such limit: the object needs no D1 and always
 * ends, and its answer, which may contain a new key, must not be lost.
 *
 * @throws when the time is over
 */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_WITHIN, work);
}

/**
 * For calls that only need an object: D1 is asked first, because an unknown id must not create an object, but a D1 that
 * is down must not keep an operator from resolving a payment.
 *
 * @returns undefined: D1 fails or does not answer
 */
export async function unlessDown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withTimeout(OBJECT_ALONE_AFTER, ask());
  } catch (error) {
    log("warning", "d1_not_reached", { detail: String(error) });
    return undefined;
  }
}

/**
 * Waits for an object's answer to a call that may be repeated. One that comes too late waits behind too many others.
 *
 * @throws `Overload` when the time is over
 */
export async function objectInTime<T>(call: Promise<T>, milliseconds = OBJECT_WITHIN): Promise<T> {
  try {
    return await withTimeout(milliseconds, call);
  } catch (error) {
    throw error instanceof NoAnswer ? new Overload(error.message) : error;
  }
}
