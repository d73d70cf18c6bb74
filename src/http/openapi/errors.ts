/** The bodies of error responses. */
import { ERROR_CODES, type ErrorName } from "../../protocol/errors.ts";
import * as z from "zod";
import { exampleDoc, named } from "../../protocol/schemas/fields.ts";
import { JSON_PROBLEMS } from "../../protocol/limits/messages.ts";

const common = {
  message: named("What is wrong and what to do, for people.", "Send a JSON object."),
  doc: z.url().meta({
    description: "The section of this gateway's documentation that explains the error and its fix, for people.",
    examples: [exampleDoc(ERROR_CODES.invalid_request[0])],
  }),
  traceId: z.uuid().meta({
    description: "The same as the header `X-Request-Id`. Mention it when you ask about the request.",
    examples: ["0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e"],
  }),
};

/** An error that its HTTP status describes completely. */
function error<Name extends Exclude<ErrorName, "invalid_request">>(name: Name) {
  const code = ERROR_CODES[name][0];
  return z.object({
    code: z.literal(code).meta({ description: `The HTTP status × 100: ${code}.` }),
    error: z.literal(name).meta({ description: `Always \`${name}\`.` }),
    ...common,
  });
}

const problem = z
  .object({
    path: named(
      "The field as a dotted path, such as `transData.transAmt`. Empty for the whole message.",
      "transData.transAmt",
    ),
    message: named(
      "What is wrong, then what to send. Never the value itself.",
      "Send a positive amount as text with two decimals.",
    ),
  })
  .meta({ description: "One problem in the message." });

const invalidRequest = z
  .object({
    code: z.literal(ERROR_CODES.invalid_request).meta({
      description:
        "40000: invalid request. 40004: no such transaction. 40009: the `referenceId` was used before: send an inquiry.",
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
  })
  .meta({ description: "The request was not accepted. `details` lists every invalid field." });

const unauthorized = error("unauthorized").meta({
  description: "The token is missing, invalid or expired.",
});
const forbidden = error("forbidden").meta({ description: "The account is suspended or deleted." });
const notFound = error("not_found").meta({
  description: "The resource does not exist or belongs to another account.",
});
const methodNotAllowed = error("method_not_allowed").meta({
  description: "The path does not support this method.",
});
const conflict = error("conflict").meta({ description: "The current state does not allow the request." });
const rateLimitExceeded = error("rate_limit_exceeded").meta({ description: "Too many requests." });
const internalServerError = error("internal_server_error").meta({ description: "The service failed." });

export const errorResponses: Record<string, z.ZodType> = {
  Problem: problem,
  InvalidRequest: invalidRequest,
  Unauthorized: unauthorized,
  Forbidden: forbidden,
  NotFound: notFound,
  MethodNotAllowed: methodNotAllowed,
  Conflict: conflict,
  RateLimitExceeded: rateLimitExceeded,
  InternalServerError: internalServerError,
};
