import type { AccountTransaction } from "../../protocol/events.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { CallOptions } from "./options.ts";

/** Which of the account's transactions are meant: those that have all of this. */
export interface TransactionFilters {
  /** The business day that they count for, `YYYY-MM-DD`. */
  day?: string | undefined;
  deviceId?: string | undefined;
  /** `22`: everything that is open now. */
  statusCode?: StatusCode | undefined;
  transType?: TransactionType | undefined;
  referenceId?: string | undefined;
}

/** Which totals are meant. Without `day`, the open one's; without `deviceId`, all terminals together. */
export interface TotalsQuestion {
  day?: string | undefined;
  deviceId?: string | undefined;
}

interface Line {
  json(path: string, options: CallOptions): Promise<Record<string, unknown>>;
}

/** A path with the members that are there as its query. */
export function withQuery(path: string, members: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/**
 * Every transaction that fits, page after page, newest first. A page is read when it is asked for.
 *
 * @param unexpected makes the error for an answer of another form
 */
export async function* listTransactions(
  line: Line,
  filters: TransactionFilters,
  options: CallOptions,
  unexpected: () => Error,
): AsyncGenerator<AccountTransaction, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { data, next } = await line.json(withQuery("/api/transactions", { ...filters, cursor }), options);
    if (!Array.isArray(data) || (next !== null && typeof next !== "string")) throw unexpected();
    yield* data as AccountTransaction[];
    if (next === null) return;
    cursor = next;
  }
}
