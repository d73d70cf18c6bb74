/** The metrics, which a monitoring system reads. */
import { readCounters } from "../../../d1/counters.ts";
import { readService } from "../../../d1/overview.ts";
import { describeCall } from "../../middleware/describe.ts";
import { noQuery } from "../../validation/validators.ts";
import { forViewers, operatorFactory } from "../authentication.ts";
import { readFromDatabase, wakeCoordinator } from "../overview/reading.ts";
import { READS_ONLY_DATABASE } from "../words.ts";
import { expositionText, TEXT_FORMAT } from "./exposition.ts";
import { metricSamples, type ServiceFigures } from "./samples.ts";
import type { EpochMs } from "../../../../protocol/time/units.ts";

export const metricsCalls = operatorFactory.createApp();

metricsCalls.get("/operator/metrics", forViewers, noQuery, wakeCoordinator, async (c) => {
  const now = Date.now();
  const figures = await readFromDatabase(c, (db) => readFigures(db, now));
  return c.body(expositionText(metricSamples(figures, c.env.VERSION.id, now)), 200, { "Content-Type": TEXT_FORMAT });
});

describeCall(metricsCalls, ({ headers }) => ({
  tag: "Operator figures",
  operationId: "getMetrics",
  summary: "Read metrics",
  description:
    "The metrics in the [text format of Prometheus](https://prometheus.io/docs/instrumenting/exposition_formats/), for a monitoring system. " +
    "[Metrics](/docs/metrics) lists all of them. If the database does not answer, `pos_gateway_d1_up` is 0, and only " +
    `\`pos_gateway_build_info\` is beside it. ${READS_ONLY_DATABASE}`,
  answers: {
    200: {
      description: "The metrics.",
      headers: headers(),
      content: {
        "text/plain": {
          schema: { type: "string" },
          examples: {
            metrics: {
              summary: "Some of the metrics",
              value:
                "# HELP pos_gateway_terminals_offline Terminals that were connected before and are not now.\n" +
                "# TYPE pos_gateway_terminals_offline gauge\npos_gateway_terminals_offline 13\n",
            },
          },
        },
      },
    },
  },
}));

async function readFigures(db: D1Database, now: EpochMs): Promise<ServiceFigures> {
  const [state, counted] = await Promise.all([readService(db, now), readCounters(db)]);
  return { state, ...counted };
}
