/** What the Worker asks an account's object about its transactions. See `calls.ts` for the rules. */
import type { AccountTransaction } from "../protocol/events.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import type { DayTotals } from "../protocol/totals.ts";
import type { TransactionType } from "../protocol/transfer-types.ts";

/** Which transactions are meant: those that have all of this; null: any. */
export interface TransactionFilters {
  /** `YYYY-MM-DD`. What is open has no day. */
  day: string | null;
  deviceId: string | null;
  statusCode: StatusCode | null;
  transType: TransactionType | null;
  referenceId: string | null;
}

export interface ListQuestion {
  filters: TransactionFilters;
  /** `next` of the page before; null: the newest. */
  before: number | null;
  /** How many at most. */
  limit: number;
}

export type ListAnswer =
  /** Newest first. `next`: there may be more; a page may have fewer than asked for, or none, and still have one. */
  | { kind: "page"; data: AccountTransaction[]; next: number | null }
  /** The reference that is asked for is claimed, and nothing is recorded under it: its terminal's object knows. */
  | { kind: "ask"; deviceId: string };

/** The object throws where there is no account. */
export interface ListCalls {
  transactions(question: ListQuestion): Promise<ListAnswer>;
  /**
   * What a business day adds up to.
   *
   * @param day `YYYY-MM-DD`; null: the day that a settlement counts for now
   * @param deviceId null: the whole account
   */
  totals(day: string | null, deviceId: string | null): Promise<DayTotals>;
  /** Whether a terminal is, or ever was, bound to the account. */
  hasDevice(terminalId: string): Promise<boolean>;
}
