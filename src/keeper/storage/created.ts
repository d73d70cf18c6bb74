/** Objects that were made lately: a D1 that is restored does not list them. Names are `account:` or `terminal:`, and an id. */
import type { Sql } from "../../objects/storage/turn-sql.ts";
import { TOLD_LIFE } from "../../objects/untold/limits.ts";

export function noteCreated(sql: Sql, object: string, now: number): void {
  sql.exec("DELETE FROM created WHERE at < ?", now - TOLD_LIFE);
  sql.exec("INSERT INTO created (object, at) VALUES (?, ?) ON CONFLICT DO NOTHING", object, now);
}

/** At most `limit` of them after a name, in the order of their names. */
export function listCreated(sql: Sql, after: string, limit: number): string[] {
  const query = "SELECT object FROM created WHERE object > ? ORDER BY object LIMIT ?";
  return sql
    .exec<{ object: string }>(query, after, limit)
    .toArray()
    .map(({ object }) => object);
}
