-- Times are epoch milliseconds. "sealed" texts are encrypted under MASTER_KEYS (src/keys/sealing.ts).

CREATE TABLE accounts (
  pos_id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  timezone TEXT NOT NULL,
  name TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'deleted')),
  password_hash TEXT NOT NULL,
  signing_key TEXT NOT NULL,             -- sealed
  previous_signing_key TEXT,             -- sealed
  previous_signing_key_until INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_merchant ON accounts (merchant_id);

CREATE TABLE terminals (
  terminal_id TEXT PRIMARY KEY,
  is_vt INTEGER NOT NULL CHECK (is_vt IN (0, 1)),
  merchant_id TEXT,                      -- assigned by the operator, or none
  name TEXT,
  status TEXT NOT NULL CHECK (status IN ('enrolled', 'retired')),
  created_at INTEGER NOT NULL,
  -- Copies of what the terminal's object knows; a note is only overwritten by a newer one.
  bound_pos_id TEXT,
  binding_version INTEGER NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0 CHECK (connected IN (0, 1)),
  connection_number INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX terminals_by_account ON terminals (bound_pos_id, terminal_id) WHERE bound_pos_id IS NOT NULL;

CREATE TABLE channels (
  name TEXT PRIMARY KEY,
  status INTEGER NOT NULL CHECK (status IN (0, 1)),
  currency TEXT NOT NULL,                -- a JSON array of three-letter codes
  logo_url TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The next transaction number of the whole service; objects take blocks of it.
CREATE TABLE transaction_numbers (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  next INTEGER NOT NULL
) STRICT;

INSERT INTO transaction_numbers (only, next) VALUES (1, 1000000000);

-- I1: which device a reference belongs to. `messages` counts the messages that stand on the claim: one that is refused
-- takes back its own, and the last one takes the row with it.
CREATE TABLE reference_claims (
  pos_id TEXT NOT NULL,
  reference_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  messages INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (pos_id, reference_id)
) STRICT, WITHOUT ROWID;
