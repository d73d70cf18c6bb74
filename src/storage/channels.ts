/** E-wallet channels in D1. */
import type { Channel } from "../protocol/accounts.ts";
import { auditIf, audit as auditStatement, type AuditEntry } from "./audit.ts";

interface ChannelRow extends Omit<Channel, "currency"> {
  /** A JSON array. */
  currency: string;
}

const COLUMNS = "name, status, currency, logo_url AS logoUrl3";

/** The channels that support a currency, or all of them, by name. */
export async function listChannels(db: D1Database, currency: string | null): Promise<Channel[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM channels
       WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM json_each(channels.currency) WHERE value = ?1) ORDER BY name`,
    )
    .bind(currency)
    .all<ChannelRow>();
  return results.map((row) => ({ ...row, currency: JSON.parse(row.currency) as string[] }));
}

/** Writes a channel, new or not. Returns true if it is new. */
export async function putChannel(db: D1Database, channel: Channel, audit: AuditEntry): Promise<boolean> {
  const { name, status, currency, logoUrl3 } = channel;
  const [before] = await db.batch([
    db.prepare("SELECT 1 FROM channels WHERE name = ?").bind(name),
    auditStatement(db, audit),
    db
      .prepare(
        `INSERT INTO channels (name, status, currency, logo_url) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET status = excluded.status, currency = excluded.currency,
           logo_url = excluded.logo_url`,
      )
      .bind(name, status, JSON.stringify(currency), logoUrl3),
  ]);
  return before?.results.length === 0;
}

/** Deletes a channel. Returns false if there was none. */
export async function deleteChannel(db: D1Database, name: string, audit: AuditEntry): Promise<boolean> {
  const [, deleted] = await db.batch([
    auditIf(db, audit, "EXISTS (SELECT 1 FROM channels WHERE name = ?)", [name]),
    db.prepare("DELETE FROM channels WHERE name = ?").bind(name),
  ]);
  return deleted?.meta.changes === 1;
}
