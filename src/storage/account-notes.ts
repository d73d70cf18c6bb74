/** What an account's object tells D1 of itself: a copy for listings, and the rows of its outbox. */
import type { AccountView } from "../account/calls.ts";
import { auditOnce, type NumberedAuditEntry } from "./audit.ts";

/** What D1 should say of this account now. */
export interface AccountNote extends AccountView {
  /** The kid of the master key that its signing keys are sealed under; null where they do not tell. */
  sealedUnder: string | null;
}

/**
 * Tells D1 all of it, or nothing. A note only overwrites an older one, by the version of the terms, so one that comes
 * late or twice does no harm. Bind keys that are open, and the prebind list, go with the account.
 *
 * @param audit rows of the object's outbox, in their order; the log takes each once
 */
export async function writeAccountNote(
  database: D1Database,
  { posId, merchantId, currency, timezone, name, region, status, createdAt, sealedUnder, version }: AccountNote,
  audit: readonly NumberedAuditEntry[],
): Promise<void> {
  const copy = database
    .prepare(
      `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, name, region, status, created_at, sealed_under,
         terms_version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (pos_id) DO UPDATE SET merchant_id = excluded.merchant_id, currency = excluded.currency,
         timezone = excluded.timezone, name = excluded.name, region = excluded.region, status = excluded.status,
         created_at = excluded.created_at, sealed_under = excluded.sealed_under, terms_version = excluded.terms_version
       WHERE excluded.terms_version >= accounts.terms_version`,
    )
    .bind(posId, merchantId, currency, timezone, name, region, status, createdAt, sealedUnder, version);
  await database.batch([
    ...audit.map((entry) => auditOnce(database, `account:${posId}`, entry)),
    copy,
    ...(status === "deleted" ? forget(database, posId) : []),
  ]);
}

/** What a deleted account leaves behind that nobody needs. A used key is needed until its bind is complete. */
function forget(database: D1Database, posId: string): D1PreparedStatement[] {
  return [
    database.prepare("DELETE FROM bind_keys WHERE pos_id = ? AND used_by IS NULL").bind(posId),
    database.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
  ];
}
