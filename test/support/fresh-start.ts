/**
 * Every file begins as if it were alone: the files share a workerd, whose start costs more than most of them, so what a
 * file leaves behind is taken away here. Its rows and objects before the next one, its mocks and false timers after it.
 */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

await reset();
await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
