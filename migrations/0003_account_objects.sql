-- An account's object holds its terms, keys, sessions and references. D1 keeps copies for listings: nothing of it is
-- asked on the way of a transfer. What was here before is not moved.
DROP TABLE sessions;
DROP TABLE reference_claims;
DROP TABLE claims_walk;
DROP TABLE accounts;

CREATE TABLE accounts (
  pos_id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  timezone TEXT NOT NULL,
  name TEXT,
  region TEXT,                           -- where the operator wants the object; null: near the time zone
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'deleted')),
  created_at INTEGER NOT NULL,
  sealed_under TEXT NOT NULL,            -- the kid of the master key that the object's signing keys are sealed under
  terms_version INTEGER NOT NULL         -- of the object: a note is only overwritten by a newer one
) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_merchant ON accounts (merchant_id);
