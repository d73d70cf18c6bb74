/**
 * The object's tables. `MIGRATIONS` is append-only: a step that has run anywhere is never edited, and an object whose
 * newest step is none of the code's refuses to start.
 *
 * Booleans are 0 and 1 (a bound `true` would become the text "true"); tables are STRICT; times are epoch milliseconds.
 */
const MIGRATIONS: readonly { id: string; sql: string }[] = [
  {
    id: "0001_initial",
    sql: `
      CREATE TABLE terminal (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        terminal_id TEXT NOT NULL,
        is_vt INTEGER NOT NULL,
        sealed_secret TEXT,
        secret_version INTEGER NOT NULL,
        pos_id TEXT,
        merchant_id TEXT,
        currency TEXT,
        timezone TEXT,
        binding_version INTEGER NOT NULL DEFAULT 0,
        connections INTEGER NOT NULL DEFAULT 0,
        current_connection INTEGER,
        memory TEXT,
        connected_at INTEGER,
        lost_at INTEGER,
        software_version TEXT,
        terminal_sn TEXT,
        next_number INTEGER NOT NULL DEFAULT 0,
        numbers_end INTEGER NOT NULL DEFAULT 0,
        noted_binding_version INTEGER NOT NULL DEFAULT 0,
        noted_connection INTEGER NOT NULL DEFAULT 0,
        noted_connected INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      CREATE TABLE transactions (
        request_id INTEGER PRIMARY KEY,
        pos_id TEXT NOT NULL,
        reference_id TEXT NOT NULL,
        trans_type TEXT,
        state TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        reached INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        voids INTEGER,
        body TEXT NOT NULL,
        UNIQUE (pos_id, reference_id)
      ) STRICT;
      CREATE INDEX transactions_open ON transactions (request_id) WHERE state <> 'settled';
      CREATE INDEX transactions_voiding ON transactions (voids) WHERE voids IS NOT NULL;

      CREATE TABLE reports (
        report_id INTEGER PRIMARY KEY,
        request_id INTEGER NOT NULL,
        kept_as TEXT NOT NULL,
        kept_at INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX reports_of ON reports (request_id);
    `,
  },
  {
    // A row names those that were open when it was written, where there were any: a JSON array of requestIds. An index
    // of open rows would be one more row written with each row, and with each change of its state.
    id: "0002_open_before",
    sql: `
      ALTER TABLE transactions ADD COLUMN open_before TEXT;
      UPDATE transactions
        SET open_before = (SELECT json_group_array(request_id) FROM transactions WHERE state <> 'settled')
        WHERE request_id = (SELECT MAX(request_id) FROM transactions);
      DROP INDEX transactions_open;
    `,
  },
  {
    // Not only the row that was the newest then: the newest of today may be one from before, once all later ones have
    // been forgotten. Rows before the first open one have none to name.
    id: "0003_open_before_of_older_rows",
    sql: `
      UPDATE transactions
        SET open_before = (SELECT json_group_array(request_id) FROM transactions WHERE state <> 'settled')
        WHERE open_before IS NULL
          AND request_id > (SELECT MIN(request_id) FROM transactions WHERE state <> 'settled');
    `,
  },
];

/**
 * Brings the object's tables up to date, each step and its record in one transaction. Synchronous. Only the newest step is
 * looked at, as this is done whenever the object wakes: the steps before it were the code's own when it was taken.
 */
export function migrate(storage: DurableObjectStorage): void {
  const { sql } = storage;
  sql.exec("CREATE TABLE IF NOT EXISTS migrations (position INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT");
  const newest = sql
    .exec<{ position: number; id: string }>("SELECT position, id FROM migrations ORDER BY position DESC LIMIT 1")
    .toArray()[0];
  if (newest !== undefined && MIGRATIONS[newest.position]?.id !== newest.id) {
    throw new Error(`migration ${newest.position} is ${newest.id} in this object, not in the code`);
  }
  const applied = newest === undefined ? 0 : newest.position + 1;
  MIGRATIONS.slice(applied).forEach((migration, index) => {
    storage.transactionSync(() => {
      sql.exec(migration.sql);
      sql.exec("INSERT INTO migrations (position, id) VALUES (?, ?)", applied + index, migration.id);
    });
  });
}
