/**
 * Every file begins as if it were alone: the files share a workerd, whose start costs more than most of them, so what a
 * file leaves behind is removed here. Its rows and objects before the next one, its mocks and false timers after it.
 */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

// `reset` passes over an object that does not run, and so does D1 after a test that has ended all objects.
await env.DATABASE.prepare("SELECT 1").run();
await reset();
await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
