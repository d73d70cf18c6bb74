-- What must be found without knowing an account or a terminal: copies that follow the objects, and what only lists need.
-- No transfer and no refresh reads it. Times are epoch milliseconds unless a column says otherwise.

CREATE TABLE accounts (
  pos_id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  timezone TEXT NOT NULL,
  name TEXT,
  region TEXT,                           -- where the operator wants the object; null: near the time zone
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'deleted')),
  created_at INTEGER NOT NULL,
  signed_changes INTEGER NOT NULL DEFAULT 0,  -- 1: changes of its terminals must be signed
  sealed_under TEXT NOT NULL,            -- the kid of the master key that the object's secrets are sealed under
  version INTEGER NOT NULL               -- of the object's outbox entry: only a higher one overwrites this row
) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_merchant ON accounts (merchant_id);

CREATE TABLE terminals (
  terminal_id TEXT PRIMARY KEY,
  is_vt INTEGER NOT NULL CHECK (is_vt IN (0, 1)),
  merchant_id TEXT,                      -- assigned by the operator, or none
  name TEXT,
  status TEXT NOT NULL CHECK (status IN ('enrolled', 'retired')),
  created_at INTEGER NOT NULL,
  sealed_under TEXT NOT NULL,            -- the kid of the master key that the object's copy of the secret is sealed under
  -- Copies of what the terminal's object has, and the version of its outbox entry: only a higher one overwrites them.
  -- Version -1: a resync found no object, so that the terminal can be enrolled again.
  version INTEGER NOT NULL DEFAULT 0,
  bound_pos_id TEXT,
  connected INTEGER NOT NULL DEFAULT 0 CHECK (connected IN (0, 1)),
  silent INTEGER NOT NULL DEFAULT 0 CHECK (silent IN (0, 1)),  -- its connection is open, and nothing is heard on it
  offline_since INTEGER,                 -- when it was heard last; null: connected, or never was
  last_heartbeat INTEGER                 -- the last known one
) STRICT, WITHOUT ROWID;

-- No two ids differ only in case.
CREATE UNIQUE INDEX terminals_in_any_case ON terminals (terminal_id COLLATE NOCASE);
CREATE INDEX terminals_by_account ON terminals (bound_pos_id, terminal_id) WHERE bound_pos_id IS NOT NULL;
CREATE INDEX terminals_by_merchant ON terminals (merchant_id, terminal_id) WHERE merchant_id IS NOT NULL;

-- Terminals that are offline, in the order of their loss, and whose they are: the overview counts thousands.
CREATE INDEX terminals_offline ON terminals (offline_since, merchant_id, bound_pos_id)
  WHERE status = 'enrolled' AND connected = 0 AND offline_since IS NOT NULL;

-- How many terminals there are, so that nobody has to count them; and how often one became connected, or was lost.
CREATE TABLE terminal_counts (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  enrolled INTEGER NOT NULL,
  bound INTEGER NOT NULL,
  connected INTEGER NOT NULL,
  opened INTEGER NOT NULL,
  lost INTEGER NOT NULL
) STRICT;

INSERT INTO terminal_counts (only, enrolled, bound, connected, opened, lost) VALUES (1, 0, 0, 0, 0, 0);

CREATE TRIGGER terminals_counted_in AFTER INSERT ON terminals WHEN NEW.status = 'enrolled'
BEGIN
  UPDATE terminal_counts SET enrolled = enrolled + 1, bound = bound + (NEW.bound_pos_id IS NOT NULL),
    connected = connected + NEW.connected, opened = opened + NEW.connected;
END;

CREATE TRIGGER terminals_counted_out AFTER DELETE ON terminals WHEN OLD.status = 'enrolled'
BEGIN
  UPDATE terminal_counts SET enrolled = enrolled - 1, bound = bound - (OLD.bound_pos_id IS NOT NULL),
    connected = connected - OLD.connected;
END;

CREATE TRIGGER terminals_counted_again AFTER UPDATE OF status, bound_pos_id, connected ON terminals
WHEN NEW.status <> OLD.status OR NEW.connected <> OLD.connected OR (NEW.bound_pos_id IS NULL) <> (OLD.bound_pos_id IS NULL)
BEGIN
  UPDATE terminal_counts SET
    enrolled = enrolled + (NEW.status = 'enrolled') - (OLD.status = 'enrolled'),
    bound = bound + (NEW.status = 'enrolled' AND NEW.bound_pos_id IS NOT NULL)
      - (OLD.status = 'enrolled' AND OLD.bound_pos_id IS NOT NULL),
    connected = connected + (NEW.status = 'enrolled' AND NEW.connected) - (OLD.status = 'enrolled' AND OLD.connected),
    opened = opened + (NEW.connected AND NOT OLD.connected),
    lost = lost + (OLD.connected AND NOT NEW.connected);
END;

