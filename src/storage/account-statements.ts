/** What an account's object writes to D1: a copy for lists. */
import type { AccountView } from "../rpc/standing.ts";

export interface AccountCopy extends AccountView {
  /** The kid of the master key that seals everything of the account; null if there is more than one. */
  sealedUnder: string | null;
}

/**
 * The statements that tell D1 the state of this version. D1 takes only a higher one, so a telling that comes late or twice
 * does no harm. A deleted account has no open bind keys and no prebind list.
 */
export function accountStatements(
  database: D1Database,
  { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt, sealedUnder }: AccountCopy,
  version: number,
  generation: string,
): D1PreparedStatement[] {
  const copy = database
    .prepare(
      `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, name, region, status, signed_changes, created_at,
         sealed_under, version, generation)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (pos_id) DO UPDATE SET merchant_id = excluded.merchant_id, currency = excluded.currency,
         timezone = excluded.timezone, name = excluded.name, region = excluded.region, status = excluded.status,
         signed_changes = excluded.signed_changes, created_at = excluded.created_at, sealed_under = excluded.sealed_under, version = excluded.version,
         generation = excluded.generation
       WHERE excluded.version > accounts.version`,
    )
    .bind(
      posId,
      merchantId,
      currency,
      timezone,
      name,
      region,
      status,
      signedChanges ? 1 : 0,
      createdAt,
      sealedUnder ?? "",
      version,
      generation,
    );
  if (status !== "deleted") return [copy];
  return [
    copy,
    database.prepare("DELETE FROM bind_keys WHERE pos_id = ? AND used_by IS NULL").bind(posId),
    database.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
  ];
}
