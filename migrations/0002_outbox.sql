-- Rows that an object has written come from its outbox: each number of an object once.
ALTER TABLE audit_log ADD COLUMN object TEXT;              -- `terminal:` and a terminalId; null: the Worker wrote the row
ALTER TABLE audit_log ADD COLUMN outbox_number INTEGER;

CREATE UNIQUE INDEX audit_log_by_outbox ON audit_log (object, outbox_number) WHERE object IS NOT NULL;
