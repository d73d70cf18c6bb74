/** What objects store, as their own code reads it: bodies of events and of completed transactions have no names there. */
import type { AccountEvent } from "../../src/protocol/events.ts";
import { Events } from "../../src/gateway/account/storage/events.ts";
import type { LaneTransaction } from "../../src/gateway/terminal/lane/index.ts";
import { Journal } from "../../src/gateway/terminal/storage/journal.ts";
import { D1, type Outbox } from "../../src/gateway/durable/storage/outbox.ts";
import type { AuditEntry } from "../../src/gateway/d1/audit.ts";

/** The names of the tables of D1 or of an object. */
export const TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";

/** Reads every event of an account's object, in order. */
export function eventsIn({ sql }: DurableObjectStorage): AccountEvent[] {
  return new Events(sql).after(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event);
}

/** Reads every transaction of a terminal's object, newest first. */
export function journalIn({ sql }: DurableObjectStorage): LaneTransaction[] {
  return new Journal(sql).page(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

/** Reads the rows of the audit log that D1 lacks, the oldest first. */
export function auditRows(outbox: Outbox): AuditEntry[] {
  return outbox
    .due(D1, Infinity)
    .filter(({ kind }) => kind === "audit")
    .map(({ payload }) => JSON.parse(payload ?? "") as AuditEntry);
}

/** Transactions that are 22, or are 22 no more, in the order of the changes: `number open` or `number completed`. */
export function pendingRows(outbox: Outbox): string[] {
  return outbox
    .due(D1, Infinity)
    .filter(({ kind }) => kind === "pending")
    .map(({ key, payload }) => `${key} ${payload === null ? "completed" : "open"}`);
}
