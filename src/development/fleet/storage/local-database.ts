/** The local D1 of `wrangler dev` as a file, while no gateway uses it: for data that only a demo writes. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Tally } from "../../../statistics/tally.ts";

/** An hour of an account, as in the gateway's table. */
export interface GeneratedHour {
  posId: string;
  /** Hours since 1970, UTC. */
  hour: number;
  tally: Tally;
}

/**
 * Writes hours of accounts of which the database has none: all of them, or nothing.
 *
 * @param persistTo the data folder
 * @returns whether they were written; false if an account has hours, or there is no database with such a table
 */
export async function writeFirstHours(persistTo: string, hours: readonly GeneratedHour[]): Promise<boolean> {
  const { DatabaseSync: Database } = await import("node:sqlite");
  for (const path of databases(persistTo)) {
    const database = new Database(path);
    try {
      if (!hasTable(database)) continue;
      return write(database, hours);
    } finally {
      database.close();
    }
  }
  return false;
}

/** One file per database, named by a hash. */
function databases(persistTo: string): string[] {
  const folder = join(persistTo, "v3", "d1", "miniflare-D1DatabaseObject");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  return names.map((name) => join(folder, name));
}

function hasTable(database: DatabaseSync): boolean {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'statistics_hours'";
  return database.prepare(table).get() !== undefined;
}

function write(database: DatabaseSync, hours: readonly GeneratedHour[]): boolean {
  const known = database.prepare("SELECT 1 FROM statistics_hours WHERE pos_id = ? LIMIT 1");
  if (hours.some(({ posId }) => known.get(posId) !== undefined)) return false;
  // Event 0 is below every event of the account, so the object's own numbers for an hour replace these.
  const insert = database.prepare(
    "INSERT INTO statistics_hours (hour, pos_id, event, counts, times) VALUES (?, ?, 0, ?, ?)",
  );
  database.exec("BEGIN");
  for (const { posId, hour, tally } of hours) insert.run(hour, posId, textOf(tally.counts), textOf(tally.times));
  database.exec("COMMIT");
  return true;
}

function textOf(numbers: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(numbers));
}
