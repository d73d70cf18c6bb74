/** Binding and presence are copies: the terminal's object decides. */
import { auditIf, type AuditEntry } from "./audit.ts";
import type { TERMINAL_FILTERS } from "../../protocol/operator-filters.ts";
import { begins, startsWithIgnoreCase, compares, equals, lister, listPage, type RowPage } from "./listing.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface TerminalRow {
  terminalId: string;
  /** 1 = virtual terminal, 0 = other terminals. */
  isVT: 0 | 1;
  /** Assigned by the operator; null: not assigned. */
  merchantId: string | null;
  name: string | null;
  status: "enrolled" | "retired";
  createdAt: EpochMs;
  /** null: not bound. */
  boundPosId: string | null;
  /** As far as D1 knows. */
  connected: 0 | 1;
  /** It has a connection that has been silent for too long. */
  silent: 0 | 1;
  /** When it was last heard; null: it may be connected, or never was. */
  offlineSince: EpochMs | null;
  /** The last activity of the last ended connection; null: none. */
  lastHeartbeat: EpochMs | null;
}

const COLUMNS = `terminal_id AS terminalId, is_vt AS isVT, merchant_id AS merchantId, name, status,
  created_at AS createdAt, bound_pos_id AS boundPosId, connected, silent,
  offline_since AS offlineSince, last_heartbeat AS lastHeartbeat`;

export function findTerminal(db: D1Database, terminalId: string): Promise<TerminalRow | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM terminals WHERE terminal_id = ?`).bind(terminalId).first<TerminalRow>();
}

export interface TerminalInShop extends TerminalRow {
  /** The shop of the assigned merchant, otherwise of the account's merchant; null: none. */
  shopName: string | null;
}

/** The assigned merchant, otherwise the account's. */
const SHOP = "COALESCE(merchant_id, (SELECT a.merchant_id FROM accounts a WHERE a.pos_id = bound_pos_id))";

const withShop = (page: string): string =>
  `SELECT t.*, s.name AS shopName FROM (${page}) t
   LEFT JOIN accounts a ON a.pos_id = t.boundPosId
   LEFT JOIN shops s ON s.merchant_id = COALESCE(t.merchantId, a.merchant_id)
   ORDER BY t.terminalId`;

const afterId = compares("terminal_id", ">");

const IN_SHOPS = { columns: COLUMNS, table: "terminals", order: "terminal_id", around: withShop };

const MAY_BE_CONNECTED = "connected = 1 OR silent = 1";

/** Lists terminals by id, retired ones included. */
export const listTerminals = lister<TerminalInShop, typeof TERMINAL_FILTERS, string>({
  ...IN_SHOPS,
  after: afterId,
  conditions: {
    terminalId: begins("terminal_id"),
    posId: begins("bound_pos_id"),
    name: startsWithIgnoreCase("name"),
    boundTo: equals("bound_pos_id"),
    merchantId: equals("merchant_id"),
    bound: equals("(bound_pos_id IS NOT NULL)"),
    // What D1 takes for connected may be offline: the caller asks the objects.
    connected: (wanted) => ({ sql: wanted ? MAY_BE_CONNECTED : "1", values: [] }),
    status: equals("status"),
    offlineSince: (before) => ({ sql: `${MAY_BE_CONNECTED} OR offline_since < ?`, values: [before] }),
    // Last: it reads another table.
    shop: equals(SHOP),
  },
  // Account and merchant each have an index in the order of the ids; one is enough.
  indexed: ({ boundTo }) => ["terminalId", boundTo === undefined ? "merchantId" : "boundTo"],
});

export async function findTerminalInShop(db: D1Database, terminalId: string): Promise<TerminalInShop | null> {
  const listing = { ...IN_SHOPS, within: [equals("terminal_id")(terminalId)], filters: [] };
  return (await listPage<TerminalInShop>(db, listing, 1)).rows[0] ?? null;
}

/** As far as D1 knows. `timezone`: of its account; null: not bound. */
interface OpenTerminal {
  terminalId: string;
  timezone: string | null;
}

/** Lists them in the order of the ids, silent ones included. */
export function listOpenTerminals(db: D1Database, after: string, limit: number): Promise<RowPage<OpenTerminal>> {
  const listing = {
    columns: "terminal_id AS terminalId, bound_pos_id AS boundPosId",
    table: "terminals",
    order: "terminal_id",
    after: afterId(after),
    within: [],
    filters: [{ sql: MAY_BE_CONNECTED, values: [] }],
    around: (page: string) =>
      `SELECT t.terminalId, a.timezone FROM (${page}) t LEFT JOIN accounts a ON a.pos_id = t.boundPosId
       ORDER BY t.terminalId`,
  };
  return listPage(db, listing, limit);
}

export async function listAccountTerminals(db: D1Database, posId: string): Promise<TerminalRow[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM terminals WHERE bound_pos_id = ? AND status = 'enrolled' ORDER BY terminal_id`)
    .bind(posId)
    .all<TerminalRow>();
  return results;
}

/** The version of a row of which a resync found no object: an enrolment replaces it. */
export const NO_OBJECT = -1;

