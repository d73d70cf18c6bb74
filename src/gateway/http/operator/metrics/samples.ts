import { BUCKETS, type TimeName, TIMES } from "../../../../protocol/statistics.ts";
import { SECOND, type EpochMs } from "../../../../protocol/time/units.ts";
import { LIMITED_CALLS, LOGIN_CALLERS, type CounterName, type ServiceCounters } from "../../../d1/counters.ts";
import type { ServiceState } from "../../../d1/overview.ts";
import { bucketKey, parseOutcomeKey, sumKey, type Tally } from "../../../statistics/tally.ts";
import type { Sample } from "./exposition.ts";
import type { MetricName } from "./table.ts";

/** So many shops that are offline have a series of their own. */
const SHOPS_SHOWN = 500;

/** What D1 has at one moment. */
export interface ServiceFigures extends ServiceCounters {
  state: ServiceState;
}

/**
 * @param figures null: D1 does not answer
 */
export function metricSamples(
  figures: ServiceFigures | null,
  version: string,
  now: EpochMs,
): Partial<Record<MetricName, Sample[]>> {
  const always = {
    build_info: [{ value: 1, labels: { version } }],
    d1_up: [{ value: figures === null ? 0 : 1 }],
  };
  return figures === null ? always : { ...always, ...serviceSamples(figures, now) };
}

type ServiceMetric = Exclude<MetricName, "build_info" | "d1_up">;

function serviceSamples({ state, transfers, counters }: ServiceFigures, now: EpochMs): Record<ServiceMetric, Sample[]> {
  const { terminals, offline, offlineTerminals, pending, accounts, alerts, outbox, cut } = state;
  // Clocks differ: an age is never negative.
  const age = (since: number | null): number => (since === null ? 0 : Math.max(now - since, 0) / SECOND);
  const open = (kind: 0 | 1) => pending.filter(({ isConflicting }) => isConflicting === kind);
  const countOf = (kind: 0 | 1): number => open(kind).reduce((sum, { count }) => sum + count, 0);
  const shops = offline.filter(({ allOffline }) => allOffline).toSorted((a, b) => b.latest - a.latest);
  const disabled = alerts.filter(({ disabledBy }) => disabledBy !== null).length;
  const counted = (label: string, group: "login" | "limited", names: readonly string[]): Sample[] =>
    labelled(
      label,
      Object.fromEntries(names.map((name) => [name, counters.get(`${group} ${name}` as CounterName) ?? 0])),
    );
  return {
    transfers_total: transferCounts(transfers),
    transfer_seconds: TIMES.flatMap((part) => histogram(transfers, part)),
    conflicting_results_total: single(counters.get("conflict") ?? 0),
    conflicting_payments: single(countOf(1)),
    account_conflicting_payments: accounts
      .filter(({ conflict }) => conflict > 0)
      .map(({ posId, conflict }) => ({ value: conflict, labels: { account: posId } })),
    pending_payments: single(countOf(0)),
    pending_amount: open(0).map(({ currency, transAmt }) => ({ value: transAmt / 100, labels: { currency } })),
    pending_oldest_seconds: single(age(open(0).length === 0 ? null : Math.min(...open(0).map(({ oldest }) => oldest)))),
    account_pending_oldest_seconds: accounts
      .filter(({ oldestPending }) => oldestPending !== null)
      .map(({ posId, oldestPending }) => ({ value: age(oldestPending), labels: { account: posId } })),
    terminals_enrolled: single(terminals.enrolled),
    terminals_bound: single(terminals.bound),
    terminals_connected: single(terminals.connected),
    terminals_offline: single(offlineTerminals),
    terminal_connections_opened_total: single(terminals.opened),
    terminal_connections_lost_total: single(terminals.lost),
    shop_offline: shops
      .slice(0, SHOPS_SHOWN)
      .map(({ merchantId }) => ({ value: 1, labels: { merchant: merchantId ?? "" } })),
    logins_refused_total: counted("caller", "login", LOGIN_CALLERS),
    requests_limited_total: counted("call", "limited", LIMITED_CALLS),
    outbox_oldest_seconds: single(age(outbox.oldest)),
    outbox_entries: single(outbox.entries),
    webhooks_failing: labelled("state", { disabled, behind: alerts.length - disabled }),
    lists_cut: labelled("list", {
      accounts: Number(cut.includes("accounts")),
      offline: Number(cut.includes("offline")),
      webhooks: Number(cut.includes("webhooks")),
      shops: Number(shops.length > SHOPS_SHOWN),
    }),
  };
}

function single(value: number): Sample[] {
  return [{ value }];
}

function labelled(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => ({ value, labels: { [label]: name } }));
}

/** Types of transfers are counted together. */
function transferCounts(transfers: Tally): Sample[] {
  const counts = new Map<string, { value: number; labels: Record<string, string> }>();
  for (const [key, number] of transfers) {
    const kind = parseOutcomeKey(key);
    if (kind === null) continue;
    const labels = { status: kind.statusCode, code: kind.responseCode, completed_by: kind.completedBy };
    const series = Object.values(labels).join(" ");
    counts.set(series, { value: (counts.get(series)?.value ?? 0) + number, labels });
  }
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sample]) => sample);
}

/** Buckets are cumulative. */
function histogram(transfers: Tally, part: TimeName): Sample[] {
  let count = 0;
  const buckets = [...BUCKETS, Infinity].map((bound): Sample => {
    count += transfers.get(bucketKey(part, bound)) ?? 0;
    const le = bound === Infinity ? "+Inf" : String(bound / SECOND);
    return { value: count, labels: { part, le }, suffix: "_bucket" };
  });
  const sum = (transfers.get(sumKey(part)) ?? 0) / SECOND;
  return [
    ...buckets,
    { value: sum, labels: { part }, suffix: "_sum" },
    { value: count, labels: { part }, suffix: "_count" },
  ];
}
