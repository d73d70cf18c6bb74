export interface Migration {
  id: string;
  /**
   * Only adds tables, indexes, and columns that are null or have a default: older code can work with the new tables,
   * and this step's code with rows that older code writes later. The object stores the mark, so that older code can
   * read it after a rollback.
   */
  additive: boolean;
  sql: string;
}

/**
 * Each step and its record are one transaction. Synchronous. Checks only the newest step, because this runs at every
 * start: the steps before it belonged to the code that took it.
 *
 * After a rollback, the object may have steps that the code does not know. The code works if all of them are additive.
 *
 * @param steps the code's own
 * @throws if the object has an unknown step that is not additive
 */
export function migrate(storage: DurableObjectStorage, steps: readonly Migration[]): void {
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
 * Whether the object was made: `migrate` has run in it. Reads only, so an object that is merely asked stores nothing.
 * Anybody can have an object asked whose name nobody made.
 */
export function hasTables({ sql }: Pick<DurableObjectStorage, "sql">): boolean {
  // Not from `sqlite_master`, of which each start would read every row.
  return sql.exec("PRAGMA table_info(migrations)").toArray().length > 0;
}

type Taken = { position: number; id: string };

/** The newest step is unknown: throws unless all unknown steps are additive. */
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
