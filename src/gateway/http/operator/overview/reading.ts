/** What the overview and the metrics have in common: they read D1, and wake the coordinator. */
import { coordinatorStub } from "../../../coordinator/rpc.ts";
import { logError } from "../../../lib/log.ts";
import { withTimeout } from "../../../lib/with-timeout.ts";
import { SECOND } from "../../../../protocol/time/units.ts";
import type { RequestContext } from "../../middleware/context.ts";
import { operatorFactory } from "../authentication.ts";

/** Monitoring systems wait for ten seconds. */
const READ_WITHIN = 5 * SECOND;

/** The coordinator learns here that it was restarted: nothing else may call it for a quarter of an hour. */
export const wakeCoordinator = operatorFactory.createMiddleware(async (c, next) => {
  const called = coordinatorStub(c.env).watch();
  c.executionCtx.waitUntil(called.catch((error: unknown) => logError("coordinator_not_woken", error)));
  return next();
});

/** Returns null if D1 fails or does not answer in time. */
export async function readFromDatabase<Read>(
  c: RequestContext,
  read: (db: D1Database) => Promise<Read>,
): Promise<Read | null> {
  try {
    return await withTimeout(READ_WITHIN, read(c.env.DATABASE));
  } catch (error) {
    logError("d1_not_reached", error, { traceId: c.get("traceId") });
    return null;
  }
}
