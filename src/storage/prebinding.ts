/** Prebind lists in D1: the terminals that an account waits for. */

/** An account's list, in its order. */
export async function listPrebound(db: D1Database, posId: string): Promise<string[]> {
  const { results } = await preboundStatement(db, posId).all<{ terminalId: string }>();
  return results.map(({ terminalId }) => terminalId);
}

/** Replaces an account's list. Returns the previous one. */
export async function replacePrebound(db: D1Database, posId: string, terminalIds: string[]): Promise<string[]> {
  const [before] = await db.batch<{ terminalId: string }>([
    preboundStatement(db, posId),
    db.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
    db
      .prepare(`INSERT INTO prebound_terminals (pos_id, terminal_id, position) SELECT ?, value, key FROM json_each(?)`)
      .bind(posId, JSON.stringify(terminalIds)),
  ]);
  return before?.results.map(({ terminalId }) => terminalId) ?? [];
}

/** Removes a terminal from an account's list. Returns its position, or null if it was not on the list. */
export async function takeOffList(db: D1Database, posId: string, terminalId: string): Promise<number | null> {
  const taken = await db
    .prepare("DELETE FROM prebound_terminals WHERE pos_id = ? AND terminal_id = ? RETURNING position")
    .bind(posId, terminalId)
    .first<{ position: number }>();
  return taken?.position ?? null;
}

/** Puts a terminal back at its position. */
export async function putBackOnList(
  db: D1Database,
  posId: string,
  terminalId: string,
  position: number,
): Promise<void> {
  await db
    .prepare("INSERT INTO prebound_terminals (pos_id, terminal_id, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    .bind(posId, terminalId, position)
    .run();
}

/** A terminal, and the account to bind it to. */
export interface Match {
  terminalId: string;
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
}

/**
 * Which of these terminals to bind, and to which account: enrolled, unbound, assigned to a merchant, and on the list of
 * exactly one account of that merchant. A suspended account counts, because it may come back, but gets none.
 */
export async function matchPrebound(db: D1Database, terminalIds: string[]): Promise<Match[]> {
  const { results } = await db
    .prepare(
      `SELECT t.terminal_id AS terminalId, a.pos_id AS posId, a.merchant_id AS merchantId, a.currency, a.timezone
       FROM json_each(?) AS wanted
       JOIN terminals t ON t.terminal_id = wanted.value AND t.status = 'enrolled' AND t.bound_pos_id IS NULL
       JOIN prebound_terminals p ON p.terminal_id = t.terminal_id
       JOIN accounts a ON a.pos_id = p.pos_id AND a.merchant_id = t.merchant_id AND a.status <> 'deleted'
       GROUP BY t.terminal_id HAVING COUNT(*) = 1 AND MIN(a.status) = 'active'`,
    )
    .bind(JSON.stringify(terminalIds))
    .all<Match>();
  return results;
}

/** The state of an entry of an account's list. */
export interface ListedTerminal {
  terminalId: string;
  /** False also if there is no such terminal, or it is retired. */
  isEnrolled: boolean;
  /** The operator has assigned it to the account's merchant. */
  isAssigned: boolean;
  boundPosId: string | null;
  isContested: boolean;
}

/** Every entry of an account's list, in order, with its state now. */
export async function listedTerminals(db: D1Database, posId: string): Promise<ListedTerminal[]> {
  const { results } = await db
    .prepare(
      `SELECT p.terminal_id AS terminalId, t.terminal_id IS NOT NULL AS isEnrolled,
         COALESCE(t.merchant_id = a.merchant_id, 0) AS isAssigned, t.bound_pos_id AS boundPosId,
         EXISTS (
           SELECT 1 FROM prebound_terminals q JOIN accounts b ON b.pos_id = q.pos_id
           WHERE q.terminal_id = p.terminal_id AND q.pos_id <> a.pos_id AND b.merchant_id = a.merchant_id
             AND b.status <> 'deleted'
         ) AS isContested
       FROM prebound_terminals p
       JOIN accounts a ON a.pos_id = p.pos_id
       LEFT JOIN terminals t ON t.terminal_id = p.terminal_id AND t.status = 'enrolled'
       WHERE p.pos_id = ? ORDER BY p.position`,
    )
    .bind(posId)
    .all<{ terminalId: string; isEnrolled: 0 | 1; isAssigned: 0 | 1; boundPosId: string | null; isContested: 0 | 1 }>();
  return results.map((row) => ({
    ...row,
    isEnrolled: row.isEnrolled === 1,
    isAssigned: row.isAssigned === 1,
    isContested: row.isContested === 1,
  }));
}

function preboundStatement(db: D1Database, posId: string): D1PreparedStatement {
  return db
    .prepare("SELECT terminal_id AS terminalId FROM prebound_terminals WHERE pos_id = ? ORDER BY position")
    .bind(posId);
}
