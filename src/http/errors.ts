import type { Problem } from "../signing/problem.ts";
import type { RequestContext } from "./context.ts";

export type { Problem };

/**
 * Everything that the HTTP side can answer instead of what was asked for. Handlers return it as a value; `refuse` is
 * the one mapping to the wire.
 */
export type Refusal =
  | { kind: "invalid_request"; problems: Problem[]; message?: string; code?: InvalidRequestCode; serverTime?: number }
  | { kind: "unauthorized"; message: string }
  | { kind: "forbidden"; message: string }
  | { kind: "not_found"; message: string }
  | { kind: "method_not_allowed"; allow: string[] }
  | { kind: "conflict"; message: string }
  | { kind: "rate_limit_exceeded"; retryAfterSeconds: number }
  | { kind: "internal_server_error" };

/** 40000 in general; 40004 no such transaction; 40009 the `referenceId` is already used otherwise. */
export type InvalidRequestCode = 40000 | 40004 | 40009;

interface ErrorBody {
  code: number;
  error: string;
  message: string;
  requestId: string;
  details?: Problem[];
  serverTime?: number;
}

/** Answers `refusal` in the service's one error shape, with the headers that its status asks for (RFC 9110, RFC 6585). */
export function refuse(c: RequestContext, refusal: Refusal): Response {
  const requestId = c.get("requestId");
  const body = (status: number, message: string): ErrorBody => ({
    code: status * 100,
    error: refusal.kind,
    message,
    requestId,
  });
  switch (refusal.kind) {
    case "invalid_request": {
      const answer = body(400, refusal.message ?? "The request is not valid; details names every field to mend.");
      answer.code = refusal.code ?? 40000;
      answer.details = refusal.problems;
      if (refusal.serverTime !== undefined) answer.serverTime = refusal.serverTime;
      return c.json(answer, 400);
    }
    case "unauthorized":
      return c.json(body(401, refusal.message), 401, { "WWW-Authenticate": "Bearer" });
    case "forbidden":
      return c.json(body(403, refusal.message), 403);
    case "not_found":
      return c.json(body(404, refusal.message), 404);
    case "method_not_allowed":
      return c.json(body(405, `Allowed here: ${refusal.allow.join(", ")}.`), 405, {
        Allow: refusal.allow.join(", "),
      });
    case "conflict":
      return c.json(body(409, refusal.message), 409);
    case "rate_limit_exceeded":
      return c.json(body(429, `Too many requests; try again in ${refusal.retryAfterSeconds} seconds.`), 429, {
        "Retry-After": String(refusal.retryAfterSeconds),
      });
    case "internal_server_error":
      return c.json(body(500, "The service failed; the request may be sent again."), 500);
    default:
      return refusal satisfies never;
  }
}
