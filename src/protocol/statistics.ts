/** What transactions add up to, and how long each part of them took, as operators see it. */
import type { TransactionType } from "./transfer-types.ts";

/** What statistics are added up by. */
export const STATISTICS_BY = ["hour", "day", "account", "responseCode"] as const;

export type StatisticsBy = (typeof STATISTICS_BY)[number];

/**
 * The parts of a transaction's time:
 * - `gateway`: the gateway's own share, from the request's arrival until it is stored and sent, without the queue;
 * - `queue`: waiting for the terminal's turn or its connection;
 * - `delivery`: from sending until the terminal has accepted it;
 * - `customer`: from then until the terminal's result: customer and host;
 * - `recording`: from completing until the account has recorded it.
 */
export const TIMES = ["gateway", "queue", "delivery", "customer", "recording"] as const;

export type TimeName = (typeof TIMES)[number];

/** Milliseconds, at most a tenth above the exact value. So many percent of the transactions took no longer. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** null where no transaction has such a time. */
export type Times = Record<TimeName, Percentiles | null>;

/** Completed transactions by status. */
export interface StatusCounts {
  "00": number;
  "11": number;
}

export interface ResponseCodeCount {
  responseCode: string;
  statusCode: keyof StatusCounts;
  count: number;
}

/** What the transactions of some time add up to. Each counts once, in the hour (UTC) in which it completed. */
export interface Figures extends Times {
  transactions: StatusCounts;
  transTypes: Record<TransactionType, number>;
  /** The most frequent first. */
  responseCodes: ResponseCodeCount[];
  /** `00` of `00` and a terminal's own `11`, from 0 to 1; null where there is neither. */
  approvalRate: number | null;
}

/** One row. Of what it is added up by, the others are null. */
export interface StatisticsRow extends Figures {
  /** ISO 8601, UTC: the beginning of the hour. */
  hour: string | null;
  /** `YYYY-MM-DD`, UTC. */
  day: string | null;
  posId: string | null;
  responseCode: string | null;
}

/** An hour's figures, for a chart. */
export interface HourFigures extends Times {
  /** ISO 8601, UTC: the beginning of the hour. */
  hour: string;
  transactions: StatusCounts;
  approvalRate: number | null;
}
