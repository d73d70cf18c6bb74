-- What an operator's lists show and find.

-- A merchant as people know it. Terminals and accounts name it by their merchant_id, also where there is none here.
CREATE TABLE shops (
  merchant_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Copies of what the terminal's object knows, written with `connected`.
ALTER TABLE terminals ADD COLUMN offline_since INTEGER;        -- null: connected, or never was
ALTER TABLE terminals ADD COLUMN last_heartbeat INTEGER;       -- of the last connection that has ended

CREATE INDEX terminals_by_merchant ON terminals (merchant_id, terminal_id) WHERE merchant_id IS NOT NULL;

-- JSON objects with the values that a change has replaced, and with those that it has set.
ALTER TABLE audit_log ADD COLUMN before TEXT;
ALTER TABLE audit_log ADD COLUMN after TEXT;

CREATE INDEX audit_log_by_target ON audit_log (target, at);
CREATE INDEX audit_log_by_actor ON audit_log (actor, at);

-- Which terminal has which block of transaction numbers: `first` and those that follow it.
CREATE TABLE number_blocks (
  first INTEGER PRIMARY KEY,
  terminal_id TEXT NOT NULL
) STRICT;
