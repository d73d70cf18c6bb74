/** The RPC calls of the Worker about an account's transactions. The rules are in `account.ts`. */
import type { AccountTransaction } from "../protocol/events.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import type { DayTotals } from "../protocol/totals.ts";
import type { CountedHours } from "../statistics/counted-day.ts";
import type { TransactionType } from "../protocol/transfer-types.ts";

/** Only transactions that match every filter; null matches any. */
export interface TransactionFilters {
  /** `YYYY-MM-DD`. An open transaction has no day. */
  day: string | null;
  deviceId: string | null;
  statusCode: StatusCode | null;
  transType: TransactionType | null;
  referenceId: string | null;
  /** Added later: an object of the version before ignores it. */
  responseCode?: string | null;
}

export interface ListQuestion {
  filters: TransactionFilters;
  /** `next` of the previous page; null: start with the newest. */
  before: number | null;
  limit: number;
  /**
   * Only those that were recorded, as they stand, from one time on and before another: epoch milliseconds; null: any. Added
   * later: an object of the version before ignores it.
   */
  period?: { from: number | null; to: number | null };
}

export type ListAnswer =
  /**
   * Newest first. `next` is null on the last page. A page may be shorter than its limit, or empty, and still have a `next`.
   */
  | { kind: "page"; data: AccountTransaction[]; next: number | null }
  /** The reference is claimed but has no record: ask its terminal's object. */
  | { kind: "ask"; deviceId: string };

/** The object throws if there is no account. */
export interface ListCalls {
  transactions(question: ListQuestion): Promise<ListAnswer>;
  /**
   * What a business day adds up to.
   *
   * @param day `YYYY-MM-DD`; null: the day that a completion counts for now
   * @param deviceId null: the whole account
   */
  totals(day: string | null, deviceId: string | null): Promise<DayTotals>;
  /**
   * What completed transactions add up to: of the days (since 1970, UTC) from one to another, both included. Days without
   * one are missing.
   */
  statistics(from: number, to: number): Promise<[day: number, hours: CountedHours][]>;
  /** Whether a terminal is or was bound to the account. */
  hasDevice(terminalId: string): Promise<boolean>;
}
