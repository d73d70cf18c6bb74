/** The overview as OpenMetrics: every sample, under the name by which monitoring systems know it. */
import { describe, it } from "vitest";
import { metricsText } from "../../../../src/gateway/http/operator/overview/metrics.ts";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import { figuresOf } from "../../../../src/gateway/http/operator/statistics/figures.ts";
import { count, type OutcomeKind } from "../../../../src/gateway/statistics/tally.ts";

const SALE: OutcomeKind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };
const AT = "2026-11-20T10:00:00.000+00:00";

type Incident = Overview["incidents"][number];

function matter(kind: Incident["kind"]): Incident {
  const nothing = { posId: null, merchantId: null };
  return { ...nothing, kind, id: kind, title: kind, detail: kind, since: AT };
}

const nothing = figuresOf(new Map());
const sold = new Map<string, number>();
count(sold, SALE, { gateway: 7, customer: 70_000 }, { currency: "MYR", amount: 1_250 });
count(sold, { ...SALE, statusCode: "11", responseCode: "51" }, {});

const QUIET: Overview = {
  at: AT,
  incidents: [],
  terminals: { enrolled: 3, bound: 2, connected: 1 },
  offline: { terminals: 0, shops: [], more: false },
  conflict: { count: 0, oldest: null, amounts: [] },
  pending: { count: 0, oldest: null, amounts: [] },
  accounts: { open: [], more: false },
  webhooks: { disabled: 0, behind: 0, endpoints: [], more: false },
  outbox: { objects: 0, entries: 0, oldest: null },
  lastHour: nothing,
  lastDay: nothing,
  hours: [],
  notApproved: [],
};

/** Without what is for people. */
function samplesOf(overview: Overview | null): string[] {
  return metricsText(overview)
    .split("\n")
    .filter((line) => !line.startsWith("# HELP"));
}

const gauge = (name: string, ...samples: string[]): string[] => [
  `# TYPE pos_gateway_${name} gauge`,
  ...samples.map((sample) => `pos_gateway_${name}${sample}`),
];

const withUnit = (name: string, unit: string, ...samples: string[]): string[] => {
  const [type = "", ...rest] = gauge(name, ...samples);
  return [type, `# UNIT pos_gateway_${name} ${unit}`, ...rest];
};

/** The only value of the last day is in the buckets from this one on. */
function part(name: string, first: string): string[] {
  const bounds = ["0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf"];
  return bounds.map((le, at) => {
    const value = at >= bounds.indexOf(first) ? 1 : 0;
    return `pos_gateway_part_seconds_bucket{part="${name}",window="day",le="${le}"} ${value}`;
  });
}

describe("the metrics", () => {
  it("are zeros for a quiet service, without ages of missing things", ({ expect }) => {
    expect(samplesOf(QUIET)).toEqual([
      ...gauge("d1_up", " 1"),
      ...gauge("incidents"),
      ...gauge("conflict", " 0"),
      ...withUnit("conflict_oldest_seconds", "seconds"),
      ...gauge("terminals", '{state="enrolled"} 3', '{state="bound"} 2', '{state="connected"} 1'),
      ...gauge("terminals_offline", " 0"),
      ...gauge("pending"),
      ...gauge("pending_amount"),
      ...withUnit("pending_oldest_seconds", "seconds"),
      ...gauge("account_conflict"),
      ...withUnit("account_pending_oldest_seconds", "seconds"),
      ...gauge("lists_cut", '{list="accounts"} 0', '{list="offline"} 0', '{list="webhooks"} 0'),
      ...gauge("webhooks", '{state="disabled"} 0', '{state="behind"} 0'),
      ...withUnit("outbox_oldest_seconds", "seconds"),
      "# TYPE pos_gateway_outbox_entries gauge",
      "pos_gateway_outbox_entries 0",
      ...gauge("turnover"),
      ...gauge(
        "transactions",
        ...["hour", "day"].flatMap((window) =>
          ["11", "00"].map((status) => `{status="${status}",window="${window}"} 0`),
        ),
      ),
      ...withUnit("approval_ratio", "ratio"),
      ...gauge("not_approved"),
      "# TYPE pos_gateway_part_seconds gaugehistogram",
      "# UNIT pos_gateway_part_seconds seconds",
      "# EOF",
      "",
    ]);
  });

  it("have every number of a busy service, with its labels", ({ expect }) => {
    const busy: Overview = {
      ...QUIET,
      incidents: [matter("webhook"), matter("offline"), matter("webhook")],
      offline: { terminals: 4, shops: [], more: false },
      conflict: { count: 2, oldest: "2026-11-20T09:59:58.500+00:00", amounts: [] },
      pending: {
        count: 3,
        oldest: "2026-11-20T09:58:00.000+00:00",
        amounts: [
          { currency: "MYR", count: 1, transAmt: "12.50" },
          { currency: "SGD", count: 2, transAmt: "3.00" },
        ],
      },
      accounts: {
        open: [
          {
            posId: "A",
            conflict: 2,
            pending: 0,
            oldestConflict: "2026-11-20T09:59:58.500+00:00",
            oldestPending: null,
          },
          {
            posId: "B",
            conflict: 0,
            pending: 3,
            oldestConflict: null,
            oldestPending: "2026-11-20T09:58:00.000+00:00",
          },
        ],
        more: true,
      },
      webhooks: { disabled: 5, behind: 6, endpoints: [], more: false },
      outbox: { objects: 1, entries: 2, oldest: "2026-11-20T10:00:01.000+00:00" },
      lastDay: figuresOf(sold),
      notApproved: [{ responseCode: "51", statusCode: "11", count: 7 }],
    };
    const quiet = new Set(samplesOf(QUIET));
    expect(samplesOf(busy).filter((line) => !quiet.has(line))).toEqual([
      'pos_gateway_incidents{kind="webhook"} 2',
      'pos_gateway_incidents{kind="offline"} 1',
      "pos_gateway_conflict 2",
      "pos_gateway_conflict_oldest_seconds 1.5",
      "pos_gateway_terminals_offline 4",
      'pos_gateway_pending{currency="MYR"} 1',
      'pos_gateway_pending{currency="SGD"} 2',
      'pos_gateway_pending_amount{currency="MYR"} 12.5',
      'pos_gateway_pending_amount{currency="SGD"} 3',
      "pos_gateway_pending_oldest_seconds 120",
      'pos_gateway_account_conflict{account="A"} 2',
      'pos_gateway_account_pending_oldest_seconds{account="B"} 120',
      'pos_gateway_lists_cut{list="accounts"} 1',
      'pos_gateway_webhooks{state="disabled"} 5',
      'pos_gateway_webhooks{state="behind"} 6',
      // Clocks differ: an age is never negative.
      "pos_gateway_outbox_oldest_seconds 0",
      "pos_gateway_outbox_entries 2",
      'pos_gateway_turnover{currency="MYR",window="day"} 12.5',
      'pos_gateway_transactions{status="11",window="day"} 1',
      'pos_gateway_transactions{status="00",window="day"} 1',
      'pos_gateway_approval_ratio{window="day"} 0.5',
      'pos_gateway_not_approved{code="51"} 7',
      ...part("gateway", "0.01"),
      ...part("customer", "+Inf"),
    ]);
  });

  it("report a database that does not answer, and nothing else", ({ expect }) => {
    expect(samplesOf(null)).toEqual([...gauge("d1_up", " 0"), "# EOF", ""]);
  });
});
