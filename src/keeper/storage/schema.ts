/** The keeper's tables. `MIGRATIONS` is append-only: never edit a step that has run anywhere. */
import type { Migration } from "../../objects/storage/migrate.ts";
import { FIRST_NUMBER } from "../limits.ts";

export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0;

      CREATE TABLE numbers (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        next INTEGER NOT NULL
      ) STRICT;
      INSERT INTO numbers (only, next) VALUES (1, ${FIRST_NUMBER});

      -- What the keeper has written to D1, and where its walk after a restore of D1 is: which kind of objects (null: it
      -- does not walk), and after which. missed: objects of this walk that had not told D1 everything.
      CREATE TABLE watch (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        tick INTEGER NOT NULL,
        generation TEXT NOT NULL,
        kind TEXT,
        after TEXT NOT NULL,
        missed INTEGER NOT NULL,
        step_at INTEGER NOT NULL,
        -- When the keeper asks all terminals with a connection whether they were heard.
        round_at INTEGER NOT NULL
      ) STRICT;

      -- Objects that were made within the time that D1 can be restored to.
      CREATE TABLE created (
        object TEXT PRIMARY KEY,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX created_by_time ON created (at);
    `,
  },
];
