/** For a page that asks every few seconds. */
import type { Overview } from "../../../../protocol/schemas/operator-overview.ts";
import { computeChart, listNotApproved, computeFigures } from "../statistics/figures.ts";
import { HOURS_A_DAY, sumTallies, type Tally } from "../../../statistics/tally.ts";
import { readService } from "../../../d1/overview.ts";
import { lastHoursOfService } from "../../../d1/statistics.ts";
import { HOUR, type EpochMs } from "../../../../protocol/time/units.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { DATABASE_AWAY, refuse } from "../../middleware/errors.ts";
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory, forViewers } from "../authentication.ts";
import { readFromDatabase, wakeCoordinator } from "./reading.ts";
import { findIncidents, moneyOpen } from "./incidents.ts";
import { READS_ONLY_DATABASE } from "../words.ts";
import { describeCall } from "../../middleware/describe.ts";

export const overviewCalls = operatorFactory.createApp();

overviewCalls.get("/operator/overview", forViewers, noQuery, wakeCoordinator, async (c) => {
  const shown = await readFromDatabase(c, (db) => readOverview(db, Date.now()));
  return shown === null ? refuse(c, DATABASE_AWAY) : c.json(shown);
});

describeCall(overviewCalls, () => ({
  tag: "Operator figures",
  operationId: "getOverview",
  summary: "Read the overview",
  description:
    "What is broken now, how business is, and how fast it is. Transactions are counted about a minute after " +
    "they were completed. What is `22` and the " +
    `webhooks that need attention are shown immediately. ${READS_ONLY_DATABASE}`,
  answers: { 200: ["The overview.", "Overview"] },
}));

async function readOverview(db: D1Database, now: EpochMs): Promise<Overview> {
  const present = Math.floor(now / HOUR);
  const [service, tallies] = await Promise.all([
    readService(db, now),
    lastHoursOfService(db, present, 2 * HOURS_A_DAY),
  ]);
  const { terminals, offline, offlineTerminals, accounts, alerts, outbox, cut } = service;
  const hours = Array.from({ length: HOURS_A_DAY }, (_, index) => present - HOURS_A_DAY + 1 + index);
  const of = (hour: number): Tally => tallies.get(hour) ?? new Map<string, number>();
  const lastDay = computeFigures(sumTallies(hours.map(of)));
  const before = computeChart(sumTallies(hours.map((hour) => of(hour - HOURS_A_DAY))));
  return {
    at: utc(now),
    incidents: findIncidents(service, now),
    terminals: { enrolled: terminals.enrolled, bound: terminals.bound, connected: terminals.connected },
    offline: {
      terminals: offlineTerminals,
      shops: offline.map(({ since, latest, allOffline, ...shop }) => ({
        ...shop,
        since: utc(since),
        latest: utc(latest),
        allOffline: allOffline === 1,
      })),
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
    lastDay,
    dayBefore: { transactions: before.transactions, turnover: before.turnover, approvalRate: before.approvalRate },
    hours: hours.map((hour) => ({ hour: utc(hour * HOUR), ...computeChart(of(hour)) })),
    notApproved: listNotApproved(lastDay),
  };
}
