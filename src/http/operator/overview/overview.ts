/** What `GET /operator/overview` and `GET /operator/metrics` show. */
import { decimal } from "../../../account/tally.ts";
import type { Overview } from "./responses.ts";
import { chartOf, declinesOf, figuresOf } from "../statistics/figures.ts";
import { emptyTally, sumOf, type Tally } from "../../../statistics/tally.ts";
import { SCANNED_ROWS } from "../../../storage/limits.ts";
import { readService } from "../../../storage/overview.ts";
import { ofService } from "../../../storage/statistics.ts";
import { HOUR } from "../../../time/units.ts";
import { isoWithOffset } from "../../../time/zone.ts";

/** How many hours before the current one are shown. */
const HOURS = 24;

/** Wakes no object: everything is in D1. */
export async function readOverview(db: D1Database, now: number): Promise<Overview> {
  const present = Math.floor(now / HOUR);
  const [service, sums] = await Promise.all([
    readService(db, now),
    ofService(db, "hour", { from: present - HOURS, to: present }),
  ]);
  const { terminals, offline, unresolved, alerts, untold } = service;
  const tallies = new Map(sums.map(({ unit, tally }) => [unit, tally]));
  const hours = Array.from({ length: HOURS + 1 }, (_, index) => present - HOURS + index);
  const of = (hour: number): Tally => tallies.get(hour) ?? emptyTally();
  const lastDay = figuresOf(sumOf(hours.map(of)));
  const offlineTerminals = offline.reduce((before, shop) => before + shop.terminals, 0);
  return {
    at: iso(now),
    terminals,
    offline: {
      terminals: offlineTerminals,
      shops: offline.map(({ since, latest, ...shop }) => ({ ...shop, since: iso(since), latest: iso(latest) })),
      more: offlineTerminals >= SCANNED_ROWS,
    },
    unresolved: {
      count: unresolved.reduce((before, { count }) => before + count, 0),
      oldest: unresolved.length === 0 ? null : iso(Math.min(...unresolved.map(({ oldest }) => oldest))),
      amounts: unresolved.map(({ currency, count, transAmt }) => ({ currency, count, transAmt: decimal(transAmt) })),
    },
    webhooks: {
      disabled: alerts.filter(({ disabledBy }) => disabledBy !== null).length,
      behind: alerts.filter(({ disabledBy }) => disabledBy === null).length,
      endpoints: alerts.map((alert) => ({ ...alert, since: iso(alert.since) })),
    },
    untold: { oldest: untold === null ? null : iso(untold) },
    lastHour: figuresOf(sumOf([of(present - 1), of(present)])),
    lastDay,
    hours: hours.map((hour) => ({ hour: iso(hour * HOUR), ...chartOf(of(hour)) })),
    declines: declinesOf(lastDay),
  };
}

function iso(at: number): string {
  return isoWithOffset(at, "UTC");
}
