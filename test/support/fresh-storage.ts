/** Storage as a test file finds it: no rows, no objects. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

export async function freshStorage(): Promise<void> {
  // `reset` passes over an object that does not run, and so does D1 after a test that has ended all objects.
  await env.DATABASE.prepare("SELECT 1").run();
  await reset();
  await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);
}
