/**
 * The places where a search over all accounts looks: the fingerprints of completed payments, and the rows of open ones.
 * Each names candidates that only the account's object can confirm.
 */
import { DAY, type EpochMs } from "../../protocol/time/units.ts";
import { accountObject, WAITING_NOTE_LIFE } from "./objects.ts";
import type { SearchTerms } from "../account/rpc.ts";
import {
  encodeSearchTerms,
  coverDays,
  FINGERPRINTS_SIZE,
  computeLatestEnd,
  mayBe,
  unpackFingerprints,
} from "./fingerprints.ts";

/** Rows, and bytes of fingerprints, that a query of a search reads: small steps, so that no search delays others. */
export const SEARCH_PAGE = 5_000;
const SEARCH_BYTES = 4_000_000;

/** A search reads at most this many rows: the payments of eight days of 25,000 accounts. */
export const SEARCHED_ROWS = 200_000;

/** A null stands for all of them. */
export interface SearchedAccounts {
  posId: string | null;
  merchantId: string | null;
}

/** A candidate is either the number of an event, or a reference. */
export type Candidate = { posId: string; event: number } | { posId: string; referenceId: string };

export interface Scan {
  candidates: Candidate[];
  /** The search includes what was completed from here on. */
  from: EpochMs;
  /** Whether a limit was reached: `from` is later than wanted. */
  isCut: boolean;
  /** The accounts with more payments in a day than D1 keeps fingerprints of. */
  overfull: string[];
}

interface Bounds {
  /** `to` is excluded. */
  from: EpochMs;
  to: number;
  /** The time when the search must end. */
  deadline: EpochMs;
  candidates: number;
}

/** Scans the newest day first, until a limit is reached. Of more candidates, the newest are kept. */
export async function scanFingerprints(
  db: D1Database,
  searchTerms: SearchTerms,
  accounts: SearchedAccounts,
  { from, to, deadline, candidates: most }: Bounds,
): Promise<Scan> {
  const { first, last } = coverDays(from, to);
  const found = new NewestCandidates(searchTerms, most, from);
  let [day, after] = [last, ""];
  // Without a mark, every row has candidates.
  const mostRows = encodeSearchTerms(searchTerms).length === 0 ? SEARCH_PAGE : SEARCHED_ROWS;
  for (let read = 0; day >= first;) {
    if (read >= mostRows || Date.now() >= deadline) return found.scanUpTo(to, (day + 1) * DAY);
    const rows = await readPage(db, searchTerms, accounts, {
      day,
      after,
      limit: Math.min(SEARCH_PAGE, mostRows - read),
    });
    found.add(day, rows);
    const end = rows.at(-1);
    read += end?.number ?? 0;
    if (end?.isPageEnd === 1) after = end.posId;
    else if (found.isCut) break;
    else [day, after] = [day - 1, ""];
  }
  return found.scanUpTo(to);
}

class NewestCandidates {
  readonly #searchTerms: SearchTerms;
  readonly #most: number;
  readonly #from: EpochMs;
  readonly #overfull: string[] = [];
  #found: { posId: string; event: number; at: number }[] = [];
  /** Everything from here on is among the candidates. */
  #completeFrom: EpochMs;

  constructor(searchTerms: SearchTerms, most: number, from: EpochMs) {
    this.#searchTerms = searchTerms;
    this.#most = most;
    this.#from = from;
    this.#completeFrom = from;
  }

  /** Whether there were more than are kept. */
  get isCut(): boolean {
    return this.#completeFrom > this.#from;
  }

