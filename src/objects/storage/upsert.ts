/**
 * The statement that writes a row, over one with the same key if there is one. Columns that it does not name, because newer
 * code has added them, keep their values.
 *
 * @param key the columns of the primary key
 * @param others the other columns; values are bound in the order of both lists
 */
export function upsert(table: string, key: readonly string[], others: readonly string[]): string {
  const columns = [...key, ...others];
  const changes = others.map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
    ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
}
