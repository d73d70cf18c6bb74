/**
 * How many bytes D1 keeps of an account and of a terminal after 400 days with 50 sales each: a database on Node, filled by
 * the product's own statements, as objects tell it, and cleaned up every day.
 */
import { TIMES } from "../../src/protocol/statistics.ts";
import { type Random, randomOf } from "../../src/simulator/random.ts";
import {
  bucketOf,
  count,
  type CountedDay,
  countInDay,
  dayOf,
  emptyTally,
  type Kind,
  type Tally,
  TOLD,
  turnoverOf,
} from "../../src/statistics/tally.ts";
import {
  ACCOUNT_HOURS_LIFE,
  MAY_LACK,
  SEND_EVERY,
  SERVICE_CODES,
  STATISTICS_LIFE,
} from "../../src/statistics/limits.ts";
import { accountStatements } from "../../src/storage/accounts.ts";
import { audit } from "../../src/storage/audit.ts";
import { cleanUp } from "../../src/storage/clean-up.ts";
import { packed } from "../../src/storage/fingerprints.ts";
import { noteBlock } from "../../src/storage/objects.ts";
import { statisticsStatements } from "../../src/storage/statistics.ts";
import { insertTerminal, terminalStatement } from "../../src/storage/terminals.ts";
import { NUMBER_DAYS, NUMBER_DAYS_LOW } from "../../src/terminal/limits.ts";
import { DAY, HOUR } from "../../src/time/units.ts";
import { MemoryD1 } from "../workers-on-node/database.ts";

/** The life of the journal. */
const DAYS = 400;

/** Transactions of a terminal in a day, within so many hours. */
const SALES = 50;
const FIRST_HOUR = 9;
const OPEN_HOURS = 12;

/** How many accounts are weighed: rows of several share pages, as in a large database. */
const WEIGHED = 10;

const START = Date.UTC(2026, 0, 1);

const MERCHANT = "M-HARBOUR-0001";
const ENROLLED = { isVT: 0, merchantId: MERCHANT, name: "Counter 1" } as const;
const SEALED = { createdAt: START, sealedUnder: "2026-01" };

/** Of an account without its terminal, of a terminal, and of the whole service's own statistics, however large it is. */
export async function d1Bytes(): Promise<Record<"account" | "terminal" | "service", number>> {
  const [empty, full] = [await sizes(0, 0), await sizes(WEIGHED, DAYS)];
  const bytes = { account: 0, terminal: 0 };
  for (const [name, size] of full) {
    if (/^statistics_(?:hours|days)$/u.test(name)) continue;
    bytes[/^(?:terminals|number_blocks)/u.test(name) ? "terminal" : "account"] += size - (empty.get(name) ?? 0);
  }
  return {
    account: Math.ceil(bytes.account / WEIGHED),
    terminal: Math.ceil(bytes.terminal / WEIGHED),
    service: serviceBytes(),
  };
}

/** Each of its hours has seen times of all lengths, and as many codes as are kept apart. */
function serviceBytes(): number {
  const { counts, times } = emptyTally();
  for (let code = 0; code < SERVICE_CODES; code++) counts.set(`11 terminal sale ${code}`, 1_000);
  for (const name of TIMES) {
    for (let time = 0; time <= HOUR; time = Math.max(time + 1, Math.floor(time * 1.01))) {
      times.set(`${name} ${bucketOf(time)}`, 1_000_000);
    }
  }
  // The tellings of two hours after it, and of the hours before.
  for (let bucket = 0; bucket < (3 * MAY_LACK) / SEND_EVERY; bucket++)
    times.set(`${TOLD} ${5_900_000 + bucket}`, 1_000);
  const row = [counts, times].map((numbers) => JSON.stringify(Object.fromEntries(numbers)).length);
  const rows = (STATISTICS_LIFE / DAY) * (24 + 1);
  return row.reduce((sum, length) => sum + length, 0) * rows;
}

