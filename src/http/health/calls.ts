import * as answers from "../../protocol/schemas/accounts.ts";
import { factory } from "../context.ts";
import type { Health } from "../../protocol/accounts.ts";
import type { Family } from "../openapi/operation.ts";

export const health = factory.createApp();

// Checks the secrets but not D1: anyone may call this at any rate.
health.get("/healthz", (c) => c.json({ status: "ok" } satisfies Health));

export function healthContract(): Family {
  return {
    tag: "Service",
    caller: "none",
    responses: { Health: answers.health },
    operations: {
      "GET /healthz": {
        operationId: "getHealth",
        summary: "Check the service",
        description: "Returns 200 if the service has its secrets. Does not check the database.",
        answers: { 200: ["The service is up.", "Health"] },
      },
    },
  };
}
