/**
 * How many bytes D1 keeps of an account and of a terminal after 400 days with 50 sales each: a database on Node, filled by
 * the product's own statements, as objects tell it, and cleaned up every day.
 */
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { type Random, randomOf } from "../../src/simulator/random.ts";
import { type CountedDay, countInDay, dayOf } from "../../src/statistics/counted-day.ts";
import { TIMES } from "../../src/protocol/statistics.ts";
import { bucketOf } from "../../src/statistics/histogram.ts";
import { ACCOUNT_HOURS_LIFE, SERVICE_CODES, STATISTICS_LIFE } from "../../src/statistics/limits.ts";
import { count, emptyTally, type Kind, type Tally } from "../../src/statistics/tally.ts";
import { accountStatements } from "../../src/storage/accounts.ts";
import { audit } from "../../src/storage/audit.ts";
import { cleanUp } from "../../src/storage/clean-up.ts";
import { noteBlock } from "../../src/storage/number-blocks.ts";
import { statisticsStatements } from "../../src/storage/statistics.ts";
import { insertTerminal, terminalStatement } from "../../src/storage/terminals.ts";
import { NUMBER_DAYS, NUMBER_DAYS_LOW } from "../../src/terminal/limits.ts";
import { DAY, HOUR } from "../../src/time/units.ts";
import { MemoryD1 } from "../workers-on-node/database.ts";

export interface D1Bytes {
  /** Of an account without its terminals. */
  account: number;
  terminal: number;
  /** Of the whole service's own statistics: at most, however large it is. */
  service: number;
}

/** Simulated days. */
const DAYS = 400;

/** Transactions of a terminal in a day, within so many hours. */
const SALES = 50;
const FIRST_HOUR = 9;
const OPEN_HOURS = 12;

/** How many accounts are weighed: rows of several share pages, as in a large database. */
const WEIGHED = 10;

const START = Date.UTC(2026, 0, 1);

export async function d1Bytes(): Promise<D1Bytes> {
  const [empty, full] = [await sizes(0, 0), await sizes(WEIGHED, DAYS)];
  const bytes = { account: 0, terminal: 0, service: 0 };
  for (const [name, size] of full) bytes[shareOf(name)] += size - (empty.get(name) ?? 0);
  return {
    account: Math.ceil(bytes.account / WEIGHED),
    terminal: Math.ceil(bytes.terminal / WEIGHED),
    service: serviceBytes(),
  };
}

/** Who has the rows of a table or an index. */
function shareOf(name: string): keyof D1Bytes {
  if (/^statistics_(?:hours|days)$/u.test(name)) return "service";
  return /^(?:terminals|number_blocks)/u.test(name) ? "terminal" : "account";
}

/** Of a service so large that each of its hours has seen times of all lengths, and as many codes as are kept apart. */
function serviceBytes(): number {
  const { counts, times } = emptyTally();
  for (let code = 0; code < SERVICE_CODES; code++) counts.set(`11 terminal sale ${code}`, 1_000);
  for (const name of TIMES) {
    for (let time = 0; time <= HOUR; time = Math.max(time + 1, Math.floor(time * 1.01))) {
      times.set(`${name} ${bucketOf(time)}`, 1_000_000);
    }
  }
  const row = [counts, times].map((numbers) => JSON.stringify(Object.fromEntries(numbers)).length);
  const rows = (STATISTICS_LIFE / DAY) * (24 + 1);
  return row.reduce((sum, length) => sum + length, 0) * rows;
}

/** Bytes by table and index, of a database with so many accounts with one terminal each, after so many days. */
async function sizes(accounts: number, days: number): Promise<Map<string, number>> {
  const db = new MemoryD1() as unknown as D1Database;
  const random = randomOf(1);
  for (let number = 0; number < accounts; number++) {
    await openAccount(db, posIdOf(number));
    await enrol(db, number);
  }
  for (let day = 0; day < days; day++) {
    const now = START + (day + 1) * DAY;
    for (let number = 0; number < accounts; number++) {
      await tellDay(db, posIdOf(number), day, random);
      await tellTerminal(db, number, day, now);
    }
    await cleanUp(db, now);
  }
  const { results } = await db
    .prepare("SELECT name, SUM(pgsize) AS bytes FROM dbstat GROUP BY name")
    .all<{ name: string; bytes: number }>();
  return new Map(results.map(({ name, bytes }) => [name, bytes]));
}