/** Bytes by table and index, of a database with so many accounts with one terminal each, after so many days. */
async function sizes(accounts: number, days: number): Promise<Map<string, number>> {
  const db = new MemoryD1() as unknown as D1Database;
  const random = randomOf(1);
  const all = Array.from({ length: accounts }, (_, number) => ({
    number,
    posId: `POS-HARBOUR-${String(number).padStart(6, "0")}`,
    terminalId: `T-${String(number).padStart(8, "0")}`,
  }));
  for (const { posId, terminalId } of all) await open(db, posId, terminalId);
  for (let day = 0; day < days; day++) {
    const now = START + (day + 1) * DAY;
    for (const { number, posId, terminalId } of all) {
      await db.batch(statisticsStatements(db, posId, soldOn(day, random)));
      // Presence, and numbers as a reserve asks for them.
      for (const presence of ["absent", "connected"] as const) {
        const state = { posId, retired: false, secretVersion: 1, lastHeartbeat: now, ...ENROLLED, ...SEALED };
        const told = { ...state, presence, offlineSince: presence === "absent" ? now : null };
        const owed = { owed: presence === "absent" ? now : now + 1, generation: crypto.randomUUID() };
        await terminalStatement(db, terminalId, owed, told).run();
      }
      if (day % (NUMBER_DAYS - NUMBER_DAYS_LOW) !== 0) continue;
      const first = 1_000_000_000 + (day * 1_000 + number) * NUMBER_DAYS * SALES;
      await noteBlock(db, terminalId, { first, last: first + NUMBER_DAYS * SALES - 1 }, now).run();
    }
    await cleanUp(db, now);
  }
  const { results } = await db
    .prepare("SELECT name, SUM(pgsize) AS bytes FROM dbstat GROUP BY name")
    .all<{ name: string; bytes: number }>();
  return new Map(results.map(({ name, bytes }) => [name, bytes]));
}

async function open(db: D1Database, posId: string, terminalId: string): Promise<void> {
  const terms = { merchantId: MERCHANT, currency: "MYR", timezone: "Asia/Kuala_Lumpur", name: "Harbour café" };
  const copy = { posId, ...terms, region: null, status: "active", signedChanges: false, ...SEALED } as const;
  const entry = { at: START, actor: "olga" };
  await db.batch([
    ...accountStatements(db, copy, START, crypto.randomUUID()),
    audit(db, { ...entry, action: "account.create", target: posId, details: terms }),
    audit(db, {
      at: START,
      actor: `account:${posId}`,
      action: "terminal.bind",
      target: terminalId,
      details: { posId },
    }),
  ]);
  const enrolled = { ...entry, action: "terminal.enrol", target: terminalId, details: ENROLLED } as const;
  await insertTerminal(db, { terminalId, ...ENROLLED, ...SEALED }, enrolled);
}

/** A day's sales of an account. */
function soldOn(day: number, random: Random): Parameters<typeof statisticsStatements>[2] {
  const hours = new Map<number, Tally>();
  const upTo = (day + 1) * SALES;
  const counted: CountedDay = { event: upTo, hours: new Map() };
  const first = (START + day * DAY) / HOUR + FIRST_HOUR;
  const between = (least: number, most: number): number => least + random.below(most - least);
  let payments = "";
  for (let sale = 0; sale < SALES; sale++) {
    payments += packed(soldFor(random, sale), upTo - SALES + sale, START);
    const hour = first + random.below(OPEN_HOURS);
    const kind = kindOf(random);
    const turnover = turnoverOf({ ...kind, currency: "MYR", transAmt: (between(300, 6_000) / 100).toFixed(2) });
    const tally = hours.get(hour) ?? emptyTally();
    hours.set(hour, tally);
    const times = {
      gateway: between(12, 45),
      queue: 0,
      delivery: between(40, 160),
      customer: between(2_500, 9_000),
      recording: between(15, 80),
    };
    count(tally, kind, times, turnover);
    countInDay(counted, hour, kind, turnover);
  }
  const oldestDay = Math.floor((START + day * DAY - ACCOUNT_HOURS_LIFE) / DAY);
  const of = dayOf(first);
  return {
    after: upTo - SALES,
    upTo,
    toldAt: START + (day + 1) * DAY,
    hours,
    days: new Map([[of, counted]]),
    payments: new Map([[of, payments]]),
    oldestDay,
  };
}

function soldFor(random: Random, sale: number): Parameters<typeof packed>[0] {
  const cardNo = `xxxxxxxxxxxx${1_000 + random.below(9_000)}`;
  const at = { receivedAt: "", completedAt: null };
  return {
    referenceId: `R-${sale}`,
    transAmt: `${1 + random.below(99)}.50`,
    cashAmt: null,
    cardNo,
    deviceId: "",
    ...at,
  };
}

/** Nineteen of twenty are approved. */
function kindOf(random: Random): Kind {
  const declined = { statusCode: "11", completedBy: "terminal", transType: "sale" } as const;
  if (random.below(20) === 0) return { ...declined, responseCode: random.pick(["05", "51", "54", "55", "17"]) };
  const transType = random.below(50) === 0 ? "void" : "sale";
  return { statusCode: "00", completedBy: "terminal", transType, responseCode: "00" };
}
