/** One row of statistics for each. */
export const STATISTICS_BY = ["hour", "day", "account", "responseCode"] as const;

export type StatisticsBy = (typeof STATISTICS_BY)[number];

/**
 * The parts of a transaction's time:
 * - `gateway`: the gateway's own share, from the request's arrival until it is stored and sent, without the queue;
 * - `queue`: waiting for the terminal's turn or its connection;
 * - `delivery`: from sending until the terminal has accepted it;
 * - `customer`: from accepting until the terminal's result, for the customer and the host;
 * - `recording`: from completing until the account has recorded it.
 */
export const TIMES = ["gateway", "queue", "delivery", "customer", "recording"] as const;

export type TimeName = (typeof TIMES)[number];
