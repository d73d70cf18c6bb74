/** Shops in D1: merchants with a name for people. */
import { audit as auditStatement, type AuditEntry, auditIf } from "./audit.ts";
import type { FilterValues, SHOP_FILTERS } from "../protocol/operator-filters.ts";
import {
  begins,
  beginsInAnyCase,
  compares,
  type Conditions,
  conditionsOf,
  listPage,
  type ListPage,
} from "./listing.ts";

export interface Shop {
  merchantId: string;
  name: string;
  /** IANA time zone. */
  timezone: string;
  /** Epoch milliseconds. */
  createdAt: number;
}

const COLUMNS = "merchant_id AS merchantId, name, timezone, created_at AS createdAt";

const LISTING = { columns: COLUMNS, table: "shops", order: "merchant_id" };

const CONDITIONS: Conditions<typeof SHOP_FILTERS> = {
  merchantId: begins("merchant_id"),
  name: beginsInAnyCase("name"),
};

export function findShop(db: D1Database, merchantId: string): Promise<Shop | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM shops WHERE merchant_id = ?`).bind(merchantId).first<Shop>();
}

/** At most `limit` shops after a merchantId, ordered by merchantId. */
export function listShops(
  db: D1Database,
  filter: FilterValues<typeof SHOP_FILTERS>,
  after: string,
  limit: number,
): Promise<ListPage<Shop>> {
  const conditions = conditionsOf(CONDITIONS, filter, ["merchantId"]);
  return listPage(db, { ...LISTING, after: compares("merchant_id", ">")(after), ...conditions }, limit);
}

/** Writes a shop, new or not. Keeps the creation time of an existing one. */
export async function putShop(db: D1Database, { merchantId, name, timezone, createdAt }: Shop, audit: AuditEntry) {
  await db.batch([
    auditStatement(db, audit),
    db
      .prepare(
        `INSERT INTO shops (merchant_id, name, timezone, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (merchant_id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone`,
      )
      .bind(merchantId, name, timezone, createdAt),
  ]);
}

/** Deletes a shop. Returns false if there was none. */
export async function deleteShop(db: D1Database, merchantId: string, audit: AuditEntry): Promise<boolean> {
  const [, deleted] = await db.batch([
    auditIf(db, audit, "EXISTS (SELECT 1 FROM shops WHERE merchant_id = ?)", [merchantId]),
    db.prepare("DELETE FROM shops WHERE merchant_id = ?").bind(merchantId),
  ]);
  return deleted?.meta.changes === 1;
}