/** Returns false if this id exists or existed. */
export async function insertTerminal(
  db: D1Database,
  terminal: Pick<TerminalRow, "terminalId" | "isVT" | "merchantId" | "name" | "createdAt"> & { sealedUnder: string },
  audit: AuditEntry,
): Promise<boolean> {
  const { terminalId, isVT, merchantId, name, createdAt, sealedUnder } = terminal;
  const [, , inserted] = await db.batch([
    db
      .prepare(`DELETE FROM terminals WHERE terminal_id = ? COLLATE NOCASE AND version = ${NO_OBJECT}`)
      .bind(terminalId),
    auditIf(db, audit, "NOT EXISTS (SELECT 1 FROM terminals WHERE terminal_id = ? COLLATE NOCASE)", [terminalId]),
    db
      .prepare(
        `INSERT INTO terminals (terminal_id, is_vt, merchant_id, name, status, created_at, sealed_under)
         VALUES (?, ?, ?, ?, 'enrolled', ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(terminalId, isVT, merchantId, name, createdAt, sealedUnder),
  ]);
  // Not exactly one: the count of terminals changes too.
  return (inserted?.meta.changes ?? 0) > 0;
}

const ENROLLED = "EXISTS (SELECT 1 FROM terminals WHERE terminal_id = ? AND status = 'enrolled')";

/** Undefined members stay unchanged. Equal values are no change, so they are not audited. */
export interface TerminalChanges {
  merchantId?: string | undefined;
  /** null removes the name. */
  name?: string | null | undefined;
}

export async function changeTerminal(
  db: D1Database,
  terminalId: string,
  { merchantId, name }: TerminalChanges,
  audit: AuditEntry,
): Promise<void> {
  const values = [merchantId ?? null, name === undefined ? 0 : 1, name ?? null, terminalId];
  const wanted = "(COALESCE(?, merchant_id), CASE WHEN ? THEN ? ELSE name END)";
  const row = "terminal_id = ? AND status = 'enrolled'";
  await db.batch([
    auditIf(
      db,
      audit,
      `EXISTS (SELECT 1 FROM terminals WHERE (merchant_id, name) IS NOT ${wanted} AND ${row})`,
      values,
    ),
    db.prepare(`UPDATE terminals SET (merchant_id, name) = ${wanted} WHERE ${row}`).bind(...values),
  ]);
}

/** Undoes an enrolment that the object did not complete. */
export async function withdrawTerminal(db: D1Database, terminalId: string, audit: AuditEntry): Promise<void> {
  await db.batch([
    auditIf(db, audit, ENROLLED, [terminalId]),
    db.prepare("DELETE FROM terminals WHERE terminal_id = ?").bind(terminalId),
  ]);
}

/** For a terminal that no object knows. */
export async function retireTerminal(db: D1Database, terminalId: string, audit: AuditEntry): Promise<void> {
  await db.batch([
    auditIf(db, audit, ENROLLED, [terminalId]),
    db.prepare("UPDATE terminals SET status = 'retired' WHERE terminal_id = ?").bind(terminalId),
  ]);
}

export async function terminalsNotSealedUnder(db: D1Database, kid: string, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT terminal_id AS terminalId FROM terminals
       WHERE sealed_under <> ? AND status = 'enrolled' ORDER BY terminal_id LIMIT ?`,
    )
    .bind(kid, limit)
    .all<{ terminalId: string }>();
  return results.map(({ terminalId }) => terminalId);
}

export async function noteSealedUnder(db: D1Database, terminalId: string, kid: string): Promise<void> {
  await db.prepare("UPDATE terminals SET sealed_under = ? WHERE terminal_id = ?").bind(kid, terminalId).run();
}

/** `silent`: a connection is open and has been silent for too long. */
export type Presence = "absent" | "connected" | "silent";

/** The state in the terminal's object. */
export interface TerminalRowState extends Pick<TerminalRow, "isVT" | "merchantId" | "name" | "createdAt"> {
  posId: string | null;
  presence: Presence;
  /** When an offline terminal was last heard, as far as known. */
  offlineSince: number | null;
  lastHeartbeat: number | null;
  retired: boolean;
  /** The master key that seals the secret; null: unknown. */
  sealedUnder: string | null;
}

/** D1 takes only a higher version, so a delivery that comes late or twice does no harm. A restored D1 may lack the row. */
export function terminalStatement(
  db: D1Database,
  terminalId: string,
  version: number,
  state: TerminalRowState,
): D1PreparedStatement {
  const { posId, presence, offlineSince, lastHeartbeat, retired, sealedUnder } = state;
  const { isVT, merchantId, name, createdAt } = state;
  return db
    .prepare(
      `INSERT INTO terminals (terminal_id, version, bound_pos_id, connected, silent, offline_since, last_heartbeat, status,
         sealed_under, is_vt, merchant_id, name, created_at)
       VALUES (?1, ?2, ?3, ?4 = 'connected', ?4 = 'silent', ?5, ?6, CASE WHEN ?7 THEN 'retired' ELSE 'enrolled' END,
         COALESCE(?8, ''), ?9, ?10, ?11, ?12)
       ON CONFLICT (terminal_id) DO UPDATE SET version = ?2, bound_pos_id = ?3, connected = excluded.connected,
         silent = excluded.silent, offline_since = ?5, last_heartbeat = COALESCE(?6, last_heartbeat),
         status = CASE WHEN ?7 THEN 'retired' ELSE status END,
         sealed_under = COALESCE(?8, sealed_under), merchant_id = ?10, name = ?11
       WHERE terminals.version < ?2`,
    )
    .bind(
      terminalId,
      version,
      posId,
      presence,
      offlineSince,
      lastHeartbeat,
      retired ? 1 : 0,
      sealedUnder,
      isVT,
      merchantId,
      name,
      createdAt,
    );
}
