/** What a business day adds up to. */
import type { TransactionType } from "./transfer-types.ts";

/** One line: what was done in one currency, of one type, over one channel. Nothing is netted: voids are lines of their own. */
export interface TotalsLine {
  /** ISO 4217. */
  currency: string;
  transType: TransactionType;
  /** null: neither the request nor the result names one. */
  paymentChannel: string | null;
  /** Completed 00. The amounts are sums, in decimal notation. */
  approved: { count: number; transAmt: string; cashAmt: string };
  /** Completed 11. */
  notApproved: { count: number };
}

/** Everything that is 22 at this moment. `transAmt`: the sum; null where several currencies are open. */
export interface UnresolvedTotals {
  count: number;
  transAmt: string | null;
}

/** A day's totals, as they are asked for and as `day.closed` tells them. */
export interface DayTotals {
  /** `YYYY-MM-DD` */
  day: string;
  /** The IANA time zone in which the day ends. */
  timezone: string;
  /** A closed day's totals never change. */
  closed: boolean;
  /** When it closes, or was due to: ISO 8601 with the offset of the time zone. */
  closesAt: string;
  /** The terminal that it is about; null: the whole account. */
  deviceId: string | null;
  /** null on a closed day. */
  unresolved: UnresolvedTotals | null;
  data: TotalsLine[];
}
