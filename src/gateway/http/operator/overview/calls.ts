/** For a page that asks every few seconds, and for a monitoring system. */
import { logError } from "../../../lib/log.ts";
import type { Overview } from "../../../../protocol/schemas/operator-overview.ts";
import { chartOf, notApprovedOf, figuresOf } from "../statistics/figures.ts";
import { HOURS_A_DAY, sumOf, type Tally } from "../../../statistics/tally.ts";
import { readService } from "../../../d1/overview.ts";
import { lastDayOfService } from "../../../d1/statistics.ts";
import { HOUR, SECOND } from "../../../../protocol/time/units.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { withTimeout } from "../../../lib/with-timeout.ts";
import type { RequestContext } from "../../middleware/context.ts";
import { DATABASE_AWAY, refuse } from "../../middleware/errors.ts";
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import { coordinatorStub } from "../../../coordinator/rpc.ts";
import { findIncidents, moneyOpen } from "../../../coordinator/overview.ts";
import { metricsText } from "./metrics.ts";
import { describeCall } from "../../middleware/describe.ts";

export const overviewCalls = operatorFactory.createApp();

/** Monitoring systems wait for ten seconds. */
const READ_WITHIN = 5 * SECOND;

/** The coordinator learns here that it was restarted: nothing else may call it for a quarter of an hour. */
const wakeCoordinator = operatorFactory.createMiddleware(async (c, next) => {
  const called = coordinatorStub(c.env).watch();
  c.executionCtx.waitUntil(called.catch((error: unknown) => logError("coordinator_not_woken", error)));
  return next();
});

const NO_OBJECT = "Reads only the database and wakes no object, so a page may call it every few seconds.";

overviewCalls.get("/operator/overview", forViewers, noQuery, wakeCoordinator, async (c) => {
  const shown = await overviewNow(c);
  return shown === null ? refuse(c, DATABASE_AWAY) : c.json(shown);
});

describeCall(overviewCalls, () => ({
  tag: "Operator figures",
  operationId: "getOverview",
  summary: "Read the overview",
  description:
    "What is broken now, how business is, and how fast it is. Transactions are counted about a minute after " +
    "they were completed. What is `22` and the " +
    `webhooks that need attention are shown at once. ${NO_OBJECT}`,
  answers: { 200: ["The overview.", "Overview"] },
}));

/** OpenMetrics 1.0, part "Content-Type". */
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

overviewCalls.get("/operator/metrics", forViewers, noQuery, wakeCoordinator, async (c) =>
  c.body(metricsText(await overviewNow(c)), 200, { "Content-Type": OPEN_METRICS }),
);

describeCall(overviewCalls, ({ headers }) => ({
  tag: "Operator figures",
  operationId: "getMetrics",
  summary: "Read metrics",
  description: `The same as [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text, for a monitoring system. If the database does not answer, \`pos_gateway_d1_up\` is 0 and there is no other metric. ${NO_OBJECT}`,
  answers: {
    200: {
      description: "The metrics.",
      headers: headers(),
      content: {
        "application/openmetrics-text": {
          schema: { type: "string" },
          examples: {
            metrics: {
              summary: "Some of the metrics",
              value:
                "# TYPE pos_gateway_terminals_offline gauge\n# HELP pos_gateway_terminals_offline Terminals that were " +
                "connected before and are not now.\npos_gateway_terminals_offline 13\n# EOF\n",
            },
          },
        },
      },
    },
  },
}));

/** Null: D1 fails or does not answer in time. */
async function overviewNow(c: RequestContext): Promise<Overview | null> {
  try {
    return await withTimeout(READ_WITHIN, readOverview(c.env.DATABASE, Date.now()));
  } catch (error) {
    logError("d1_not_reached", error, { traceId: c.get("traceId") });
    return null;
  }
}

/** Wakes no object: everything is in D1. */
async function readOverview(db: D1Database, now: number): Promise<Overview> {
  const present = Math.floor(now / HOUR);
  const [service, tallies] = await Promise.all([readService(db, now), lastDayOfService(db, present)]);
  const { terminals, offline, accounts, alerts, outbox, cut } = service;
  const hours = Array.from({ length: HOURS_A_DAY }, (_, index) => present - HOURS_A_DAY + 1 + index);
  const of = (hour: number): Tally => tallies.get(hour) ?? new Map<string, number>();
  const lastDay = figuresOf(sumOf(hours.map(of)));
  const lately = sumOf([of(present - 1), of(present)]);
  const offlineTerminals = offline.reduce((before, shop) => before + shop.terminals, 0);
  return {
    at: utc(now),
    incidents: findIncidents(service, now),
    terminals,
    offline: {
      terminals: offlineTerminals,
      shops: offline.map(({ since, latest, ...shop }) => ({ ...shop, since: utc(since), latest: utc(latest) })),
      more: cut.includes("offline"),
    },
    ...moneyOpen(service.pending),
    accounts: {
      open: accounts.map(({ oldestConflict, oldestPending, ...account }) => ({
        ...account,
        oldestConflict: oldestConflict === null ? null : utc(oldestConflict),
        oldestPending: oldestPending === null ? null : utc(oldestPending),
      })),
      more: cut.includes("accounts"),
    },
    webhooks: {
      disabled: alerts.filter(({ disabledBy }) => disabledBy !== null).length,
      behind: alerts.filter(({ disabledBy }) => disabledBy === null).length,
      endpoints: alerts.map((alert) => ({ ...alert, since: utc(alert.since) })),
      more: cut.includes("webhooks"),
    },
    outbox: {
      objects: outbox.objects,
      entries: outbox.entries,
      oldest: outbox.oldest === null ? null : utc(outbox.oldest),
    },
    lastHour: figuresOf(lately),
    lastDay,
    hours: hours.map((hour) => ({ hour: utc(hour * HOUR), ...chartOf(of(hour)) })),
    notApproved: notApprovedOf(lastDay),
  };
}
