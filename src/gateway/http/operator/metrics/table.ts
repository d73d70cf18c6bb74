/**
 * Every metric of the service. `GET /operator/metrics` and the reference page (`src/docs/metrics.md`) are made from this
 * table. Names and types follow https://prometheus.io/docs/practices/naming/.
 */

export const METRIC_PREFIX = "pos_gateway_";

export interface Metric {
  /** https://prometheus.io/docs/concepts/metric_types/ */
  type: "gauge" | "counter" | "histogram";
  help: string;
  /** What each label names. */
  labels?: Readonly<Record<string, string>>;
}

export type MetricName = keyof typeof METRICS;

/** By name, without the prefix, in the order in which they are exposed. */
export const METRICS = {
  build_info: {
    type: "gauge",
    help: "The deployed version that answers; always 1.",
    labels: {
      version: "Cloudflare's id of the version, as in `npx wrangler deployments list`; on your machine a random one",
    },
  },
  d1_up: {
    type: "gauge",
    help: "Whether D1 answers. If it is 0, only build_info is exposed beside it, and payments continue.",
  },
  transfers_total: {
    type: "counter",
    help: "Transfers that are completed.",
    labels: {
      status: "`00` or `11`",
      code: "the `responseCode`: one of the gateway's, or a terminal's of ISO 8583; `(other)` stands for all others",
      completed_by: "`terminal`, `gateway` or `operator`",
    },
  },
  transfer_seconds: {
    type: "histogram",
    help: "The time of each part of a completed transfer.",
    labels: {
      part:
        "`gateway`: from arrival until the request is stored and sent, without the queue; `delivery`: until the terminal has " +
        "accepted it; `customer`: until the terminal's result, for the customer and the host",
    },
  },
  conflicting_results_total: {
    type: "counter",
    help: "Results of terminals that contradict a completed transfer.",
  },
  conflicting_payments: {
    type: "gauge",
    help: "Completed transfers with a conflicting result that no operator has closed.",
  },
  account_conflicting_payments: {
    type: "gauge",
    help: "The same by account: at most 200 accounts that have conflicting or pending payments.",
    labels: { account: "the `posId`" },
  },
  pending_payments: {
    type: "gauge",
    help: "Transfers whose status is 22 now.",
  },
  pending_amount: {
    type: "gauge",
    help: "What cards may have been charged for pending payments, in units of the currency.",
    labels: { currency: "the currency" },
  },
  pending_oldest_seconds: {
    type: "gauge",
    help: "The age of the oldest pending payment; 0 if there is none.",
  },
  account_pending_oldest_seconds: {
    type: "gauge",
    help: "The same by account: at most 200 accounts that have conflicting or pending payments.",
    labels: { account: "the `posId`" },
  },
  terminals_enrolled: {
    type: "gauge",
    help: "Terminals that are not retired.",
  },
  terminals_bound: {
    type: "gauge",
    help: "Terminals that are bound to an account.",
  },
  terminals_connected: {
    type: "gauge",
    help: "Terminals with an open connection on which something was received within 70 seconds.",
  },
  terminals_offline: {
    type: "gauge",
    help: "Terminals that were connected before and are not now.",
  },
  terminal_connections_opened_total: {
    type: "counter",
    help: "How often a terminal went from offline to connected.",
  },
  terminal_connections_lost_total: {
    type: "counter",
    help: "How often a terminal went from connected to offline. One that is back within 10 seconds does not count.",
  },
  shop_offline: {
    type: "gauge",
    help: "1 for each shop of which every terminal that was ever connected is offline; at most 500, the latest first.",
    labels: { merchant: "the `merchantId`" },
  },
  logins_refused_total: {
    type: "counter",
    help: "Logins with wrong or unusable credentials, and operators' calls without a valid token.",
    labels: { caller: "`account`, `terminal` or `operator`" },
  },
  requests_limited_total: {
    type: "counter",
    help: "Requests that were answered with 429.",
    labels: { call: "`transfer`, `session` (logins and refreshes), `terminal`, `operator` or `other`" },
  },
  outbox_oldest_seconds: {
    type: "gauge",
    help: "The age of the oldest change that D1 has not accepted yet; 0 if none is known.",
  },
  outbox_entries: {
    type: "gauge",
    help: "Changes that wait in outboxes because D1 has refused some of them.",
  },
  webhooks_failing: {
    type: "gauge",
    help: "Webhook endpoints that need attention.",
    labels: { state: "`disabled`, except by the account; `behind`: enabled, and deliveries fail" },
  },
  lists_cut: {
    type: "gauge",
    help: "1 if the service has more of these than the overview and the metrics count.",
    labels: {
      list:
        "`accounts`: more than 200 have conflicting or pending payments; `offline`: 10,000 terminals or more are offline; " +
        "`webhooks`: more than 100 endpoints fail; `shops`: more than 500 are offline",
    },
  },
} as const satisfies Record<string, Metric>;