  add(day: number, rows: readonly FingerprintsRow[]): void {
    for (const { posId, payments, isFull } of rows) {
      if (isFull === 1) this.#overfull.push(posId);
      const matching = unpackFingerprints(day, payments).filter((one) => mayBe(one, this.#searchTerms));
      for (const { event, at } of matching) this.#found.push({ posId, event, at });
    }
    if (this.#found.length <= this.#most) return;
    this.#found = this.#found.toSorted((one, other) => other.at - one.at);
    this.#completeFrom = Math.max(this.#completeFrom, computeLatestEnd(this.#found[this.#most]?.at ?? 0));
    this.#found.length = this.#most;
  }

  /** @param unread everything before this time was not looked at; missing: all of it was */
  scanUpTo(to: number, unread: number | null = null): Scan {
    return {
      candidates: this.#found.map(({ posId, event }) => ({ posId, event })),
      from: Math.max(this.#from, Math.min(Math.max(this.#completeFrom, unread ?? 0), to)),
      isCut: this.isCut || unread !== null,
      overfull: this.#overfull,
    };
  }
}

interface FingerprintsRow {
  posId: string;
  /** Hexadecimal digits; empty if there is no candidate. */
  payments: string;
  /** The number in the page, from 1. */
  number: number;
  /** It is 1 if more rows of the day may follow. */
  isPageEnd: number;
  /** It is 1 if D1 keeps no more of the account's day. */
  isFull: number;
}

/** Returns the rows of a day that may have a candidate, those that are full, and the last one of the page. */
async function readPage(
  db: D1Database,
  searchTerms: SearchTerms,
  accounts: SearchedAccounts,
  { day, after, limit }: { day: number; after: string; limit: number },
): Promise<FingerprintsRow[]> {
  const bytes = encodeSearchTerms(searchTerms);
  const within = buildScope(accounts);
  const { results } = await db
    .prepare(
      `SELECT posId, iif(isCandidate, hex(payments), '') AS payments, number, isPageEnd, isFull FROM (
         SELECT *, number = ${limit} OR bytes >= ${SEARCH_BYTES} AS isPageEnd, size >= ${FINGERPRINTS_SIZE} AS isFull,
           ${["size > 0", ...bytes.map(() => "instr(payments, unhex(?))")].join(" AND ")} AS isCandidate
         FROM (
           SELECT pos_id AS posId, payments, length(payments) AS size, ROW_NUMBER() OVER (ORDER BY pos_id) AS number,
             SUM(length(payments)) OVER (ORDER BY pos_id) AS bytes, COUNT(*) OVER () AS rows
           FROM (SELECT pos_id, payments FROM fingerprints
             WHERE day = ? AND pos_id > ? AND ${within.sql} ORDER BY pos_id LIMIT ${limit}))
         WHERE bytes - size < ${SEARCH_BYTES})
       WHERE isCandidate OR isPageEnd OR isFull OR number = rows ORDER BY number`,
    )
    .bind(...bytes, day, after, ...within.values)
    .all<FingerprintsRow>();
  return results;
}

/**
 * Returns payments that are pending or have a conflicting result, the newest first: D1 has their references and
 * amounts, and no card numbers.
 */
export async function openCandidates(
  db: D1Database,
  { referenceId, amount, cardLastFour, from, to }: SearchTerms,
  accounts: SearchedAccounts,
  most: number,
): Promise<Candidate[]> {
  if (cardLastFour !== null) return [];
  const within = buildScope(accounts);
  const { results } = await db
    .prepare(
      `SELECT pos_id AS posId, body ->> 'referenceId' AS referenceId FROM pending
       WHERE open = 1 AND received_at BETWEEN ?1 AND ?2 AND COALESCE(body ->> 'referenceId' = ?3, ?3 IS NULL)
         AND COALESCE(COALESCE(trans_amt, 0) + COALESCE(body ->> 'cashAmt', 0) = ?4, ?4 IS NULL) AND ${within.sql}
       ORDER BY received_at DESC LIMIT ${most}`,
    )
    .bind(from ?? 0, (to ?? Number.MAX_SAFE_INTEGER) - 1, referenceId, amount, ...within.values)
    .all<{ posId: string; referenceId: string }>();
  return results;
}

/**
 * Returns the accounts that may have payments which D1 lacks: first those whose deliveries it has refused, then those that
 * have sold most since yesterday. D1 does not have the newest sales of the others.
 */
export async function accountsAhead(
  db: D1Database,
  { merchantId }: SearchedAccounts,
  now: EpochMs,
  most: number,
): Promise<string[]> {
  const accounts = buildScope({ posId: null, merchantId });
  const today = Math.floor(now / DAY);
  const { results } = await db
    .prepare(
      `SELECT posId FROM (
         SELECT substr(object, ${accountObject("").length + 1}) AS posId, 1 AS isWaiting, 0 AS bytes FROM outbox_waiting
         WHERE object LIKE '${accountObject("")}%' AND noted_at > ?1 AND ?2
         UNION ALL
         SELECT pos_id, 0, (SELECT SUM(length(payments)) FROM fingerprints
           WHERE day IN (?3, ?4) AND fingerprints.pos_id = accounts.pos_id)
         FROM accounts WHERE status <> 'deleted' AND ${accounts.sql})
       GROUP BY posId ORDER BY MAX(isWaiting) DESC, SUM(bytes) DESC LIMIT ${most}`,
    )
    .bind(now - WAITING_NOTE_LIFE, merchantId === null ? 1 : 0, today - 1, today, ...accounts.values)
    .all<{ posId: string }>();
  return results.map(({ posId }) => posId);
}

function buildScope({ posId, merchantId }: SearchedAccounts): { sql: string; values: string[] } {
  if (posId !== null) return { sql: "pos_id = ?", values: [posId] };
  if (merchantId === null) return { sql: "TRUE", values: [] };
  return { sql: "pos_id IN (SELECT pos_id FROM accounts WHERE merchant_id = ?)", values: [merchantId] };
}
