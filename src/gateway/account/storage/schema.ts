/**
 * `MIGRATIONS` is append-only from the first release on: never edit a step that has run anywhere. Times are epoch
 * milliseconds; "sealed" texts are encrypted under MASTER_KEYS.
 *
 * `claims` and `events` have no index that a completed payment is in: each one is a row more written with every payment
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/).
 */
import { WEBHOOKS_TABLE } from "./webhooks.ts";
import type { Migration } from "../../durable/storage/migrate.ts";
import { OUTBOX_TABLES } from "../../durable/storage/outbox.ts";

export const ACCOUNT_MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      -- record: JSON (record.ts).
      CREATE TABLE account (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        record TEXT NOT NULL
      ) STRICT;

      -- One row per login; a session that has ended has none. Of the pair that was handed out last it holds the
      -- ingredients, not the tokens: the same pair can be made again, and cannot be read here.
      CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        expires_at INTEGER NOT NULL,
        kid TEXT NOT NULL,
        timezone TEXT NOT NULL,
        issued_at INTEGER NOT NULL,
        access_id TEXT NOT NULL,
        access_expires_at INTEGER NOT NULL,
        refresh_id TEXT NOT NULL,
        previous_refresh_id TEXT,
        rotated_at INTEGER,
        devices TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Signed logins that were accepted, as long as their datetime is: each works once.
      CREATE TABLE used_logins (
        signature TEXT PRIMARY KEY,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX used_logins_by_end ON used_logins (until);

      -- Every terminal that is bound to the account, or was and may still have transactions of it. claims_seen_at: when
      -- pruning last found a claim of one that is not bound.
      CREATE TABLE devices (
        terminal_id TEXT PRIMARY KEY,
        binding_version INTEGER NOT NULL,
        bound INTEGER NOT NULL,
        claims_seen_at INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      -- I1: which device a reference belongs to, and what is recorded under it.
      CREATE TABLE claims (
        reference_id TEXT PRIMARY KEY,
        device_id TEXT NOT NULL,
        admitted_at INTEGER NOT NULL,
        request_id INTEGER,
        revision INTEGER NOT NULL DEFAULT 0,
        event INTEGER,
        completed_at INTEGER,
        voided TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX claims_pending ON claims (event) WHERE request_id IS NOT NULL AND completed_at IS NULL;

      -- I7: numbers without gaps, in the order recorded. body: as it is delivered (events.ts). times: how long the parts of a
      -- completed transaction took, a JSON object of milliseconds.
      CREATE TABLE events (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        format INTEGER NOT NULL,
        body TEXT NOT NULL,
        times TEXT
      ) STRICT;

      -- Business days that something was counted for. mark: JSON, null while the day is open; it stays.
      CREATE TABLE days (
        day TEXT PRIMARY KEY,
        first_event INTEGER NOT NULL,
        last_event INTEGER NOT NULL,
        mark TEXT
      ) STRICT, WITHOUT ROWID;

      -- What they add up to, some terminals a row.
      CREATE TABLE day_totals (
        day TEXT NOT NULL,
        part INTEGER NOT NULL,
        totals TEXT NOT NULL,
        PRIMARY KEY (day, part)
      ) STRICT, WITHOUT ROWID;

      -- Time zones that the account had before: days up to this one, and after the row before, were closed in it. Kept as
      -- long as closed days are: for ever. At most one row for each day on which an operator changes the zone.
      CREATE TABLE earlier_zones (
        last_day TEXT PRIMARY KEY,
        timezone TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- What hours add up to, as far as their events are counted: the hours of a day (UTC, days since 1970) in a row.
      -- event: the newest one that is counted in it.
      CREATE TABLE hours (
        day INTEGER PRIMARY KEY,
        event INTEGER NOT NULL,
        hours TEXT NOT NULL
      ) STRICT;

${WEBHOOKS_TABLE}
      -- Nonces of signed calls that were accepted, as long as their datetime is: each works once.
      CREATE TABLE used_nonces (
        nonce TEXT PRIMARY KEY,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX used_nonces_by_end ON used_nonces (until);

      -- Terminals' results that contradict a completed transaction. closed_at: null until an operator closes it. copy: JSON.
      CREATE TABLE conflicting_results (
        request_id INTEGER NOT NULL,
        device_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        closed_at INTEGER,
        copy TEXT NOT NULL,
        PRIMARY KEY (request_id, device_id, version)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX conflicting_results_by_end ON conflicting_results (closed_at);
      ${OUTBOX_TABLES}
    `,
  },
];
