/** The tables of a Durable Object, and how newer code changes them. */

export interface Migration {
  id: string;
  /**
   * Only new tables, indexes, and columns that are null or have a default: code that does not know the step can work with
   * what it has made, and the step's own code with rows that older code has written since. The object keeps the mark, so
   * that older code can read it after a rollback.
   */
  additive: boolean;
  sql: string;
}

/**
 * Brings the object's tables up to date, each step and its record in one transaction. Synchronous. Only the newest step is
 * looked at, as this is done whenever the object wakes: the steps before it were the code's own when it was taken.
 *
 * After a rollback, the object may have taken steps that the code does not know. It works if all of them are additive.
 *
 * @param steps the code's own
 * @throws where the object has taken a step that the code does not know and that is not additive
 */
export function migrate(storage: DurableObjectStorage, steps: readonly Migration[]): void {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS migrations (position INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT");
  const newest = sql.exec<Taken>("SELECT position, id FROM migrations ORDER BY position DESC LIMIT 1").toArray()[0];
  const taken = newest === undefined ? 0 : newest.position + 1;
  if (newest !== undefined && steps[newest.position]?.id !== newest.id) refuseUnknown(sql, steps);
  steps.slice(taken).forEach(({ id, additive, sql: text }, index) => {
    storage.transactionSync(() => {
      sql.exec(text);
      sql.exec("INSERT INTO migrations (position, id) VALUES (?, ?)", taken + index, id);
      if (additive) sql.exec("UPDATE migrations SET additive = 1 WHERE position = ?", taken + index);
    });
  });
}

type Taken = { position: number; id: string };

/** The newest step is not the code's: throws unless all that the code does not know are additive. */
function refuseUnknown(sql: SqlStorage, steps: readonly Migration[]): void {
  // `*`: without the column, the object has taken no marked step.
  const unknown = sql
    .exec<Taken & { additive?: number }>("SELECT * FROM migrations ORDER BY position")
    .toArray()
    .find(({ position, id, additive }) => steps[position]?.id !== id && !(position >= steps.length && additive === 1));
  if (unknown === undefined) return;
  const { position, id } = unknown;
  throw new Error(
    `this object has taken migration ${position} (${id}), which the code does not know and which is not additive: ` +
      "deploy the version that made it, or a newer one",
  );
}
