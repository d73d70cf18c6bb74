/**
 * `MIGRATIONS` is append-only from the first release on: never edit a step that has run anywhere.
 *
 * Booleans are 0 and 1 (a bound `true` would become the text "true"); tables are STRICT; times are epoch milliseconds.
 */
import type { Migration } from "../../objects/storage/migrate.ts";
import { OWING_COLUMNS, UNTOLD_TABLE } from "../../objects/storage/untold.ts";

export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      CREATE TABLE terminal (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        terminal_id TEXT NOT NULL,
        is_vt INTEGER NOT NULL,
        assigned_merchant_id TEXT,
        name TEXT,
        created_at INTEGER NOT NULL,
        sealed_secret TEXT,
        secret_version INTEGER NOT NULL,
        secret_changed_at INTEGER NOT NULL,
        enrolment_id TEXT,
        pos_id TEXT,
        merchant_id TEXT,
        currency TEXT,
        timezone TEXT,
        -- What the terminal knows about its account's terms, and the last account that was suspended or deleted while the
        -- terminal was bound to it.
        terms_version INTEGER NOT NULL,
        stopped_pos_id TEXT,
        stopped_version INTEGER NOT NULL,
        connections INTEGER NOT NULL,
        current_connection INTEGER,
        memory TEXT,
        connected_at INTEGER,
        lost_at INTEGER,
        heard_at INTEGER,
        software_version TEXT,
        terminal_sn TEXT,
        next_number INTEGER NOT NULL,
        number_blocks TEXT NOT NULL,
        numbers_filled_at INTEGER NOT NULL,
        numbers_filled_to INTEGER NOT NULL,
        presence TEXT NOT NULL,
        left_version INTEGER NOT NULL,
        ${OWING_COLUMNS.join(", ")}
      ) STRICT;

      -- open_before: the rows that were open when this one was written, if any: a JSON array of requestIds. An index of open
      -- rows would be one more row written with each row, and with each change of its state. body: JSON, of a completed
      -- transaction in a layout without names (journal.ts). completed_at: by which old rows are found.
      -- reached_before: what getLast looks for (last-reached.ts).
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
        open_before TEXT,
        reached_before INTEGER NOT NULL,
        completed_at INTEGER,
        UNIQUE (pos_id, reference_id)
      ) STRICT;
      -- The newest row of each account, unless it is the newest of all.
      CREATE TABLE newest_rows (
        pos_id TEXT PRIMARY KEY,
        request_id INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX transactions_voiding ON transactions (voids) WHERE voids IS NOT NULL;

      CREATE TABLE reports (
        report_id INTEGER PRIMARY KEY,
        request_id INTEGER NOT NULL,
        kept_as TEXT NOT NULL,
        kept_at INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX reports_of ON reports (request_id);
      CREATE INDEX reports_stray ON reports (kept_at) WHERE kept_as = 'stray';

      -- The signatures of used logins while their datetime is acceptable, in lower case.
      CREATE TABLE logins (
        signature TEXT PRIMARY KEY,
        signed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      ${UNTOLD_TABLE}
    `,
  },
];
