import { factory } from "../context.ts";
import type { Health } from "./responses.ts";

export const health = factory.createApp();

// Up means able to serve: the secrets are there. D1 is not asked, as anybody may call this at any rate.
health.get("/healthz", (c) => c.json({ status: "ok" } satisfies Health));
