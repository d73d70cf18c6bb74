import { responseSchema } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";
import * as responses from "./responses.ts";

export const masterKeys: Family = {
  tag: "Operator",
  caller: "operator",
  responses: {
    Reseal: responseSchema(responses.reseal),
  },
  operations: {
    "POST /operator/master-keys/reseal": {
      operationId: "resealSecrets",
      summary: "Re-encrypt with the current master key",
      description:
        "Encrypts signing keys and terminals' secrets with the first key of `MASTER_KEYS`, a bounded number per call: repeat " +
        "it until nothing is left. Returns the older keys that encrypt nothing any more. Keep such a key for a day after the " +
        "change: tokens that it signed end with their account's next midnight.",
      answers: { 200: { description: "The result, and what is left.", schema: "Reseal" } },
    },
  },
};
