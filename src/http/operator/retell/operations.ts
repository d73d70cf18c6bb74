import { requestSchema, responseSchema } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";
import { retelling } from "./requests.ts";
import { retold } from "./responses.ts";

export const retell: Family = {
  tag: "Operator",
  caller: "operator",
  requests: {
    Retelling: requestSchema(
      retelling,
      {
        id: { description: "An account's posId or a terminal's id. Without it, all of them.", examples: ["POS-1001"] },
      },
      { description: "Whose state D1 gets again.", examples: [{ id: "POS-1001" }] },
    ),
  },
  responses: { Retold: responseSchema(retold) },
  operations: {
    "POST /operator/retell": {
      operationId: "retell",
      summary: "Write objects' state to D1 again",
      description:
        "For lists that are wrong although nothing is reported as behind. Accounts and terminals write to D1 what they know: an " +
        "account or terminal at once, all of them at 50 a second. The gateway does this by itself after a restore of D1.",
      body: { description: "Optional.", schema: "Retelling", optional: true },
      answers: { 200: { description: "Which objects.", schema: "Retold" } },
      refusals: { 404: "There is no such account or terminal, or no operator is set." },
    },
  },
};
