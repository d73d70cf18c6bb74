/** A list of statistics has one row for each of these. */
export const STATISTICS_BY = ["hour", "day", "account", "responseCode"] as const;

export type StatisticsBy = (typeof STATISTICS_BY)[number];

/**
 * The parts of a transaction's time that somebody answers for:
 * - `gateway`: the gateway's own share, from the request's arrival until it is stored and sent, without the queue;
 * - `delivery`: from sending until the terminal has accepted it;
 * - `customer`: from accepting until the terminal's result, for the customer and the host.
 */
export const TIMES = ["gateway", "delivery", "customer"] as const;

export type TimeName = (typeof TIMES)[number];

/**
 * The upper bounds of a histogram's buckets. They never change, so the counts of any accounts and hours
 * can be summed (https://prometheus.io/docs/practices/histograms/).
 */
export const BUCKETS = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000] as const;

/** Where pages and command line say which share took at most so long. */
export const SHOWN_BUCKETS = { gateway: 250, delivery: 1_000, customer: 30_000 } as const satisfies Record<
  TimeName,
  (typeof BUCKETS)[number]
>;

/** Stands for the response codes beyond those that are counted or shown each by itself. */
export const OTHER_CODES = "(other)";
