import { factory } from "../context.ts";
import type { Health } from "./responses.ts";

export const health = factory.createApp();

// Checks that the secrets are there, but not D1: anyone may call this at any rate.
health.get("/healthz", (c) => c.json({ status: "ok" } satisfies Health));
