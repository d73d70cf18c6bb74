export interface Migration {
  id: string;
  /**
   * An additive step only adds tables, indexes, and columns that are null or have a default: older code can work with
   * the new tables, and this step's code with rows that older code writes later. The object stores the mark, so that
   * older code can read it after a rollback.
   */
  additive: boolean;
  sql: string;
}

/**
 * Takes each step and records it in one transaction, synchronously. It checks only the newest step, because it runs at
 * every start, and the steps before belonged to the code that took it. After a rollback, the object may have steps that
 * are missing from the code. The code works if all of them are additive.
 *
 * @param steps the code's own
 * @throws if the object has an unknown step that is not additive
 */
export function migrateObject(storage: DurableObjectStorage, steps: readonly Migration[]): void {
  const { sql } = storage;
  sql.exec(
    `CREATE TABLE IF NOT EXISTS migrations (
       position INTEGER PRIMARY KEY, id TEXT NOT NULL, additive INTEGER NOT NULL DEFAULT 0) STRICT`,
  );
  const newest = sql.exec<Taken>("SELECT position, id FROM migrations ORDER BY position DESC LIMIT 1").toArray()[0];
  const taken = newest === undefined ? 0 : newest.position + 1;
  if (newest !== undefined && steps[newest.position]?.id !== newest.id) refuseUnknown(sql, steps);
  steps.slice(taken).forEach(({ id, additive, sql: text }, index) => {
    storage.transactionSync(() => {
      sql.exec(text);
      sql.exec("INSERT INTO migrations (position, id, additive) VALUES (?, ?, ?)", taken + index, id, Number(additive));
    });
  });
}

/**
 * Whether the object was made: `migrate` has run in it. This only reads, so that an object that is merely asked stores
 * nothing: anybody can cause a call to an object of any name.
 */
export function hasTables({ sql }: Pick<DurableObjectStorage, "sql">): boolean {
  // This is not read from `sqlite_master`, of which each start would read every row.
  return sql.exec("PRAGMA table_info(migrations)").toArray().length > 0;
}

type Taken = { position: number; id: string };

/** Throws unless all unknown steps are additive. */
function refuseUnknown(sql: SqlStorage, steps: readonly Migration[]): void {
  const unknown = sql
    .exec<Taken & { additive: number }>("SELECT position, id, additive FROM migrations ORDER BY position")
    .toArray()
    .find(({ position, id, additive }) => steps[position]?.id !== id && !(position >= steps.length && additive === 1));
  if (unknown === undefined) return;
  const { position, id } = unknown;
  throw new Error(
    `this object has taken migration ${position} (${id}), which the code does not know and which is not additive: ` +
      "deploy the version that made it, or a newer one",
  );
}
