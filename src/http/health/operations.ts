import { made } from "../../contracts/json-schema.ts";
import type { Family } from "../openapi/operation.ts";
import * as responses from "./responses.ts";

export const health: Family = {
  tag: "Service",
  caller: "none",
  responses: { Health: made(responses.health) },
  operations: {
    "GET /healthz": {
      operationId: "getHealth",
      summary: "Is it up?",
      description: "Up means able to serve: the secrets are there. The database is not asked.",
      answers: { 200: { description: "It is up.", schema: "Health" } },
    },
  },
};
