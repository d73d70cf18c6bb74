/**
 * The overview as OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec/). All are gauges: they count
 * the last hour or day, so they go up and down.
 */
import type { Overview } from "../../../../protocol/schemas/operator-overview.ts";
import { BUCKETS, TIMES } from "../../../../protocol/statistics.ts";
import type { Figures } from "../../../../protocol/schemas/operator-statistics.ts";
import { SECOND } from "../../../../protocol/time/units.ts";

type Sample = [value: number, labels?: Record<string, string>];

/** @param overview null: D1 does not answer */
export function metricsText(overview: Overview | null): string {
  const up = "Whether the database answers. If not, there is no other metric, and payments continue.";
  const others = overview === null ? [] : metricsOf(overview);
  return `${family("d1_up", up, [[overview === null ? 0 : 1]])}${others.join("")}# EOF\n`;
}

function metricsOf(shown: Overview): string[] {
  const { incidents, terminals, offline, conflict, pending, accounts, webhooks, outbox, notApproved } = shown;
  const now = Date.parse(shown.at);
  const age = (since: string | null): Sample[] =>
    since === null ? [] : [[Math.max(now - Date.parse(since), 0) / SECOND]];
  const inWindows = (samplesOf: (figures: Figures, window: string) => Sample[]): Sample[] => [
    ...samplesOf(shown.lastHour, "hour"),
    ...samplesOf(shown.lastDay, "day"),
  ];
  return [
    family(
      "incidents",
      "What somebody must look at now, by kind: lines of the overview.",
      [...Map.groupBy(incidents, ({ kind }) => kind)].map(([kind, { length }]) => [length, { kind }]),
    ),
    family("conflict", "Completed transactions that their terminals contradict, until an operator closes them.", [
      [conflict.count],
    ]),
    family("conflict_oldest_seconds", "The age of the oldest of them; missing if there is none.", age(conflict.oldest)),
    family(
      "terminals",
      "Terminals that are not retired, by state. A connected one, heard within 70 seconds, is enrolled, too.",
      Object.entries(terminals).map(([state, value]) => [value, { state }]),
    ),
    family("terminals_offline", "Terminals that were connected before and are not now.", [[offline.terminals]]),
    family(
      "pending",
      "Transactions that are 22 now, by currency.",
      pending.amounts.map(({ currency, count }) => [count, { currency }]),
    ),
    family(
      "pending_amount",
      "What cards may have been charged for them, in units of the currency.",
      pending.amounts.map(({ currency, transAmt }) => [Number(transAmt), { currency }]),
    ),
    family("pending_oldest_seconds", "The age of the oldest of them; missing if there is none.", age(pending.oldest)),
    family(
      "account_conflict",
      "Contradicted transactions by account.",
      accounts.open.filter((one) => one.conflict > 0).map((one) => [one.conflict, { account: one.posId }]),
    ),
    family(
      "account_pending_oldest_seconds",
      "The age of the oldest 22 by account: one account's does not hide another's.",
      accounts.open.flatMap((one) => age(one.oldestPending).map(([value]): Sample => [value, { account: one.posId }])),
    ),
    family("lists_cut", "Whether a list has more than is counted here.", [
      [Number(accounts.more), { list: "accounts" }],
      [Number(offline.more), { list: "offline" }],
      [Number(webhooks.more), { list: "webhooks" }],
    ]),
    family(
      "webhooks",
      "Webhook endpoints that are disabled, except by their account, and enabled ones that are behind.",
      [
        [webhooks.disabled, { state: "disabled" }],
        [webhooks.behind, { state: "behind" }],
      ],
    ),
    family(
      "outbox_oldest_seconds",
      "The age of the oldest change that the database has refused and lacks; missing if none is known.",
      age(outbox.oldest),
    ),
    family("outbox_entries", "Changes that wait in outboxes because the database has refused some of them.", [
      [outbox.entries],
    ]),
    family(
      "turnover",
      "The turnover, by currency: approved sales and cashOuts minus voids, in units of the currency.",
      inWindows(({ turnover }, window) =>
        turnover.map(({ currency, transAmt }) => [Number(transAmt), { currency, window }]),
      ),
    ),
    family(
      "transactions",
      "Transactions that completed in the current hour and the one before, or the 23 before, by status.",
      inWindows(({ transactions }, window) =>
        Object.entries(transactions).map(([status, value]) => [value, { status, window }]),
      ),
    ),
    family(
      "approval_ratio",
      "The share of 00 in what terminals approved or declined; missing if there is none.",
      inWindows(({ approvalRate }, window) => (approvalRate === null ? [] : [[approvalRate, { window }]])),
    ),
    family(
      "not_approved",
      "Transactions of the last day that are 11, by responseCode.",
      notApproved.map(({ responseCode, count }) => [count, { code: responseCode }]),
    ),
    family("part_seconds", "How long each part of the transactions took.", inWindows(partSamples), "gaugehistogram"),
  ];
}

function partSamples(figures: Figures, window: string): Sample[] {
  return TIMES.flatMap((part) => {
    const histogram = figures[part];
    if (histogram === null) return [];
    const buckets = BUCKETS.map((bound): Sample => [
      histogram.within[`${bound}`],
      { part, window, le: String(bound / SECOND) },
    ]);
    return [...buckets, [histogram.count, { part, window, le: "+Inf" }]];
  });
}

const UNIT = /_(seconds|ratio)$/;

const SUFFIX = { gauge: "", gaugehistogram: "_bucket" };

/** @param name ends with its unit, if it has one */
function family(name: string, help: string, samples: Sample[], type: "gauge" | "gaugehistogram" = "gauge"): string {
  const whole = `pos_gateway_${name}`;
  const unit = UNIT.exec(name)?.[1];
  const lines = [
    `# TYPE ${whole} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${whole} ${unit}`]),
    `# HELP ${whole} ${escaped(help)}`,
    ...samples.map(([value, labels = {}]) => `${whole}${SUFFIX[type]}${labelText(labels)} ${value}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function labelText(labels: Record<string, string>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

/** OpenMetrics 1.0, "ABNF": the characters to escape in help texts and label values. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
