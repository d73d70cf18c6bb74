import { factory } from "../middleware/context.ts";
import type { Health } from "../../../protocol/accounts.ts";
import { describeCall } from "../middleware/describe.ts";

export const healthCall = factory.createApp();

// Checks the secrets but not D1: anyone may call this at any rate.
healthCall.get("/healthz", (c) => c.json({ status: "ok" } satisfies Health));

describeCall(healthCall, () => ({
  tag: "Service",
  operationId: "getHealth",
  summary: "Check the service",
  description: "Returns 200 if the service has its secrets. Does not check the database.",
  answers: { 200: ["The service is up.", "Health"] },
}));
