/** The refusals that operations share, and the headers of responses. */
import { RETRY_AFTER_SECONDS } from "../../protocol/limits/messages.ts";
import type { Problem } from "../../protocol/problem.ts";
import type { Answer, Example, Header, Reference } from "./document.ts";

export const HEADERS: Record<string, Header> = {
  "X-Request-Id": {
    description: "The request's own id: the same as `requestId` in errors and as in the gateway's log.",
    required: true,
    schema: { type: "string", format: "uuid", examples: ["0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e"] },
  },
  "Cache-Control": {
    description: "No answer may be kept by anything on the way.",
    required: true,
    schema: { type: "string", const: "no-store" },
  },
  "WWW-Authenticate": {
    description: "The scheme in which a token is sent (RFC 9110, section 11.6.1).",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  "Retry-After": {
    description: "Seconds after which to try again (RFC 9110, section 10.2.3).",
    required: true,
    schema: { type: "string", pattern: "^[0-9]+$", examples: [String(RETRY_AFTER_SECONDS)] },
  },
  Allow: {
    description: "The methods that the path has (RFC 9110, section 10.2.1).",
    required: true,
    schema: { type: "string", examples: ["GET, POST"] },
  },
  "Idempotent-Replayed": {
    description:
      "`true`: the answer is that of an earlier request with the same `referenceId`. Else the header is missing.",
    schema: { type: "string", const: "true" },
  },
  "Preference-Applied": {
    description: "The preference of `Prefer` that was followed (RFC 7240, section 3).",
    schema: { type: "string", examples: ["wait=10"] },
  },
  "X-Bind-Key-Expires-At": {
    description: "Until when the key is good: ISO 8601 with milliseconds and the offset of the account's time zone.",
    required: true,
    schema: { type: "string", format: "date-time", examples: ["2026-11-20T18:15:00.000+08:00"] },
  },
};

/** The headers of every response, and further ones. */
export function headers(...further: (keyof typeof HEADERS)[]): Record<string, Reference> {
  return Object.fromEntries(
    ["X-Request-Id", "Cache-Control", ...further].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** A 400 with a description and examples of its own. */
export function invalidRequest(
  description: string,
  examples: Record<string, { summary: string; code?: 40000 | 40004 | 40009; problem: Problem; serverTime?: number }>,
): Answer {
  const values = Object.entries(examples).map(([name, { summary, code = 40000, problem, serverTime }]) => {
    const value = { code, error: "invalid_request", message: INVALID, requestId: REQUEST_ID, details: [problem] };
    return [name, { summary, value: serverTime === undefined ? value : { ...value, serverTime } }];
  });
  return {
    description,
    headers: headers(),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/InvalidRequest" },
        examples: Object.fromEntries(values) as Record<string, Example>,
      },
    },
  };
}

const INVALID = "The request is not valid; details names every field to mend.";
const DETAILS = [
  { path: "transData.transAmt", message: 'Send a positive amount as text with two decimals, such as "12.50".' },
];
const REQUEST_ID = "0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e";

function refusal(
  description: string,
  schema: string,
  code: number,
  error: string,
  message: string,
  further: { headers?: (keyof typeof HEADERS)[]; details?: typeof DETAILS } = {},
): Answer {
  const { details } = further;
  return {
    description,
    headers: headers(...(further.headers ?? [])),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${schema}` },
        example: { code, error, message, requestId: REQUEST_ID, ...(details === undefined ? {} : { details }) },
      },
    },
  };
}

/** By status. Operations refer to them by REFUSAL_NAMES. */
export const REFUSALS = {
  400: refusal(
    "The message was not taken: `details` names every field that is wrong, and how to mend it. It says nothing about an " +
      "earlier message with the same `referenceId`. Plain `http` is refused in this way, too, but on the machine itself.",
    "InvalidRequest",
    40000,
    "invalid_request",
    INVALID,
    { details: DETAILS },
  ),
  401: refusal(
    "The token is missing, invalid or expired, or its session has ended.",
    "Unauthorized",
    40100,
    "unauthorized",
    "The token is invalid or expired.",
    { headers: ["WWW-Authenticate"] },
  ),
  403: refusal("The account is suspended or deleted.", "Forbidden", 40300, "forbidden", "The account is suspended."),
  404: refusal(
    "There is no such thing, or it is somebody else's. The same is answered on every path that does not exist.",
    "NotFound",
    40400,
    "not_found",
    "There is nothing at this path.",
  ),
  405: refusal(
    "For every other method on this path.",
    "MethodNotAllowed",
    40500,
    "method_not_allowed",
    "Allowed here: POST.",
    { headers: ["Allow"] },
  ),
  409: refusal(
    "It cannot be done as things stand.",
    "Conflict",
    40900,
    "conflict",
    "This posId is taken, or was once.",
  ),
  429: refusal(
    "Too many requests, of this account or terminal, or from this address.",
    "RateLimitExceeded",
    42900,
    "rate_limit_exceeded",
    `Too many requests; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    { headers: ["Retry-After"] },
  ),
  500: refusal(
    "The service failed. The request may be sent again.",
    "InternalServerError",
    50000,
    "internal_server_error",
    "The service failed; the request may be sent again.",
  ),
} satisfies Record<number, Answer>;

export type RefusalStatus = keyof typeof REFUSALS;

export const REFUSAL_NAMES: Record<RefusalStatus, string> = {
  400: "InvalidRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  429: "RateLimitExceeded",
  500: "InternalServerError",
};
