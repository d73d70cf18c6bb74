import { NoAnswer } from "../../lib/with-timeout.ts";
import { isOverload } from "../../durable/sockets.ts";
import { logError } from "../../lib/log.ts";
import type { Done } from "../../../protocol/accounts.ts";
import { BUSY_RETRY_SECONDS } from "../../../protocol/limits.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { factory, type AppEnvironment, type RequestContext } from "./context.ts";
import {
  linkToError,
  ERROR_CODES,
  INVALID_MESSAGES,
  type ErrorCode,
  type InvalidRequestCode,
} from "../../../protocol/errors.ts";
import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { EpochMs } from "../../../protocol/time/units.ts";

export type Refusal =
  | InvalidRequest
  | { kind: "unauthorized" | "forbidden" | "not_found" | "conflict"; message: string }
  | { kind: "method_not_allowed"; allow: string[] }
  | { kind: "rate_limit_exceeded"; retryAfterSeconds: number }
  | { kind: "internal_server_error"; message?: string };

export interface InvalidRequest {
  kind: "invalid_request";
  problems: Problem[];
  message?: string;
  code?: InvalidRequestCode;
  /** For a terminal whose clock is wrong. */
  serverTime?: EpochMs;
}

const SEND_AGAIN = "You can send the same request again.";

/**
 * For a call whose signature counts once: the gateway may have used it up before it failed, and would refuse the same
 * message. Say how to make a new one.
 *
 * @param words one sentence for the message of a 500
 */
export function repeatBy(words: string): MiddlewareHandler<AppEnvironment> {
  return factory.createMiddleware((c, next) => {
    c.set("repetition", words);
    return next();
  });
}

export const NOTHING_HERE: Refusal = { kind: "not_found", message: "This path does not exist." };

export function invalid(problems: Problem[], message?: string): InvalidRequest {
  return message === undefined ? { kind: "invalid_request", problems } : { kind: "invalid_request", problems, message };
}

/** Adds the headers that the status requires (RFC 9110, RFC 6585). */
export function refuse(c: RequestContext, refusal: Refusal): Response {
  const { kind } = refusal;
  const code: ErrorCode = kind === "invalid_request" ? (refusal.code ?? ERROR_CODES[kind][0]) : ERROR_CODES[kind][0];
  const answer = {
    code,
    error: kind,
    message: writeMessage(refusal, c.get("repetition")),
    doc: linkToError(code, c.req.url),
    traceId: c.get("traceId"),
    ...(kind === "invalid_request" ? { details: refusal.problems, serverTime: refusal.serverTime } : {}),
  };
  return c.json(answer, Math.floor(code / 100) as ContentfulStatusCode, makeHeaders(refusal));
}

/** Answers a call that has nothing to show. */
export function answerDone(c: RequestContext, message: string, status: 200 | 202 = 200): Response {
  return c.json({ code: 20000, message } satisfies Done, status);
}

/** @param repetition how a caller repeats this call after a failure; undefined: unchanged */
function writeMessage(refusal: Refusal, repetition: string = SEND_AGAIN): string {
  switch (refusal.kind) {
    case "invalid_request":
      return refusal.message ?? INVALID_MESSAGES[refusal.code ?? 40000];
    case "method_not_allowed":
      return `Method not allowed. Use ${refusal.allow.join(", ")}.`;
    case "rate_limit_exceeded":
      return `Too many requests. Retry after ${refusal.retryAfterSeconds} seconds.`;
    case "internal_server_error":
      return refusal.message ?? `The service failed. ${repetition}`;
    default:
      return refusal.message;
  }
}

function makeHeaders(refusal: Refusal): Record<string, string> {
  switch (refusal.kind) {
    case "unauthorized":
      return { "WWW-Authenticate": "Bearer" };
    case "method_not_allowed":
      return { Allow: refusal.allow.join(", ") };
    case "rate_limit_exceeded":
      return { "Retry-After": String(refusal.retryAfterSeconds) };
    default:
      return {};
  }
}

export const DATABASE_AWAY: Refusal = {
  kind: "internal_server_error",
  message: "The database does not answer. Payments continue.",
};

/** D1 begins the messages of its errors like this; those of SQLite are answers. */
const D1_DOWN = /^D1_ERROR(?!.*\bSQLITE_)/u;

function isDatabaseAway(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof Error && D1_DOWN.test(error.message));
}

/**
 * Returns the refusal for what a handler throws. If an object has too much to do, the answer includes when to come
 * back.
 */
export function refusalOfFailure(c: RequestContext, error: unknown): Refusal {
  if (isDatabaseAway(error)) return DATABASE_AWAY;
  if (!isOverload(error)) return { kind: "internal_server_error" };
  c.get("facts").reason = "an object is overloaded";
  return { kind: "rate_limit_exceeded", retryAfterSeconds: BUSY_RETRY_SECONDS };
}

export function unreadableKey(posId: string): Refusal {
  logError("signing_key_not_decrypted", new Error("no master key decrypts it"), { account: posId });
  return { kind: "internal_server_error" };
}
