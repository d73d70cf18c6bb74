/** What objects store, as their own code reads it: bodies of events and of completed transactions have no names there. */
import type { AccountEvent } from "../../src/protocol/events.ts";
import { Events } from "../../src/account/storage/events.ts";
import type { Transaction } from "../../src/terminal/lane/index.ts";
import { Journal } from "../../src/terminal/storage/journal.ts";

/** The names of the tables of D1 or of an object. */
export const TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";

/** Every event of an account's object, in order. */
export function eventsIn({ sql }: DurableObjectStorage): AccountEvent[] {
  return new Events(sql).after(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event);
}

/** Every transaction of a terminal's object, newest first. */
export function journalIn({ sql }: DurableObjectStorage): Transaction[] {
  return new Journal(sql).page(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}
