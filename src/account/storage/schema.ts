/**
 * The object's tables. `MIGRATIONS` is append-only: never edit a step that has run anywhere. Times are epoch milliseconds;
 * "sealed" texts are encrypted under MASTER_KEYS.
 *
 * `claims` and `events` have no index besides their keys: each index is one more row written with every payment
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/).
 */
import type { Migration } from "../../objects/storage/migrate.ts";

export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0;

      CREATE TABLE account (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        pos_id TEXT NOT NULL,
        merchant_id TEXT NOT NULL,
        currency TEXT NOT NULL,
        timezone TEXT NOT NULL,
        name TEXT,
        region TEXT,
        status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'deleted')),
        created_at INTEGER NOT NULL,
        version INTEGER NOT NULL,
        news_version INTEGER NOT NULL,
        news_told INTEGER NOT NULL,
        password_hash TEXT NOT NULL,
        password_version INTEGER NOT NULL,
        signing_key TEXT NOT NULL,
        previous_signing_key TEXT,
        previous_signing_key_until INTEGER,
        asked_day INTEGER NOT NULL DEFAULT 0,
        asked_count INTEGER NOT NULL DEFAULT 0,
        outbox_number INTEGER NOT NULL DEFAULT 0,
        outbox_told INTEGER NOT NULL DEFAULT 0,
        noted_version INTEGER NOT NULL DEFAULT 0,
        prune_at INTEGER,
        prune_reference TEXT NOT NULL DEFAULT '',
        prune_event INTEGER NOT NULL DEFAULT 0
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
        rotated_at INTEGER
      ) STRICT, WITHOUT ROWID;

      -- Signed logins that were accepted, as long as their datetime is: each works once.
      CREATE TABLE used_logins (
        signature TEXT PRIMARY KEY,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Every terminal that was ever bound to the account.
      CREATE TABLE devices (
        terminal_id TEXT PRIMARY KEY,
        binding_version INTEGER NOT NULL,
        bound INTEGER NOT NULL,
        told_version INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- I1: which device a reference belongs to, and what is recorded under it.
      CREATE TABLE claims (
        reference_id TEXT PRIMARY KEY,
        device_id TEXT NOT NULL,
        admitted_at INTEGER NOT NULL,
        request_id INTEGER,
        revision INTEGER NOT NULL DEFAULT 0,
        event INTEGER,
        settled_at INTEGER,
        voided TEXT
      ) STRICT, WITHOUT ROWID;

      -- I7: numbers without gaps, in the order recorded. The body is the text that is delivered.
      CREATE TABLE events (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        day TEXT,
        type TEXT NOT NULL,
        trans_amt INTEGER,
        cash_amt INTEGER,
        body TEXT NOT NULL
      ) STRICT;

      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY,
        body TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    id: "0002_days",
    additive: true,
    sql: `
      ALTER TABLE account ADD COLUMN closed_day TEXT NOT NULL DEFAULT '';
      ALTER TABLE account ADD COLUMN open_day TEXT NOT NULL DEFAULT '';
      ALTER TABLE account ADD COLUMN tallied_event INTEGER NOT NULL DEFAULT 0;

      -- Business days that something was counted for. timezone and closes_at are the mark of a closed one, which stays.
      CREATE TABLE days (
        day TEXT PRIMARY KEY,
        first_event INTEGER NOT NULL,
        last_event INTEGER NOT NULL,
        timezone TEXT,
        closes_at INTEGER
      ) STRICT, WITHOUT ROWID;

      -- What they add up to, some terminals a row.
      CREATE TABLE day_totals (
        day TEXT NOT NULL,
        part INTEGER NOT NULL,
        totals TEXT NOT NULL,
        PRIMARY KEY (day, part)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE unsettled (
        request_id INTEGER PRIMARY KEY,
        event INTEGER NOT NULL,
        device_id TEXT NOT NULL,
        currency TEXT NOT NULL,
        trans_amt INTEGER
      ) STRICT;
    `,
  },
  {
    id: "0003_webhooks",
    additive: true,
    sql: `
      ALTER TABLE account ADD COLUMN webhook_number INTEGER NOT NULL DEFAULT 0;

      -- At most three. Of an address only the host is readable here; address and secrets are sealed.
      CREATE TABLE webhooks (
        id INTEGER PRIMARY KEY,
        host TEXT NOT NULL,
        address TEXT NOT NULL,
        secret TEXT NOT NULL,
        previous_secret TEXT,
        previous_secret_until INTEGER,
        disabled_by TEXT CHECK (disabled_by IN ('account', 'operator', 'failing', 'gone')),
        generation INTEGER NOT NULL,
        cursor INTEGER NOT NULL,
        skipped INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        failing_since INTEGER,
        retry_at INTEGER,
        attempts TEXT NOT NULL
      ) STRICT;

      -- Nonces of signed calls that were accepted, as long as their datetime is: each works once.
      CREATE TABLE used_nonces (
        nonce TEXT PRIMARY KEY,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    id: "0004_statistics",
    additive: true,
    sql: `
      ALTER TABLE account ADD COLUMN counted_event INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account ADD COLUMN told_event INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account ADD COLUMN told_next INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account ADD COLUMN told_troubles TEXT NOT NULL DEFAULT '';
      ALTER TABLE account ADD COLUMN troubles_version INTEGER NOT NULL DEFAULT 0;

      -- Nobody has counted what was recorded before: it would be read all at once.
      UPDATE account SET counted_event = tallied_event, told_event = tallied_event;

      ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER;

      -- How long the parts of a settled transaction took, in milliseconds, divided by commas.
      ALTER TABLE events ADD COLUMN times TEXT;

      -- What hours add up to, as far as their events are counted: the hours of a day (UTC, days since 1970) in a row.
      -- event: the newest one that is counted in it.
      CREATE TABLE hours (
        day INTEGER PRIMARY KEY,
        event INTEGER NOT NULL,
        hours TEXT NOT NULL
      ) STRICT;

      -- Transactions that became 22, or are 22 no more, and D1 does not know yet. body: null: it is settled.
      CREATE TABLE unsettled_news (
        request_id INTEGER PRIMARY KEY,
        event INTEGER NOT NULL,
        body TEXT
      ) STRICT;
    `,
  },
  {
    // The body of an event, packed (`event-packing.ts`): its text is then empty. Older code would deliver the empty text.
    id: "0005_packed_events",
    additive: false,
    sql: "ALTER TABLE events ADD COLUMN packed BLOB;",
  },
  {
    id: "0006_earlier_zones_and_keys",
    additive: true,
    sql: `
      -- Time zones that the account had before: days up to this one, and after the row before, were closed in it.
      CREATE TABLE earlier_zones (
        last_day TEXT PRIMARY KEY,
        timezone TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- JSON, in place of previous_signing_key and previous_signing_key_until: several may be valid at the same time.
      ALTER TABLE account ADD COLUMN previous_signing_keys TEXT NOT NULL DEFAULT '[]';
      UPDATE account
        SET previous_signing_keys = json_array(json_object('sealed', previous_signing_key, 'until', previous_signing_key_until))
        WHERE previous_signing_key IS NOT NULL;
    `,
  },
];
