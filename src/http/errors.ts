import type { Problem } from "../signing/problem.ts";
import type { ErrorAnswer } from "./answers/errors.ts";
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
export type InvalidRequestCode = AnswerTo<"invalid_request">["code"];

type AnswerTo<Kind extends Refusal["kind"]> = Extract<ErrorAnswer, { error: Kind }>;

/** Answers `refusal` in the service's one error shape, with the headers that its status asks for (RFC 9110, RFC 6585). */
export function refuse(c: RequestContext, refusal: Refusal): Response {
  const requestId = c.get("requestId");
  /** One error answer: what its status says is the same number, times 100. */
  const body = <Kind extends Refusal["kind"]>(error: Kind, code: AnswerTo<Kind>["code"], message: string) => ({
    code,
    error,
    message,
    requestId,
  });
  switch (refusal.kind) {
    case "invalid_request": {
      const message = refusal.message ?? "The request is not valid; details names every field to mend.";
      const { problems: details, serverTime } = refusal;
      const answer = { ...body(refusal.kind, refusal.code ?? 40000, message), details };
      return c.json<ErrorAnswer>(serverTime === undefined ? answer : { ...answer, serverTime }, 400);
    }
    case "unauthorized":
      return c.json<ErrorAnswer>(body(refusal.kind, 40100, refusal.message), 401, { "WWW-Authenticate": "Bearer" });
    case "forbidden":
      return c.json<ErrorAnswer>(body(refusal.kind, 40300, refusal.message), 403);
    case "not_found":
      return c.json<ErrorAnswer>(body(refusal.kind, 40400, refusal.message), 404);
    case "method_not_allowed":
      return c.json<ErrorAnswer>(body(refusal.kind, 40500, `Allowed here: ${refusal.allow.join(", ")}.`), 405, {
        Allow: refusal.allow.join(", "),
      });
    case "conflict":
      return c.json<ErrorAnswer>(body(refusal.kind, 40900, refusal.message), 409);
    case "rate_limit_exceeded":
      return c.json<ErrorAnswer>(
        body(refusal.kind, 42900, `Too many requests; try again in ${refusal.retryAfterSeconds} seconds.`),
        429,
        {
          "Retry-After": String(refusal.retryAfterSeconds),
        },
      );
    case "internal_server_error":
      return c.json<ErrorAnswer>(body(refusal.kind, 50000, "The service failed; the request may be sent again."), 500);
    default:
      return refusal satisfies never;
  }
}
