/**
 * The object's tables. `MIGRATIONS` is append-only: never edit a step that has run anywhere.
 *
 * Booleans are 0 and 1 (a bound `true` would become the text "true"); tables are STRICT; times are epoch milliseconds.
 */
import type { Migration } from "../../objects/storage/migrate.ts";

export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
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
        number_blocks TEXT NOT NULL DEFAULT '[]',
        numbers_filled_at INTEGER NOT NULL DEFAULT 0,
        numbers_filled_to INTEGER NOT NULL DEFAULT 0,
        noted_number INTEGER NOT NULL DEFAULT 0,
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
    // A row names the rows that were open when it was written, if any: a JSON array of requestIds. An index of open rows
    // would be one more row written with each row, and with each change of its state.
    id: "0002_open_before",
    additive: false,
    sql: `
      ALTER TABLE transactions ADD COLUMN open_before TEXT;
      UPDATE transactions
        SET open_before = (SELECT json_group_array(request_id) FROM transactions WHERE state <> 'settled')
        WHERE request_id = (SELECT MAX(request_id) FROM transactions);
      DROP INDEX transactions_open;
    `,
  },
  {
    // Not only for the newest row: today's newest may be an earlier row, after all later ones are deleted. Rows before the
    // first open one have none to name.
    id: "0003_open_before_of_older_rows",
    additive: false,
    sql: `
      UPDATE transactions
        SET open_before = (SELECT json_group_array(request_id) FROM transactions WHERE state <> 'settled')
        WHERE open_before IS NULL
          AND request_id > (SELECT MIN(request_id) FROM transactions WHERE state <> 'settled');
    `,
  },
  {
    // Marks a step. Older code knows no mark, and refuses everything newer than itself.
    id: "0004_additive_steps",
    additive: true,
    sql: "ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0;",
  },
  {
    // What to tell D1 about the terminal's changes. `body` is the audit row as JSON.
    id: "0005_outbox",
    additive: true,
    sql: `
      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY,
        body TEXT NOT NULL
      ) STRICT;
      ALTER TABLE terminal ADD COLUMN outbox_number INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE terminal ADD COLUMN outbox_told INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE terminal ADD COLUMN noted_secret_version INTEGER NOT NULL DEFAULT 0;
      UPDATE terminal SET noted_secret_version = secret_version WHERE sealed_secret IS NOT NULL;
    `,
  },
  {
    // What the terminal knows about its account's terms, the last account that was suspended or deleted while the terminal
    // was bound to it, and what to tell accounts about the binding.
    id: "0006_accounts",
    additive: true,
    sql: `
      ALTER TABLE terminal ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE terminal ADD COLUMN stopped_pos_id TEXT;
      ALTER TABLE terminal ADD COLUMN stopped_version INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE binding_news (
        pos_id TEXT PRIMARY KEY,
        binding_version INTEGER NOT NULL,
        bound INTEGER NOT NULL,
        changed_at INTEGER NOT NULL
      ) STRICT;
    `,
  },
  {
    // The signatures of used logins while their `datetime` is acceptable, in lower case.
    id: "0007_logins",
    additive: true,
    sql: `
      CREATE TABLE logins (
        signature TEXT PRIMARY KEY,
        signed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // The last activity of a connection that has ended: shows since when the terminal is away.
    id: "0008_heard_at",
    additive: true,
    sql: "ALTER TABLE terminal ADD COLUMN heard_at INTEGER;",
  },
  {
    // The body of a settled transaction, packed (`journal-packing.ts`): its text is then empty, and older code cannot read
    // it. Its settlement has a column, by which old rows are found.
    id: "0009_packed_journal",
    additive: false,
    sql: `
      ALTER TABLE transactions ADD COLUMN settled_at INTEGER;
      ALTER TABLE transactions ADD COLUMN packed BLOB;
      UPDATE transactions SET settled_at = json_extract(body, '$.settledAt') WHERE state = 'settled';
    `,
  },
];
