/** Which terminal has which transaction numbers, so that a transaction is found by its number alone. */
import type { NumberBlock } from "../rpc/keeper.ts";

/** A terminal's object notes a block that it holds; noted again, the row is kept as long as if it were new. */
export function noteBlock(
  database: D1Database,
  terminalId: string,
  { first, last }: NumberBlock,
  now: number,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO number_blocks (first, last, terminal_id, noted_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (first) DO UPDATE SET
         last = excluded.last, terminal_id = excluded.terminal_id, noted_at = excluded.noted_at`,
    )
    .bind(first, last, terminalId, now);
}

/** The terminal that has a number; null if none has, or D1 has not been told. */
export async function terminalOfNumber(database: D1Database, number: number): Promise<string | null> {
  const block = await database
    .prepare("SELECT last, terminal_id FROM number_blocks WHERE first <= ? ORDER BY first DESC LIMIT 1")
    .bind(number)
    .first<{ last: number; terminal_id: string }>();
  return block === null || block.last < number ? null : block.terminal_id;
}
