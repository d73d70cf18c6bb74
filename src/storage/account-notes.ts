/** What an account's object writes to D1: a copy for lists, and the rows of its outbox. */
import type { AccountView } from "../account/calls.ts";
import { accountObject, delivered } from "./undelivered.ts";
import { auditOnce, type NumberedAuditEntry } from "./audit.ts";

export interface AccountNote extends AccountView {
  /** The kid of the master key that seals everything of the account; null if there is more than one. */
  sealedUnder: string | null;
}

/**
 * Writes all of it, or nothing. A note only overwrites an older one, so a late or repeated one does no harm. A deleted
 * account has no open bind keys and no prebind list.
 *
 * @param audit rows of the object's outbox, in order; the log accepts each once
 */
export async function writeAccountNote(
  database: D1Database,
  note: AccountNote,
  audit: readonly NumberedAuditEntry[],
): Promise<void> {
  const { posId, merchantId, currency, timezone, name, region, status, createdAt, version, sealedUnder } = note;
  const copy = database
    .prepare(
      `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, name, region, status, created_at, sealed_under,
         terms_version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (pos_id) DO UPDATE SET merchant_id = excluded.merchant_id, currency = excluded.currency,
         timezone = excluded.timezone, name = excluded.name, region = excluded.region, status = excluded.status,
         created_at = excluded.created_at, sealed_under = excluded.sealed_under, terms_version = excluded.terms_version
       WHERE excluded.terms_version > accounts.terms_version`,
    )
    .bind(posId, merchantId, currency, timezone, name, region, status, createdAt, sealedUnder ?? "", version);
  const leavings =
    status === "deleted"
      ? [
          database.prepare("DELETE FROM bind_keys WHERE pos_id = ? AND used_by IS NULL").bind(posId),
          database.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
        ]
      : [];
  const rows = audit.map((entry) => auditOnce(database, accountObject(posId), entry));
  await database.batch([...rows, copy, ...leavings, delivered(database, accountObject(posId))]);
}
