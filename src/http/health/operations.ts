import { responseSchema } from "../../contracts/json-schema.ts";
import type { Family } from "../openapi/operation.ts";
import * as responses from "./responses.ts";

export const health: Family = {
  tag: "Service",
  caller: "none",
  responses: { Health: responseSchema(responses.health) },
  operations: {
    "GET /healthz": {
      operationId: "getHealth",
      summary: "Check the service",
      description: "Returns 200 if the service has its secrets. Does not check the database.",
      answers: { 200: { description: "The service is up.", schema: "Health" } },
    },
  },
};
