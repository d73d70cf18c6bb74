import { RETRY_AFTER_SECONDS } from "../../../protocol/limits.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { ERROR_CODES, INVALID_MESSAGES, type ErrorName, type InvalidRequestCode } from "../../../protocol/errors.ts";
import { ERRORS } from "../../../protocol/schemas/errors.ts";
import { exampleDoc } from "../../../protocol/schemas/fields.ts";
import type { OpenApiResponse, Example, Header, Reference } from "./document.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export const HEADERS: Record<string, Header> = {
  "X-Request-Id": {
    description: "The id of the request, also in errors (`traceId`) and in the gateway's log.",
    required: true,
    schema: { type: "string", format: "uuid", examples: ["0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e"] },
  },
  "Cache-Control": {
    description: "Responses must not be cached.",
    required: true,
    schema: { type: "string", const: "no-store" },
  },
  "WWW-Authenticate": {
    description: "The authentication scheme (RFC 9110, section 11.6.1).",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  "Retry-After": {
    description: "Seconds to wait before you retry (RFC 9110, section 10.2.3).",
    required: true,
    schema: { type: "string", pattern: "^[0-9]+$", examples: [String(RETRY_AFTER_SECONDS)] },
  },
  Allow: {
    description: "The methods of the path (RFC 9110, section 10.2.1).",
    required: true,
    schema: { type: "string", examples: ["GET, POST"] },
  },
  "Idempotent-Replayed": {
    description:
      "`true` if this is the stored response to an earlier request with the same `referenceId`. Otherwise missing.",
    schema: { type: "string", const: "true" },
  },
  "Preference-Applied": {
    description: "The preference from `Prefer` that the gateway applied (RFC 7240, section 3).",
    schema: { type: "string", examples: ["wait=10"] },
  },
  Link: {
    description: "Where the next page is (RFC 8288).",
    schema: { type: "string", examples: ['</api/transactions?cursor=1041>; rel="next"'] },
  },
  "X-Bind-Key-Expires-At": {
    description: "When the key expires: ISO 8601 with milliseconds and the offset of the account's time zone.",
    required: true,
    schema: { type: "string", format: "date-time", examples: ["2026-11-20T18:15:00.000+08:00"] },
  },
};

export function headers(...further: (keyof typeof HEADERS)[]): Record<string, Reference> {
  return Object.fromEntries(
    ["X-Request-Id", "Cache-Control", ...further].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export function invalidRequest(
  description: string,
  examples: Record<string, { summary: string; code?: InvalidRequestCode; problem: Problem; serverTime?: EpochMs }>,
): OpenApiResponse {
  const values = Object.entries(examples).map(([name, { summary, code = 40000, problem, serverTime }]) => {
    const value = {
      code,
      error: "invalid_request",
      message: INVALID_MESSAGES[code],
      doc: exampleDoc(code),
      traceId: REQUEST_ID,
      details: [problem],
    };
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

const REQUEST_ID = "0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e";

interface Words {
  description: string;
  message: string;
  headers?: (keyof typeof HEADERS)[];
  details?: Problem[];
}

const WORDS: Record<ErrorName, Words> = {
  invalid_request: {
    description:
      "The request was not accepted. `details` lists every invalid field and how to fix it. It does not affect an earlier " +
      "message with the same `referenceId`. Plain `http` also gets this response, except on the same machine.",
    message: INVALID_MESSAGES[40000],
    details: [
      { path: "transData.transAmt", message: 'Send a positive amount as text with two decimals, such as "12.50".' },
    ],
  },
  unauthorized: {
    description: "The token is missing, invalid or expired, or its session has ended.",
    message: "The token is invalid or expired.",
    headers: ["WWW-Authenticate"],
  },
  forbidden: { description: "The account is suspended or deleted.", message: "The account is suspended." },
  not_found: {
    description: "The resource does not exist or belongs to another account. Unknown paths get the same response.",
    message: "This path does not exist.",
  },
  method_not_allowed: {
    description: "The path does not support this method.",
    message: "Method not allowed. Use POST.",
    headers: ["Allow"],
  },
  conflict: {
    description: "The current state does not allow the request.",
    message: "This posId is in use, or was used before.",
  },
  rate_limit_exceeded: {
    description: "Too many requests from this account, terminal or address.",
    message: `Too many requests. Retry after ${RETRY_AFTER_SECONDS} seconds.`,
    headers: ["Retry-After"],
  },
  internal_server_error: {
    description:
      "The service failed. Send the same request again, but a message whose signature counts once (a login, a change " +
      "of a webhook) signed anew: the gateway may have used its signature up.",
    message: "The service failed. You can send the same request again.",
  },
};

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 429 | 500;

type RefusalName = keyof typeof ERRORS;

export const REFUSAL_NAMES = Object.fromEntries(
  Object.entries(ERRORS).map(([name, { shape }]) => [Math.floor(ERROR_CODES[shape.error.value][0] / 100), name]),
) as Record<RefusalStatus, RefusalName>;

export const DESCRIBED_REFUSALS: Record<string, OpenApiResponse> = Object.fromEntries(
  Object.entries(ERRORS).map(([name, { shape }]) => {
    const error = shape.error.value;
    const { description, message, headers: further = [], details } = WORDS[error];
    const code = ERROR_CODES[error][0];
    const example = { code, error, message, doc: exampleDoc(code), traceId: REQUEST_ID };
    const schema = { $ref: `#/components/schemas/${name}` };
    const content = { schema, example: details === undefined ? example : { ...example, details } };
    return [name, { description, headers: headers(...further), content: { "application/json": content } }];
  }),
);
