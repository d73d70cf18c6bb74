import { logError } from "../outcomes/log.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RequestContext } from "./context.ts";
import {
  documentationOf,
  ERROR_CODES,
  type ErrorAnswer,
  type ErrorCode,
  type ErrorName,
  type InvalidRequestCode,
} from "../protocol/errors.ts";

/** Every error response. Handlers return it as a value. */
export type Refusal =
  | InvalidRequest
  | { kind: "unauthorized"; message: string }
  | { kind: "forbidden"; message: string }
  | { kind: "not_found"; message: string }
  | { kind: "method_not_allowed"; allow: string[] }
  | { kind: "conflict"; message: string }
  | { kind: "rate_limit_exceeded"; retryAfterSeconds: number }
  | { kind: "internal_server_error"; message?: string };

export interface InvalidRequest {
  kind: "invalid_request";
  problems: Problem[];
  message?: string;
  code?: InvalidRequestCode;
  /** Epoch milliseconds, for a terminal whose clock is off. */
  serverTime?: number;
}

export const NOTHING_HERE: Refusal = { kind: "not_found", message: "This path does not exist." };

const FAILED = "The service failed. You can send the same request again.";

/** A 400 with these problems. */
export function invalid(problems: Problem[], message?: string): InvalidRequest {
  return message === undefined ? { kind: "invalid_request", problems } : { kind: "invalid_request", problems, message };
}

/**
 * Maps a refusal to its response: the service's error format, and the headers that the status requires
 * (RFC 9110, RFC 6585).
 */
export function refuse(c: RequestContext, refusal: Refusal): Response {
  const traceId = c.get("traceId");
  const body = <Name extends ErrorName>(
    error: Name,
    message: string,
    code: ErrorCode<Name> = ERROR_CODES[error][0],
  ) => ({ code, error, message, doc: documentationOf(code, c.req.url), traceId });
  switch (refusal.kind) {
    case "invalid_request": {
      const message = refusal.message ?? "The request is invalid. Fix every field listed in details.";
      const { problems: details, serverTime } = refusal;
      const answer = { ...body(refusal.kind, message, refusal.code), details };
      return c.json<ErrorAnswer>(serverTime === undefined ? answer : { ...answer, serverTime }, 400);
    }
    case "unauthorized":
      return c.json<ErrorAnswer>(body(refusal.kind, refusal.message), 401, { "WWW-Authenticate": "Bearer" });
    case "forbidden":
      return c.json<ErrorAnswer>(body(refusal.kind, refusal.message), 403);
    case "not_found":
      return c.json<ErrorAnswer>(body(refusal.kind, refusal.message), 404);
    case "method_not_allowed":
      return c.json<ErrorAnswer>(body(refusal.kind, `Method not allowed. Use ${refusal.allow.join(", ")}.`), 405, {
        Allow: refusal.allow.join(", "),
      });
    case "conflict":
      return c.json<ErrorAnswer>(body(refusal.kind, refusal.message), 409);
    case "rate_limit_exceeded":
      return c.json<ErrorAnswer>(
        body(refusal.kind, `Too many requests. Retry after ${refusal.retryAfterSeconds} seconds.`),
        429,
        {
          "Retry-After": String(refusal.retryAfterSeconds),
        },
      );
    case "internal_server_error":
      return c.json<ErrorAnswer>(body(refusal.kind, refusal.message ?? FAILED), 500);
    default:
      return refusal satisfies never;
  }
}

/** The response if no master key decrypts an account's signing key. The log names the account. */
export function unreadableKey(posId: string): Refusal {
  logError("an account's signing key is not readable", new Error("no master key decrypts it"), { account: posId });
  return { kind: "internal_server_error" };
}
