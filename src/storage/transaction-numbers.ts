/** Transaction numbers, unique in the whole service: terminals' objects reserve them in blocks. */

/**
 * Reserves the next block of transaction numbers for this object. Returns its first number, which is at least `least`, the
 * end of the object's last block: one terminal's numbers only grow, even after D1 was restored to an earlier time.
 */
export async function reserveNumbers(
  database: D1Database,
  size: number,
  least: number,
  terminalId: string,
): Promise<number> {
  const [reserved] = await database.batch<{ next: number }>([
    database
      .prepare("UPDATE transaction_numbers SET next = MAX(next, ?2) + ?1 WHERE only = 1 RETURNING next")
      .bind(size, least),
    // After a restore of D1, another terminal may have the same block: the newest owns it.
    database
      .prepare("INSERT OR REPLACE INTO number_blocks (first, terminal_id) SELECT next - ?, ? FROM transaction_numbers")
      .bind(size, terminalId),
  ]);
  const next = reserved?.results[0]?.next;
  if (next === undefined) throw new Error("transaction_numbers has no row: apply the migrations");
  return next - size;
}

/** The terminal that reserved the block of a number; null if none did, or it was not recorded. */
export function terminalOfNumber(database: D1Database, number: number, size: number): Promise<string | null> {
  return database
    .prepare("SELECT terminal_id FROM number_blocks WHERE first <= ?1 AND first > ?1 - ?2 ORDER BY first DESC LIMIT 1")
    .bind(number, size)
    .first<string>("terminal_id");
}
