/** Copies of the accounts' states in their objects. A deleted account stays: its posId is never reused. */
import type { AccountDetails, AccountStatus, AccountView } from "../account/rpc.ts";
import type { ACCOUNT_FILTERS } from "../../protocol/operator-filters.ts";
import { writeRow } from "./upsert.ts";
import { begins, startsWithIgnoreCase, compares, equals, lister } from "./listing.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface AccountRow extends AccountDetails {
  posId: string;
  status: AccountStatus;
  /** D1 stores 0 and 1. */
  signedChanges: 0 | 1 | boolean;
  createdAt: EpochMs;
}

const COLUMNS = `pos_id AS posId, merchant_id AS merchantId, currency, timezone, name, region, status,
  signed_changes AS signedChanges, created_at AS createdAt`;

export async function accountExists(db: D1Database, posId: string): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM accounts WHERE pos_id = ?").bind(posId).first()) !== null;
}

export function findAccount(db: D1Database, posId: string): Promise<AccountRow | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM accounts WHERE pos_id = ?`).bind(posId).first<AccountRow>();
}

/** Returns time zones by posId. Unknown accounts are missing. */
export async function readTimezones(db: D1Database, posIds: readonly string[]): Promise<Map<string, string>> {
  const { results } = await db
    .prepare("SELECT pos_id AS posId, timezone FROM accounts WHERE pos_id IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify([...new Set(posIds)]))
    .all<Pick<AccountRow, "posId" | "timezone">>();
  return new Map(results.map(({ posId, timezone }) => [posId, timezone]));
}

/** The accounts are in the order of their posIds. */
export const listAccounts = lister<AccountRow, typeof ACCOUNT_FILTERS, string>({
  columns: COLUMNS,
  table: "accounts",
  order: "pos_id",
  after: compares("pos_id", ">"),
  conditions: {
    posId: begins("pos_id"),
    name: startsWithIgnoreCase("name"),
    merchantId: equals("merchant_id"),
    status: equals("status"),
  },
  indexed: () => ["merchantId", "posId"],
});

export async function accountsNotSealedUnder(db: D1Database, kid: string, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT pos_id AS posId FROM accounts WHERE sealed_under <> ? ORDER BY pos_id LIMIT ?")
    .bind(kid, limit)
    .all<{ posId: string }>();
  return results.map(({ posId }) => posId);
}

interface AccountCopy extends AccountView {
  /** The master key that seals everything of the account; null if there is more than one. */
  sealedUnder: string | null;
}

/** A deleted account has no open bind keys and no prebind list. */
export function accountStatements(
  database: D1Database,
  { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt, sealedUnder }: AccountCopy,
  version: number,
): D1PreparedStatement[] {
  const copy = writeRow(
    database,
    "accounts",
    { pos_id: posId },
    {
      merchant_id: merchantId,
      currency,
      timezone,
      name,
      region,
      status,
      signed_changes: signedChanges ? 1 : 0,
      created_at: createdAt,
      sealed_under: sealedUnder ?? "",
      version,
    },
  );
  if (status !== "deleted") return [copy];
  return [
    copy,
    database.prepare("DELETE FROM bind_keys WHERE pos_id = ? AND used_by IS NULL").bind(posId),
    database.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
  ];
}
