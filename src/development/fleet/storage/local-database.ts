/** The local D1 of `wrangler dev` as a file, for data that only a demo writes. Use it only while no gateway does. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type CountedHours, dayOf, toText, sumOf, type Tally } from "../../../statistics/tally.ts";

export interface GeneratedHour {
  posId: string;
  /** Hours since 1970, UTC. */
  hour: number;
  tally: Tally;
}

/**
 * Writes the hours of accounts, and their sums for the service: all or nothing.
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

/** A file's name is a hash. */
function databases(persistTo: string): string[] {
  const folder = join(persistTo, "v3", "d1", "miniflare-D1DatabaseObject");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  return names.map((name) => join(folder, name));
}

function hasTable(database: DatabaseSync): boolean {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'account_hours'";
  return database.prepare(table).get() !== undefined;
}

function write(database: DatabaseSync, hours: readonly GeneratedHour[]): boolean {
  const known = database.prepare("SELECT 1 FROM account_hours WHERE pos_id = ? LIMIT 1");
  if (hours.some(({ posId }) => known.get(posId) !== undefined)) return false;
  database.exec("BEGIN");
  // Event 0 is below every event of the account, so the object's own numbers for a day replace these.
  const insert = database.prepare("INSERT INTO account_hours (pos_id, day, event, hours) VALUES (?, ?, 0, ?)");
  for (const [posId, own] of Map.groupBy(hours, (hour) => hour.posId)) {
    for (const [day, ofDay] of Map.groupBy(own, ({ hour }) => dayOf(hour)))
      insert.run(posId, day, toText(byKey(ofDay)));
  }
  writeSums(database, "hour", hours, ({ hour }) => hour);
  writeSums(database, "day", hours, ({ hour }) => dayOf(hour));
  database.exec("COMMIT");
  return true;
}

function byKey(hours: readonly GeneratedHour[]): CountedHours {
  const counted: CountedHours = new Map();
  for (const { hour, tally } of hours) {
    for (const [key, count] of tally.counts) {
      const counts = counted.get(key) ?? new Map<number, number>();
      counted.set(key, counts.set(hour % 24, count));
    }
  }
  return counted;
}

function writeSums(
  database: DatabaseSync,
  unit: "hour" | "day",
  hours: readonly GeneratedHour[],
  unitOf: (hour: GeneratedHour) => number,
): void {
  const insert = database.prepare(
    `INSERT INTO statistics_${unit}s (${unit}, counts, times) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  for (const [at, some] of Map.groupBy(hours, unitOf)) {
    const { counts, times } = sumOf(some.map(({ tally }) => tally));
    insert.run(at, ...[counts, times].map((numbers) => JSON.stringify(Object.fromEntries(numbers))));
  }
}
