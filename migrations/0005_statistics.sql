-- What the operator's overview and statistics are made of. Nothing of it is written with an ordinary transfer.

-- What an account's hour adds up to, as the account's object has counted it: numbers by key (src/statistics/tally.ts).
-- hour: since 1970, UTC. event: the newest one that is counted; a note is only overwritten by one with a higher event.
CREATE TABLE statistics_hours (
  hour INTEGER NOT NULL,
  pos_id TEXT NOT NULL,
  event INTEGER NOT NULL,
  counts TEXT NOT NULL,                  -- a JSON object
  times TEXT NOT NULL,                   -- a JSON object
  PRIMARY KEY (hour, pos_id)
) STRICT, WITHOUT ROWID;

-- The same by day: the sum of its hours. day: since 1970, UTC.
CREATE TABLE statistics_days (
  day INTEGER NOT NULL,
  pos_id TEXT NOT NULL,
  event INTEGER NOT NULL,
  counts TEXT NOT NULL,
  times TEXT NOT NULL,
  PRIMARY KEY (day, pos_id)
) STRICT, WITHOUT ROWID;

-- The newest day whose hours are added up.
CREATE TABLE statistics_progress (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  day INTEGER NOT NULL
) STRICT;

INSERT INTO statistics_progress (only, day) VALUES (1, 0);

-- Transactions that are 22, and for a day those that were: a note that comes late must not bring one back.
-- event: as above, of the account.
CREATE TABLE unsettled (
  pos_id TEXT NOT NULL,
  request_id INTEGER NOT NULL,
  event INTEGER NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  noted_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  currency TEXT NOT NULL,
  trans_amt INTEGER,                     -- hundredths; null: unknown
  body TEXT NOT NULL,                    -- a JSON object with the rest of what is shown
  PRIMARY KEY (pos_id, request_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX unsettled_by_age ON unsettled (received_at, request_id, pos_id) WHERE open = 1;
CREATE INDEX unsettled_ended ON unsettled (noted_at) WHERE open = 0;

-- An account's webhook endpoints that need attention; none: an empty list. version: of the account's object.
CREATE TABLE webhook_troubles (
  pos_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  endpoints TEXT NOT NULL                -- a JSON array of objects
) STRICT, WITHOUT ROWID;

-- Objects whose last note to D1 failed, as far as D1 could be told as much, and since when. Tried again every 30 seconds.
CREATE TABLE undelivered (
  object TEXT PRIMARY KEY,               -- `terminal:` and a terminalId, `account:` and a posId
  since INTEGER NOT NULL,                -- the time of the oldest change that is missing
  noted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Terminals that are offline, in the order of their loss.
CREATE INDEX terminals_offline ON terminals (offline_since)
  WHERE status = 'enrolled' AND connected = 0 AND offline_since IS NOT NULL;

-- How many terminals there are, so that nobody has to count them.
CREATE TABLE terminal_counts (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  enrolled INTEGER NOT NULL,
  bound INTEGER NOT NULL,
  connected INTEGER NOT NULL
) STRICT;

INSERT INTO terminal_counts (only, enrolled, bound, connected)
  SELECT 1, COUNT(*), COUNT(bound_pos_id), COALESCE(SUM(connected), 0) FROM terminals WHERE status = 'enrolled';

CREATE TRIGGER terminals_counted_in AFTER INSERT ON terminals WHEN NEW.status = 'enrolled'
BEGIN
  UPDATE terminal_counts SET enrolled = enrolled + 1, bound = bound + (NEW.bound_pos_id IS NOT NULL),
    connected = connected + NEW.connected;
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
    connected = connected + (NEW.status = 'enrolled' AND NEW.connected) - (OLD.status = 'enrolled' AND OLD.connected);
END;
