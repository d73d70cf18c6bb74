/** The statistics that `npm start` generates for the hours before a demo. */
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { generateHours } from "../../src/development/fleet/generated-hours.ts";
import { AMOUNT, kindOf } from "../../src/statistics/tally.ts";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "migrations");
const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 22, 15, 20);

interface Row {
  hour: number;
  counts: string;
  times: string;
}

interface Day {
  pos_id: string;
  day: number;
  event: number;
  hours: string;
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hours-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A database file where the local D1 has them. */
function database(name: string): DatabaseSync {
  const databases = join(folder, "v3", "d1", "miniflare-D1DatabaseObject");
  mkdirSync(databases, { recursive: true });
  return new DatabaseSync(join(databases, `${name}.sqlite`));
}

function migrated(): DatabaseSync {
  const own = database("gateway");
  for (const name of readdirSync(MIGRATIONS).toSorted()) own.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  return own;
}

// The assertion: these are the columns.
const hoursIn = (own: DatabaseSync): Row[] =>
  own.prepare("SELECT * FROM statistics_hours ORDER BY hour").all() as unknown as Row[];

const daysIn = (own: DatabaseSync): Day[] =>
  own.prepare("SELECT * FROM account_hours ORDER BY pos_id, day").all() as unknown as Day[];

describe("generated hours", () => {
  it("cover two shops up to the current hour, which is left to the gateway", async ({ expect }) => {
    const own = migrated();
    database("another").exec("CREATE TABLE other (only INTEGER)");
    expect(await generateHours(folder, NOW)).toBe(true);
    const rows = hoursIn(own);
    const days = daysIn(own);
    expect(new Set(days.map((row) => row.pos_id))).toEqual(new Set(["POS-HARBOUR", "POS-STATION"]));
    expect(days.every(({ event }) => event === 0)).toBe(true);
    const present = Math.floor(NOW / HOUR);
    expect(rows.every(({ hour }) => hour < present && hour >= present - 24)).toBe(true);
    // Lunch in Kuala Lumpur is busier than the early morning there.
    const payments = rows.map(({ hour, counts }) => ({ hour, all: sumOf(counts, (key) => kindOf(key) !== null) }));
    const at = (hour: number): number =>
      payments.filter((row) => row.hour % 24 === hour).reduce((sum, { all }) => sum + all, 0);
    expect(at(5)).toBeGreaterThan(30);
    expect(at(19)).toBeLessThan(5);
    const sold = rows.reduce((sum, { counts }) => sum + sumOf(counts), 0);
    const ofAccounts = days.flatMap(({ hours }) => Object.values(JSON.parse(hours) as Record<string, object>));
    expect(ofAccounts.reduce((sum, counts) => sum + sumOf(JSON.stringify(counts)), 0)).toBe(sold);
    const [ofDays] = own.prepare("SELECT SUM(j.value) AS sold FROM statistics_days, json_each(counts) j").all();
    expect(ofDays?.["sold"]).toBe(sold);
    const keys = rows.flatMap(({ counts }) => Object.keys(JSON.parse(counts)));
    expect(keys.filter((key) => kindOf(key) === null && key !== `${AMOUNT}MYR`)).toEqual([]);
    expect(Object.keys(JSON.parse(rows[5]?.times ?? "{}")).some((key) => key.startsWith("customer "))).toBe(true);
  });

  it("are written once, and never next to hours that the gateway has counted", async ({ expect }) => {
    const own = migrated();
    expect(await generateHours(folder, NOW)).toBe(true);
    const before = [hoursIn(own), daysIn(own)];
    expect(await generateHours(folder, NOW + 5 * HOUR)).toBe(false);
    expect([hoursIn(own), daysIn(own)]).toEqual(before);
    own.exec("DELETE FROM account_hours WHERE pos_id <> 'POS-STATION' OR day > (SELECT MIN(day) FROM account_hours)");
    expect(await generateHours(folder, NOW)).toBe(false);
  });

  it("are not written if the gateway has no database", async ({ expect }) => {
    expect(await generateHours(folder, NOW)).toBe(false);
    database("another").exec("CREATE TABLE other (only INTEGER)");
    expect(await generateHours(folder, NOW)).toBe(false);
  });
});

function sumOf(counts: string, isMeant: (key: string) => boolean = () => true): number {
  const numbers = Object.entries(JSON.parse(counts) as Record<string, number>);
  return numbers.reduce((sum, [key, number]) => sum + (isMeant(key) ? number : 0), 0);
}
