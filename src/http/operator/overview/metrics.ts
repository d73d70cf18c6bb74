/**
 * The overview as OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec/). All are gauges: they count
 * the last hour or day, so they go up and down.
 */
import type { Overview } from "./responses.ts";
import { TIMES } from "../../../protocol/statistics.ts";
import type { Figures } from "../statistics/responses.ts";
import { SECOND } from "../../../time/units.ts";

interface Sample {
  labels?: Record<string, string>;
  value: number;
}

interface Metric {
  /** Ends with the unit, if it has one. */
  name: string;
  /** A gauge by default. */
  type?: "summary";
  help: string;
  samples: Sample[];
}

/** @param overview null: D1 does not answer */
export function metricsText(overview: Overview | null): string {
  const up: Metric = {
    name: "pos_gateway_d1_up",
    help: "Whether the database answers. If not, there is no other metric, and payments continue.",
    samples: [{ value: overview === null ? 0 : 1 }],
  };
  return `${[up, ...(overview === null ? [] : metricsOf(overview))].map(familyText).join("")}# EOF\n`;
}

function metricsOf(shown: Overview): Metric[] {
  const { matters, terminals, offline, contrary, unresolved, webhooks, untold, declines } = shown;
  const now = Date.parse(shown.at);
  const age = (since: string | null): Sample[] =>
    since === null ? [] : [{ value: Math.max(now - Date.parse(since), 0) / SECOND }];
  const windows: [window: string, figures: Figures][] = [
    ["hour", shown.lastHour],
    ["day", shown.lastDay],
  ];
  return [
    {
      name: "pos_gateway_matters",
      help: "What somebody must look at now, by kind: lines of the overview.",
      samples: [...Map.groupBy(matters, ({ kind }) => kind)].map(([kind, { length }]) => ({
        labels: { kind },
        value: length,
      })),
    },
    {
      name: "pos_gateway_contrary",
      help: "Completed transactions that their terminals contradict, until an operator closes them.",
      samples: [{ value: contrary.count }],
    },
    {
      name: "pos_gateway_contrary_oldest_seconds",
      help: "The age of the oldest of them; missing if there is none.",
      samples: age(contrary.oldest),
    },
    {
      name: "pos_gateway_terminals",
      help: "Terminals that are not retired, by state. A connected one, heard within 70 seconds, is enrolled, too.",
      samples: Object.entries(terminals).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: "pos_gateway_terminals_offline",
      help: "Terminals that were connected before and are not now.",
      samples: [{ value: offline.terminals }],
    },
    {
      name: "pos_gateway_unresolved",
      help: "Transactions that are 22 now, by currency.",
      samples: unresolved.amounts.map(({ currency, count }) => ({ labels: { currency }, value: count })),
    },
    {
      name: "pos_gateway_unresolved_amount",
      help: "What cards may have been charged for them, in units of the currency.",
      samples: unresolved.amounts.map(({ currency, transAmt }) => ({ labels: { currency }, value: Number(transAmt) })),
    },
    {
      name: "pos_gateway_unresolved_oldest_seconds",
      help: "The age of the oldest of them; missing if there is none.",
      samples: age(unresolved.oldest),
    },
    {
      name: "pos_gateway_webhooks",
      help: "Webhook endpoints that are disabled, except by their account, and enabled ones that are behind.",
      samples: [
        { labels: { state: "disabled" }, value: webhooks.disabled },
        { labels: { state: "behind" }, value: webhooks.behind },
      ],
    },
    {
      name: "pos_gateway_untold_oldest_seconds",
      help: "The age of the oldest change that the database lacks; missing if none is known.",
      samples: age(untold.oldest),
    },
    {
      name: "pos_gateway_transactions",
      help: "Transactions that completed in the current hour and the one before, or the 24 before, by status.",
      samples: windows.flatMap(([window, { transactions }]) =>
        Object.entries(transactions).map(([status, value]) => ({ labels: { status, window }, value })),
      ),
    },
    {
      name: "pos_gateway_approval_ratio",
      help: "The share of 00 in what terminals approved or declined; missing if there is none.",
      samples: windows.flatMap(([window, { approvalRate }]) =>
        approvalRate === null ? [] : [{ labels: { window }, value: approvalRate }],
      ),
    },
    {
      name: "pos_gateway_declined",
      help: "Transactions of the last day that are 11, by responseCode.",
      samples: declines.map(({ responseCode, count }) => ({ labels: { code: responseCode }, value: count })),
    },
    {
      name: "pos_gateway_part_seconds",
      type: "summary",
      help: "How long each part of the transactions took.",
      samples: windows.flatMap(([window, figures]) => partSamples(window, figures)),
    },
  ];
}

function partSamples(window: string, figures: Figures): Sample[] {
  return TIMES.flatMap((part) => {
    const percentiles = figures[part];
    if (percentiles === null) return [];
    const quantiles = { "0.5": percentiles.p50, "0.95": percentiles.p95, "0.99": percentiles.p99 };
    return Object.entries(quantiles).map(([quantile, milliseconds]) => ({
      labels: { part, window, quantile },
      value: milliseconds / SECOND,
    }));
  });
}

const UNIT = /_(seconds|ratio)$/;

function familyText({ name, type, help, samples }: Metric): string {
  const unit = UNIT.exec(name)?.[1];
  const head = [
    `# TYPE ${name} ${type ?? "gauge"}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
  ];
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`);
  return [...head, ...lines].map((line) => `${line}\n`).join("");
}

function labelText(labels: Record<string, string>): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

/** OpenMetrics 1.0, "ABNF": the characters to escape in help texts and label values. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
