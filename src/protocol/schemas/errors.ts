/** Error bodies (part 7 of the interface). */
import * as z from "zod";
import { ERROR_CODES, type ErrorName } from "../errors.ts";
import { JSON_PROBLEMS } from "../limits.ts";
import { exampleDoc, stringField, object } from "./fields.ts";

const common = {
  message: stringField("What is wrong and what to do, for people.", "Send a JSON object."),
  doc: z.url().meta({
    description: "The section of this gateway's documentation that explains the error and its fix, for people.",
    examples: [exampleDoc(ERROR_CODES.invalid_request[0])],
  }),
  traceId: z.uuid().meta({
    description: "The same as the header `X-Request-Id`. Mention it when you ask about the request.",
    examples: ["0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e"],
  }),
};

export const problem = object("One problem in the message.", {
  path: stringField(
    "The field as a dotted path, such as `transData.transAmt`. Empty for the whole message.",
    "transData.transAmt",
  ),
  message: stringField(
    "What is wrong, then what to send. Never the value itself.",
    "Send a positive amount as text with two decimals.",
  ),
});

/** The HTTP status describes the error completely. */
function error<Name extends Exclude<ErrorName, "invalid_request">>(name: Name, description: string) {
  const code = ERROR_CODES[name][0];
  return object(description, {
    code: z.literal(code).meta({ description: `The HTTP status × 100: ${code}.` }),
    error: z.literal(name).meta({ description: `Always \`${name}\`.` }),
    ...common,
    details: z.array(problem).optional().meta({ description: "Only in a 400." }),
  });
}

const invalidRequest = object("The request was not accepted. `details` lists every invalid field.", {
  code: z.literal(ERROR_CODES.invalid_request).meta({
    description:
      "40000: invalid request. 40004: no such transaction. 40009: the `referenceId` was used before: send an inquiry. " +
      "40010: an inquiry about a transaction that the terminal no longer has: read `GET /api/transactions`.",
  }),
  error: z.literal("invalid_request").meta({ description: "Always `invalid_request`." }),
  ...common,
  details: z.array(problem).meta({ description: `Every invalid field, at most ${JSON_PROBLEMS}.` }),
  serverTime: z
    .int()
    .optional()
    .meta({
      description: "The gateway's time in epoch milliseconds. Only if a terminal's clock is off at its login.",
      examples: [1795428900000],
    }),
});

/** By their names in the OpenAPI document. */
export const ERRORS = {
  InvalidRequest: invalidRequest,
  Unauthorized: error("unauthorized", "The token is missing, invalid or expired."),
  Forbidden: error("forbidden", "The account is suspended or deleted."),
  NotFound: error("not_found", "The resource does not exist or belongs to another account."),
  MethodNotAllowed: error("method_not_allowed", "The path does not support this method."),
  Conflict: error("conflict", "The current state does not allow the request."),
  RateLimitExceeded: error("rate_limit_exceeded", "Too many requests."),
  InternalServerError: error("internal_server_error", "The service failed."),
};
