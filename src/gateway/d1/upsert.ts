/**
 * Replaces a row with the same key. Unnamed columns, which newer code has added, keep their values.
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

type Values = Readonly<Record<string, string | number | null>>;

/**
 * Replaces a row with the same key. If the row has a `version`, D1 takes only a higher one, so an update that comes
 * late or twice does no harm.
 */
export function writeRow(db: D1Database, table: string, key: Values, others: Values): D1PreparedStatement {
  const newer = "version" in others ? ` WHERE excluded.version > ${table}.version` : "";
  const statement = upsert(table, Object.keys(key), Object.keys(others)) + newer;
  return db.prepare(statement).bind(...Object.values(key), ...Object.values(others));
}