-- Which terminal has which block of transaction numbers: `first` and those up to `last`. The terminal's object writes a
-- block when it gets it, and again whenever it gets another one while it still uses this one. The highest `last` is the
-- lower bound of the counter. Two terminals have the same numbers only if the counter was set back all the same.
CREATE TABLE number_blocks (
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  terminal_id TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (last, terminal_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX number_blocks_by_time ON number_blocks (noted_at);

-- A merchant as people know it. Terminals and accounts name it by their merchant_id, also where there is none here.
CREATE TABLE shops (
  merchant_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- Activation codes, as HMACs: which terminal gets its secret by one. Whether it was used, the terminal's object knows.
CREATE TABLE activation_codes (
  digest TEXT PRIMARY KEY,               -- HMAC-SHA-256 under a key derived from the master key `kid`
  terminal_id TEXT NOT NULL,
  kid TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX activation_codes_by_end ON activation_codes (expires_at);

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

-- Every change that an operator, or an account about its terminals, has made. Never holds a secret. Rows that an object
-- delivers are unique by object and number.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,                   -- an operator's name, `account:` and a posId, or `terminal:` and a terminalId
  action TEXT NOT NULL,
  target TEXT NOT NULL,                  -- a posId, a terminalId, a channel's name
  details TEXT NOT NULL,                 -- a JSON object
  object TEXT,                           -- `terminal:` and a terminalId; null: the Worker wrote the row
  number INTEGER,
  before TEXT,                           -- JSON objects with the values that a change has replaced,
  after TEXT                             -- and with those that it has set
) STRICT;

CREATE INDEX audit_log_by_time ON audit_log (at);
CREATE UNIQUE INDEX audit_log_by_number ON audit_log (object, number) WHERE object IS NOT NULL;
CREATE INDEX audit_log_by_target ON audit_log (target, at);
CREATE INDEX audit_log_by_actor ON audit_log (actor, at);

-- What the service's hours (since 1970, UTC) add up to: numbers by key (src/gateway/statistics/tally.ts).
CREATE TABLE statistics_hours (
  hour INTEGER PRIMARY KEY,
  tally TEXT NOT NULL                    -- a JSON object
) STRICT;

-- What the service's hours before `hour` add up to, for counters that only grow (src/gateway/d1/counters.ts).
CREATE TABLE statistics_totals (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  hour INTEGER NOT NULL,
  tally TEXT NOT NULL
) STRICT;

INSERT INTO statistics_totals (only, hour, tally) VALUES (1, 0, '{}');

-- What an account's hours add up to, as the account's object has counted them; the hours of a day (UTC, since 1970) in a
-- row. event: the newest one that is counted; a row is only replaced by one with a higher event.
CREATE TABLE account_hours (
  pos_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  event INTEGER NOT NULL,
  hours TEXT NOT NULL,                   -- a JSON object of tallies by hour of the day
  PRIMARY KEY (pos_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_hours_by_day ON account_hours (day);

-- By which operators find an account's payments of a day (UTC, since 1970) over all accounts: 16 bytes for each
-- (src/gateway/d1/fingerprints.ts). Without an index, and by itself, so that rows share pages and go whole.
CREATE TABLE fingerprints (
  day INTEGER NOT NULL,
  pos_id TEXT NOT NULL,
  payments BLOB NOT NULL,
  PRIMARY KEY (day, pos_id)
) STRICT, WITHOUT ROWID;

-- Transactions that are 22, and for a day those that were: a note that comes late must not bring one back.
CREATE TABLE pending (
  pos_id TEXT NOT NULL,
  request_id INTEGER NOT NULL,
  terminal_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  noted_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  currency TEXT NOT NULL,
  trans_amt INTEGER,                     -- hundredths; null: unknown
  body TEXT NOT NULL,                    -- a JSON object with the rest of what is shown
  PRIMARY KEY (pos_id, request_id, terminal_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_by_age ON pending (received_at, request_id, pos_id) WHERE open = 1;
-- An account's own, and contradicted ones: no other account's open payments stand before them.
CREATE INDEX pending_by_account ON pending (pos_id, received_at, request_id) WHERE open = 1;
CREATE INDEX pending_conflict ON pending (received_at, request_id, pos_id)
  WHERE open = 1 AND body ->> 'conflict' IS NOT NULL;
CREATE INDEX pending_ended ON pending (noted_at) WHERE open = 0;

-- Other counters of the service that only grow (src/gateway/d1/counters.ts).
CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('conflict', 0);

CREATE TRIGGER conflicts_counted_in AFTER INSERT ON pending WHEN NEW.body ->> 'conflict' IS NOT NULL
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'conflict';
END;

CREATE TRIGGER conflicts_counted_again AFTER UPDATE OF body ON pending
WHEN NEW.body ->> 'conflict' IS NOT NULL AND OLD.body ->> 'conflict' IS NULL
BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'conflict';
END;

-- An account's webhook endpoints that need attention; none: an empty list. version: of the account's object.
CREATE TABLE webhook_alerts (
  pos_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  endpoints TEXT NOT NULL                -- a JSON array of objects
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_alerts_now ON webhook_alerts (pos_id) WHERE endpoints <> '[]';

-- Objects of which this database has refused a delivery, and what waits there since when.
CREATE TABLE outbox_waiting (
  object TEXT PRIMARY KEY,               -- `terminal:` and a terminalId, `account:` and a posId
  entries INTEGER NOT NULL,
  oldest INTEGER NOT NULL,               -- the time of the oldest change that is missing
  noted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
