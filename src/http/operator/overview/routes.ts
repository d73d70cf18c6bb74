/** The current state of the service, for a page that asks every few seconds and for a monitoring system. */
import { logError } from "../../../log.ts";
import type { Overview } from "../../../protocol/overview.ts";
import { SECOND } from "../../../time/units.ts";
import { within } from "../../../within.ts";
import type { RequestContext } from "../../context.ts";
import { refuse } from "../../errors.ts";
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { metricsText } from "./metrics.ts";
import { readOverview } from "./overview.ts";

export const overview = operatorFactory.createApp();

/** How long D1 may take. Monitoring systems wait for ten seconds. */
const READ_WITHIN = 5 * SECOND;

const AWAY = "The database does not answer. Payments continue.";

overview.get("/operator/overview", noQuery, async (c) => {
  const shown = await overviewNow(c);
  return shown === null ? refuse(c, { kind: "internal_server_error", message: AWAY }) : c.json(shown);
});

/** OpenMetrics 1.0, part "Content-Type". */
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

overview.get("/operator/metrics", noQuery, async (c) =>
  c.body(metricsText(await overviewNow(c)), 200, { "Content-Type": OPEN_METRICS }),
);

/** null: D1 fails, or does not answer. */
async function overviewNow(c: RequestContext): Promise<Overview | null> {
  try {
    return await within(READ_WITHIN, readOverview(c.env.DATABASE, Date.now()));
  } catch (error) {
    logError("database-away", error, { traceId: c.get("traceId") });
    return null;
  }
}
