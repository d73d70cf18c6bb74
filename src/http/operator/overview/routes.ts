/** The current state of the service, for a page that asks every few seconds and for a monitoring system. */
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { metricsText } from "./metrics.ts";
import { readOverview } from "./overview.ts";

export const overview = operatorFactory.createApp();

overview.get("/operator/overview", noQuery, async (c) => c.json(await readOverview(c.env.DATABASE, Date.now())));

/** OpenMetrics 1.0, part "Content-Type". */
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

overview.get("/operator/metrics", noQuery, async (c) => {
  const shown = await readOverview(c.env.DATABASE, Date.now());
  return c.body(metricsText(shown), 200, { "Content-Type": OPEN_METRICS });
});
