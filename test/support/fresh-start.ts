/**
 * Every file begins as if it were alone: the files share a workerd, whose start costs more than most of them, so what a
 * file leaves behind is removed here. Its rows and objects before the next one, its mocks and false timers after it.
 */
import { applyD1Migrations, listDurableObjectIds, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

/** The objects of earlier files, which are removed. */
const removed = ((globalThis as { removedObjects?: Set<string> }).removedObjects ??= new Set());

/**
 * `reset` passes over objects that do not run, such as those that a test has ended: their alarms would fire in this file, and
 * tell D1 of them. The coordinator is one object for all files.
 */
async function startAll(namespace: DurableObjectNamespace): Promise<void> {
  const ids = await listDurableObjectIds(namespace);
  const left = ids.filter((id) => namespace === env.COORDINATOR || !removed.has(String(id)));
  // One that cannot start has nothing that it could do.
  await Promise.allSettled(left.map((id) => runInDurableObject(namespace.get(id), () => undefined)));
  for (const id of left) removed.add(String(id));
}

/** Whether the database is empty. Starts it, so that `reset` does not pass over it. */
async function isEmpty(): Promise<boolean> {
  return (await env.DATABASE.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").first()) === null;
}

for (const namespace of [env.ACCOUNT, env.TERMINAL, env.COORDINATOR]) await startAll(namespace);
do await reset();
while (!(await isEmpty()));
await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