const posIdOf = (number: number): string => `POS-HARBOUR-${String(number).padStart(6, "0")}`;
const terminalIdOf = (number: number): string => `T-${String(number).padStart(8, "0")}`;

async function openAccount(db: D1Database, posId: string): Promise<void> {
  const details = {
    merchantId: "M-HARBOUR-0001",
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    name: "Harbour café",
  };
  const copy = {
    posId,
    ...details,
    region: null,
    status: "active",
    signedChanges: false,
    createdAt: START,
    sealedUnder: "2026-01",
  } as const;
  await db.batch([
    ...accountStatements(db, copy, START, crypto.randomUUID()),
    audit(db, { at: START, actor: "olga", action: "account.create", target: posId, details }),
  ]);
}

async function enrol(db: D1Database, number: number): Promise<void> {
  const [terminalId, posId] = [terminalIdOf(number), posIdOf(number)];
  const entry = { at: START, actor: "olga", target: terminalId };
  const terminal = { terminalId, isVT: 0, merchantId: "M-HARBOUR-0001", name: "Counter 1", createdAt: START } as const;
  const enrolled = { merchantId: terminal.merchantId, isVT: 0, name: terminal.name };
  await insertTerminal(
    db,
    { ...terminal, sealedUnder: "2026-01" },
    { ...entry, action: "terminal.enrol", details: enrolled },
  );
  await audit(db, { ...entry, actor: `account:${posId}`, action: "terminal.bind", details: { posId } }).run();
}

/** Presence, and numbers as a reserve asks for them. */
async function tellTerminal(db: D1Database, number: number, day: number, now: number): Promise<void> {
  const [terminalId, posId] = [terminalIdOf(number), posIdOf(number)];
  const state = { posId, retired: false, secretVersion: 1, sealedUnder: "2026-01", lastHeartbeat: now };
  const enrolled = { isVT: 0, merchantId: "M-HARBOUR-0001", name: "Counter 1", createdAt: START } as const;
  for (const [order, presence] of (["absent", "connected"] as const).entries()) {
    const told = { ...state, ...enrolled, presence, offlineSince: presence === "absent" ? now : null };
    await terminalStatement(db, terminalId, { owed: now + order, generation: crypto.randomUUID() }, told).run();
  }
  if (day % (NUMBER_DAYS - NUMBER_DAYS_LOW) !== 0) return;
  const first = 1_000_000_000 + (day * 1_000 + number) * NUMBER_DAYS * SALES;
  await noteBlock(db, terminalId, { first, last: first + NUMBER_DAYS * SALES - 1 }, now).run();
}

/** A day's sales of an account. */
async function tellDay(db: D1Database, posId: string, day: number, random: Random): Promise<void> {
  const hours = new Map<number, Tally>();
  const upTo = (day + 1) * SALES;
  const counted: CountedDay = { event: upTo, hours: new Map() };
  const first = Math.floor((START + day * DAY) / HOUR) + FIRST_HOUR;
  for (let sale = 0; sale < SALES; sale++) {
    const hour = first + random.below(OPEN_HOURS);
    const kind = kindOf(random);
    const tally = hours.get(hour) ?? emptyTally();
    hours.set(hour, tally);
    count(tally, kind, timesOf(random));
    countInDay(counted, hour, kind);
  }
  const days = new Map([[dayOf(first), counted]]);
  const oldestDay = Math.floor((START + day * DAY - ACCOUNT_HOURS_LIFE) / DAY);
  await db.batch(statisticsStatements(db, posId, { after: upTo - SALES, upTo, hours, days, oldestDay }));
}

/** Nineteen of twenty are approved. */
function kindOf(random: Random): Kind {
  const declined = { statusCode: "11", completedBy: "terminal", transType: "sale" } as const;
  if (random.below(20) === 0) return { ...declined, responseCode: random.pick(["05", "51", "54", "55", "17"]) };
  const transType = random.below(50) === 0 ? "void" : "sale";
  return { statusCode: "00", completedBy: "terminal", transType, responseCode: "00" };
}

function timesOf(random: Random) {
  const between = (least: number, most: number): number => least + random.below(most - least);
  return {
    gateway: between(12, 45),
    queue: 0,
    delivery: between(40, 160),
    customer: between(2_500, 9_000),
    recording: between(15, 80),
  };
}

if (DAYS * DAY !== JOURNAL_LIFE) throw new Error("A database is full after the life of the journal.");
