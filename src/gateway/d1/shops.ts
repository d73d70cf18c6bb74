/** Merchants with a name for people. */
import { writeRow } from "./upsert.ts";
import { type AuditEntry, auditIf } from "./audit.ts";
import type { SHOP_FILTERS } from "../../protocol/operator-filters.ts";
import { begins, startsWithIgnoreCase, compares, lister } from "./listing.ts";
import type { Channel } from "../../protocol/accounts.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface ShopRow {
  merchantId: string;
  name: string;
  /** An IANA time zone. */
  timezone: string;
  createdAt: EpochMs;
}

const SHOP = "merchant_id AS merchantId, name, timezone, created_at AS createdAt";

export function findShop(db: D1Database, merchantId: string): Promise<ShopRow | null> {
  return db.prepare(`SELECT ${SHOP} FROM shops WHERE merchant_id = ?`).bind(merchantId).first<ShopRow>();
}

/** The shops are in the order of their merchantIds. */
export const listShops = lister<ShopRow, typeof SHOP_FILTERS, string>({
  columns: SHOP,
  table: "shops",
  order: "merchant_id",
  after: compares("merchant_id", ">"),
  conditions: { merchantId: begins("merchant_id"), name: startsWithIgnoreCase("name") },
  indexed: () => ["merchantId"],
});

/** Keeps the creation time of an existing shop. What it replaces with equal values is not audited. */
export async function putShop(db: D1Database, { merchantId, name, timezone, createdAt }: ShopRow, audit: AuditEntry) {
  const isEqual = "EXISTS (SELECT 1 FROM shops WHERE merchant_id = ? AND name = ? AND timezone = ?)";
  await db.batch([
    auditIf(db, audit, `NOT ${isEqual}`, [merchantId, name, timezone]),
    db
      .prepare(
        `INSERT INTO shops (merchant_id, name, timezone, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (merchant_id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone`,
      )
      .bind(merchantId, name, timezone, createdAt),
  ]);
}

/** Returns false if there is no such shop. */
export async function deleteShop(db: D1Database, merchantId: string, audit: AuditEntry): Promise<boolean> {
  const [, deleted] = await db.batch([
    auditIf(db, audit, "EXISTS (SELECT 1 FROM shops WHERE merchant_id = ?)", [merchantId]),
    db.prepare("DELETE FROM shops WHERE merchant_id = ?").bind(merchantId),
  ]);
  return deleted?.meta.changes === 1;
}

interface ChannelRow extends Omit<Channel, "currency"> {
  /** The text is a JSON array. */
  currency: string;
}

/** Returns the channels in the order of their names; null stands for every currency. */
export async function listChannels(db: D1Database, currency: string | null): Promise<Channel[]> {
  const { results } = await db
    .prepare(
      `SELECT name, status, currency, logo_url AS logoUrl3 FROM channels
       WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM json_each(channels.currency) WHERE value = ?1) ORDER BY name`,
    )
    .bind(currency)
    .all<ChannelRow>();
  return results.map((row) => ({ ...row, currency: JSON.parse(row.currency) as string[] }));
}

/** Returns true if the channel is new. What it replaces with equal values is not audited. */
export async function putChannel(db: D1Database, channel: Channel, audit: AuditEntry): Promise<boolean> {
  const { name, status, logoUrl3 } = channel;
  const currency = JSON.stringify(channel.currency);
  const isEqual = "EXISTS (SELECT 1 FROM channels WHERE name = ? AND status = ? AND currency = ? AND logo_url = ?)";
  const [before] = await db.batch([
    db.prepare("SELECT 1 FROM channels WHERE name = ?").bind(name),
    auditIf(db, audit, `NOT ${isEqual}`, [name, status, currency, logoUrl3]),
    writeRow(db, "channels", { name }, { status, currency, logo_url: logoUrl3 }),
  ]);
  return before?.results.length === 0;
}

/** Returns false if there is no such channel. */
export async function deleteChannel(db: D1Database, name: string, audit: AuditEntry): Promise<boolean> {
  const [, deleted] = await db.batch([
    auditIf(db, audit, "EXISTS (SELECT 1 FROM channels WHERE name = ?)", [name]),
    db.prepare("DELETE FROM channels WHERE name = ?").bind(name),
  ]);
  return deleted?.meta.changes === 1;
}
