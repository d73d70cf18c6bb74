/**
 * `MIGRATIONS` is append-only from the first release on: never edit a step that has run anywhere.
 *
 * Booleans are 0 and 1 (a bound `true` would become the text "true"); tables are STRICT; times are epoch milliseconds.
 */
import type { Migration } from "../../durable/storage/migrate.ts";
import { OUTBOX_TABLES } from "../../durable/storage/outbox.ts";

export const TERMINAL_MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      -- record: JSON (record.ts).
      CREATE TABLE terminal (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        record TEXT NOT NULL
      ) STRICT;

      -- voids: the number of the transaction that this one voids. body: JSON with a format number (journal.ts).
      CREATE TABLE transactions (
        request_id INTEGER PRIMARY KEY,
        pos_id TEXT NOT NULL,
        reference_id TEXT NOT NULL,
        trans_type TEXT,
        state TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        reached INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        completed_at INTEGER,
        voids INTEGER,
        body TEXT NOT NULL,
        UNIQUE (pos_id, reference_id)
      ) STRICT;
      CREATE INDEX transactions_open ON transactions (request_id) WHERE completed_at IS NULL;
      CREATE INDEX transactions_reached ON transactions (pos_id, request_id)
        WHERE reached = 1 AND trans_type IS NOT NULL;
      CREATE INDEX transactions_voiding ON transactions (voids) WHERE voids IS NOT NULL;

      CREATE TABLE reports (
        report_id INTEGER PRIMARY KEY,
        request_id INTEGER NOT NULL,
        kept_as TEXT NOT NULL,
        kept_at INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX reports_of ON reports (request_id);
      CREATE INDEX reports_orphan ON reports (kept_at) WHERE kept_as = 'orphan';

      -- The signatures of used logins while their datetime is acceptable, in lower case.
      CREATE TABLE logins (
        signature TEXT PRIMARY KEY,
        signed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      ${OUTBOX_TABLES}
    `,
  },
];
