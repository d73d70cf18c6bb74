import type { AccountTransaction } from "../../protocol/events.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { CallOptions } from "./options.ts";

/** Only transactions that match every member. */
export interface TransactionFilters {
  /** The business day that they count for, `YYYY-MM-DD`. */
  day?: string | undefined;
  deviceId?: string | undefined;
  /** `22`: everything that is open now. */
  statusCode?: StatusCode | undefined;
  transType?: TransactionType | undefined;
  referenceId?: string | undefined;
}

/** Without `day`, the open day; without `deviceId`, all terminals together. */
export interface TotalsQuestion {
  day?: string | undefined;
  deviceId?: string | undefined;
}

interface Line {
  json(path: string, options: CallOptions): Promise<Record<string, unknown>>;
}

/** A path with the defined members as its query. */
export function withQuery(path: string, members: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/**
 * Every matching transaction, newest first. Reads a page when it is needed.
 *
 * @param unexpected creates the error for an answer of another form
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
