import { responseSchema } from "../../contracts/json-schema.ts";
import { BIND_KEY_LIFE, OPEN_BIND_KEYS } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { type Family, queryParameters } from "../openapi/operation.ts";
import { headers } from "../openapi/refusals.ts";
import { bindKeyQuery } from "./requests.ts";
import { bindKey } from "./responses.ts";

export const bindKeys: Family = {
  tag: "Terminals",
  caller: "access",
  responses: {
    BindKey: responseSchema(bindKey),
  },
  operations: {
    "GET /api/bind-terminal-key": {
      operationId: "getBindTerminalKey",
      summary: "Create a bind key for a terminal",
      description:
        `Returns a new key for one terminal, valid for ${duration(BIND_KEY_LIFE)}. An account has at most ${OPEN_BIND_KEYS} ` +
        "open keys; one more invalidates the oldest.",
      parameters: queryParameters(bindKeyQuery, {
        option: {
          description: "`image` returns the key as a QR code. Any other value, or none, returns JSON.",
          examples: ["image"],
        },
      }),
      answers: {
        200: {
          description: "The key, as JSON or as a QR code of exactly its text.",
          headers: {
            ...headers(),
            "X-Bind-Key-Expires-At": {
              $ref: "#/components/headers/X-Bind-Key-Expires-At",
              description: "Only with `option=image`.",
            },
          },
          content: {
            "application/json": { schema: { $ref: "#/components/schemas/BindKey" } },
            "image/png": { schema: { type: "string", contentMediaType: "image/png" } },
          },
        },
      },
    },
  },
};
