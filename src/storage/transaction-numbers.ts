/** Transaction numbers, unique over the whole service: terminals' objects reserve them in blocks. */

/**
 * Reserves the next block of transaction numbers for this object; returns its first number. Never one below `least`, the
 * end of the object's last block: one terminal's numbers only grow, even when D1 was restored to an earlier time.
 */
export async function reserveNumbers(database: D1Database, size: number, least: number): Promise<number> {
  const next = await database
    .prepare("UPDATE transaction_numbers SET next = MAX(next, ?2) + ?1 WHERE only = 1 RETURNING next")
    .bind(size, least)
    .first<number>("next");
  if (next === null) throw new Error("transaction_numbers has no row: apply the migrations");
  return next - size;
}
