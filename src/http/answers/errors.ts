/** What is answered instead of what was asked for. Types only for the Worker. */
import * as z from "zod";
import { JSON_PROBLEMS } from "../../limits.ts";
import { named } from "../../validation/described.ts";

const common = {
  message: named("What happened, and what to do, in a sentence for people.", "Send a JSON object."),
  requestId: z.uuid().meta({
    description: "The same as the header `X-Request-Id`; name it when you ask about the request.",
    examples: ["0f8b2a52-5d7c-4d4e-9a59-6a4b1c1f6f0e"],
  }),
};

/** An error that its HTTP status tells all of. */
function error<Code extends number, Name extends string>(code: Code, name: Name) {
  return z.object({
    code: z.literal(code).meta({ description: `The HTTP status × 100: ${code}.` }),
    error: z.literal(name).meta({ description: `Always \`${name}\`.` }),
    ...common,
  });
}

export const problem = z
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

export const invalidRequest = z
  .object({
    code: z.literal([40000, 40004, 40009]).meta({
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

export const unauthorized = error(40100, "unauthorized").meta({
  description: "The token is missing, invalid or expired.",
});
export const forbidden = error(40300, "forbidden").meta({ description: "The account is suspended or deleted." });
export const notFound = error(40400, "not_found").meta({
  description: "There is no such thing, or it is somebody else's.",
});
export const methodNotAllowed = error(40500, "method_not_allowed").meta({
  description: "The path has no such method.",
});
export const conflict = error(40900, "conflict").meta({ description: "It cannot be done as things stand." });
export const rateLimitExceeded = error(42900, "rate_limit_exceeded").meta({ description: "Too many requests." });
export const internalServerError = error(50000, "internal_server_error").meta({ description: "The service failed." });

export type ErrorAnswer =
  | z.infer<typeof invalidRequest>
  | z.infer<typeof unauthorized>
  | z.infer<typeof forbidden>
  | z.infer<typeof notFound>
  | z.infer<typeof methodNotAllowed>
  | z.infer<typeof conflict>
  | z.infer<typeof rateLimitExceeded>
  | z.infer<typeof internalServerError>;
