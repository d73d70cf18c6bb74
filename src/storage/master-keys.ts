/** How many secrets each master key still seals. Tokens are not counted: they end with the account's next midnight. */

export interface MasterKeyUse {
  kid: string;
  /** Accounts whose signing keys are sealed under it. */
  accounts: number;
  /** Enrolled terminals whose secrets are sealed under it. */
  terminals: number;
  /** Bind keys that are stored with it; they expire in minutes. */
  bindKeys: number;
}

export async function countByMasterKey(db: D1Database, now: number): Promise<MasterKeyUse[]> {
  const { results } = await db
    .prepare(
      `SELECT kid, SUM(kind = 'a') AS accounts, SUM(kind = 't') AS terminals, SUM(kind = 'b') AS bindKeys
       FROM (
         SELECT sealed_under AS kid, 'a' AS kind FROM accounts
         UNION ALL SELECT sealed_under, 't' FROM terminals WHERE status = 'enrolled'
         UNION ALL SELECT kid, 'b' FROM bind_keys WHERE expires_at > ?1
       ) GROUP BY kid ORDER BY kid`,
    )
    .bind(now)
    .all<MasterKeyUse>();
  return results;
}
