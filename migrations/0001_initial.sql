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
  sealed_under TEXT NOT NULL,            -- the kid of the master key that both are sealed under
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
  -- The version of the secret that its last login was signed with: tokens of another one bind no more. 0: no login yet
  -- since the secret was made.
  secret_version INTEGER NOT NULL DEFAULT 0,
  sealed_under TEXT NOT NULL,            -- the kid of the master key that the object's copy of the secret is sealed under
  -- Copies of what the terminal's object knows; a note is only overwritten by a newer one.
  bound_pos_id TEXT,
  binding_version INTEGER NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0 CHECK (connected IN (0, 1)),
  connection_number INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX terminals_by_account ON terminals (bound_pos_id, terminal_id) WHERE bound_pos_id IS NOT NULL;

-- One row per login. Of the pair that was handed out last it holds the ingredients, not the tokens: tokens are made of
-- nothing else, so the same pair can be made again, and cannot be read here.
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY,
  pos_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,           -- the refresh token's end: nothing of this session is valid later
  revoked_at INTEGER,
  kid TEXT NOT NULL,                     -- the master key that signed the pair
  timezone TEXT NOT NULL,                -- the account's when the pair was made: its times are written in it
  issued_at INTEGER NOT NULL,
  access_id TEXT NOT NULL,
  access_expires_at INTEGER NOT NULL,
  refresh_id TEXT NOT NULL,
  previous_refresh_id TEXT,              -- the refresh token that was exchanged for the pair
  rotated_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (pos_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Bind keys, as HMACs: a key is forty bits, which a plain hash would not hide. Ids only grow: of two open keys the lower
-- one is the older.
CREATE TABLE bind_keys (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,           -- HMAC-SHA-256 under a key derived from the master key `kid`
  kid TEXT NOT NULL,
  pos_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_by TEXT,                          -- the terminal that claimed it
  completed_at INTEGER                   -- when that terminal was bound
) STRICT;

CREATE INDEX bind_keys_by_account ON bind_keys (pos_id, id);
CREATE INDEX bind_keys_by_end ON bind_keys (expires_at);

-- Terminals that an account listed for prebinding, enrolled or not.
CREATE TABLE prebound_terminals (
  pos_id TEXT NOT NULL,
  terminal_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (pos_id, terminal_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX prebound_terminals_by_terminal ON prebound_terminals (terminal_id);

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

-- Where the daily walk over reference_claims stopped. The walk spares the claims an index on their time, and with it a
-- second written row per payment.
CREATE TABLE claims_walk (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  pos_id TEXT NOT NULL,
  reference_id TEXT NOT NULL
) STRICT;

INSERT INTO claims_walk (only, pos_id, reference_id) VALUES (1, '', '');

-- Every change that an operator, or an account about its terminals, has made. Never holds a secret.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,                   -- an operator's name, or `account:` and a posId
  action TEXT NOT NULL,
  target TEXT NOT NULL,                  -- a posId, a terminalId, a channel's name
  details TEXT NOT NULL                  -- a JSON object
) STRICT;

CREATE INDEX audit_log_by_time ON audit_log (at);
