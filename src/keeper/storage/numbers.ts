/** The counter of transaction numbers. */
import type { Sql } from "../../objects/storage/turn-sql.ts";
import type { NumberBlock } from "../../rpc/keeper.ts";
import { LAST_NUMBER } from "../limits.ts";

/** Counts on in one statement; see `KeeperCalls.reserveNumbers`. */
export function reserveNumbers(sql: Sql, size: number, above: number): NumberBlock | null {
  const [row] = sql
    .exec<{ next: number }>(
      `UPDATE numbers SET next = MAX(next, ?2 + 1) + ?1
       WHERE only = 1 AND MAX(next, ?2 + 1) + ?1 - 1 <= ?3 RETURNING next`,
      size,
      above,
      LAST_NUMBER,
    )
    .toArray();
  return row === undefined ? null : { first: row.next - size, last: row.next - 1 };
}
