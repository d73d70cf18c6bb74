/** The bodies of error responses. */
import { ERROR_CODES, type ErrorName } from "../../protocol/errors.ts";
import * as z from "zod";
import { type Component, made } from "../../contracts/json-schema.ts";
import { JSON_PROBLEMS } from "../../protocol/limits/messages.ts";
import { named } from "../../validation/described.ts";

const common = {
  message: named("What happened, and what to do, in a sentence for people.", "Send a JSON object."),
  requestId: z.uuid().meta({
    description: "The same as the header `X-Request-Id`; name it when you ask about the request.",
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
      "Where: a dotted path such as `transData.transAmt`; empty for the message as a whole.",
      "transData.transAmt",
    ),
    message: named(
      "What is wrong, and how to mend it. Never the value itself.",
      "Send a positive amount as text with two decimals.",
    ),
  })
  .meta({ description: "One thing that is wrong with the message." });

const invalidRequest = z
  .object({
    code: z.literal(ERROR_CODES.invalid_request).meta({
      description:
        "40000: in general. 40004: there is no such transaction. 40009: the `referenceId` is already used otherwise.",
    }),
    error: z.literal("invalid_request").meta({ description: "Always `invalid_request`." }),
    ...common,
    details: z.array(problem).meta({ description: `Every field that is wrong, at most ${JSON_PROBLEMS} of them.` }),
    serverTime: z
      .int()
      .optional()
      .meta({
        description: "Only where a terminal's clock is off at its login: the gateway's, in epoch milliseconds.",
        examples: [1795428900000],
      }),
  })
  .meta({ description: "The message was not taken; details name every field to mend." });

const unauthorized = error("unauthorized").meta({
  description: "The token is missing, invalid or expired.",
});
const forbidden = error("forbidden").meta({ description: "The account is suspended or deleted." });
const notFound = error("not_found").meta({
  description: "There is no such thing, or it is somebody else's.",
});
const methodNotAllowed = error("method_not_allowed").meta({
  description: "The path has no such method.",
});
const conflict = error("conflict").meta({ description: "It cannot be done as things stand." });
const rateLimitExceeded = error("rate_limit_exceeded").meta({ description: "Too many requests." });
const internalServerError = error("internal_server_error").meta({ description: "The service failed." });

export const errorResponses: Record<string, Component> = {
  Problem: made(problem),
  InvalidRequest: made(invalidRequest),
  Unauthorized: made(unauthorized),
  Forbidden: made(forbidden),
  NotFound: made(notFound),
  MethodNotAllowed: made(methodNotAllowed),
  Conflict: made(conflict),
  RateLimitExceeded: made(rateLimitExceeded),
  InternalServerError: made(internalServerError),
};
