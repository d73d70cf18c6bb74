import { isOverload } from "../objects/sockets.ts";
import { logError } from "../outcomes/log.ts";
import type { Done } from "../protocol/accounts.ts";
import { BUSY_RETRY_SECONDS } from "../protocol/limits/messages.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RequestContext } from "./context.ts";
import { documentationOf, ERROR_CODES, type ErrorCode, type InvalidRequestCode } from "../protocol/errors.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";

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
  /** Epoch milliseconds, for a terminal whose clock is wrong. */
  serverTime?: number;
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
    message: messageOf(refusal),
    doc: documentationOf(code, c.req.url),
    traceId: c.get("traceId"),
    ...(kind === "invalid_request" ? { details: refusal.problems, serverTime: refusal.serverTime } : {}),
  };
  return c.json(answer, Math.floor(code / 100) as ContentfulStatusCode, headersOf(refusal));
}

/** The answer to a call that has nothing to show. */
export function done(c: RequestContext, message: string, status: 200 | 202 = 200): Response {
  return c.json({ code: 20000, message } satisfies Done, status);
}

function messageOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case "invalid_request":
      return refusal.message ?? "The request is invalid. Fix every field listed in details.";
    case "method_not_allowed":
      return `Method not allowed. Use ${refusal.allow.join(", ")}.`;
    case "rate_limit_exceeded":
      return `Too many requests. Retry after ${refusal.retryAfterSeconds} seconds.`;
    case "internal_server_error":
      return refusal.message ?? "The service failed. You can send the same request again.";
    default:
      return refusal.message;
  }
}

function headersOf(refusal: Refusal): Record<string, string> {
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

/** For what a handler throws. If an object has too much to do, its caller is told when to come back. */
export function refusalOfFailure(c: RequestContext, error: unknown): Refusal {
  if (!isOverload(error)) return { kind: "internal_server_error" };
  c.get("facts").reason = "an object is overloaded";
  return { kind: "rate_limit_exceeded", retryAfterSeconds: BUSY_RETRY_SECONDS };
}

export function unreadableKey(posId: string): Refusal {
  logError("an account's signing key is not readable", new Error("no master key decrypts it"), { account: posId });
  return { kind: "internal_server_error" };
}
