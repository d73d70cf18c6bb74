/**
 * Generated statistics of the hours before the demo began, so that the operator's charts are not empty. The gateway has
 * no call for this, so they are written into the local D1 before it starts. They are not payments: journals, accounts
 * and totals do not contain them.
 */
import { randomOf, type Random } from "../../simulator/random.ts";
import { count, emptyTally, type Kind, type Tally, turnoverOf } from "../../statistics/tally.ts";
import { HOUR } from "../../time/units.ts";
import { TERMS } from "../demo.ts";
import { writeFirstHours, type GeneratedHour } from "./storage/local-database.ts";

/** The demo's terminals are divided among them. */
export const SHOPS = [
  { posId: "POS-HARBOUR", merchantId: "M-HARBOUR", name: "Harbour Café", place: "HARBOUR" },
  { posId: "POS-STATION", merchantId: "M-STATION", name: "Station Kiosk", place: "STATION" },
];

/** As many as the overview shows, without the current one, which the gateway counts itself. */
const HOURS = 24;

/** Average payments in each hour of the day, from midnight: breakfast, lunch and the way home. */
const BUSY = [0, 0, 0, 0, 0, 1, 6, 18, 26, 20, 16, 22, 38, 42, 24, 16, 14, 24, 40, 34, 20, 12, 5, 1];

/** `share`: in a thousand payments. */
const DECLINES: [responseCode: string, completedBy: Kind["completedBy"], share: number][] = [
  ["05", "terminal", 22],
  ["51", "terminal", 18],
  ["54", "terminal", 6],
  ["55", "terminal", 9],
  ["17", "terminal", 14],
  ["TERMINAL_BUSY", "gateway", 4],
  ["TERMINAL_OFFLINE", "gateway", 3],
];

/**
 * Writes nothing if the shops have hours.
 *
 * @param now epoch milliseconds
 * @returns whether it has written them
 */
export function generateHours(persistTo: string, now: number): Promise<boolean> {
  return writeFirstHours(
    persistTo,
    SHOPS.flatMap(({ posId }, index) => hoursOf(posId, index, now)),
  );
}

/** The same each time. Hours without a payment are missing. */
export function hoursOf(posId: string, index: number, now: number): GeneratedHour[] {
  const present = Math.floor(now / HOUR);
  return Array.from({ length: HOURS }, (_, back) => present - HOURS + back)
    .map((hour) => {
      const average = BUSY[hourOfDay(hour * HOUR)] ?? 0;
      return { posId, hour, tally: tallyOf(average, randomOf(hour * SHOPS.length + index)) };
    })
    .filter(({ tally }) => tally.counts.size > 0);
}

function tallyOf(average: number, random: Random): Tally {
  const tally = emptyTally();
  const payments = Math.round(average * (0.7 + 0.6 * random.next()));
  for (let payment = 0; payment < payments; payment++) {
    const kind = kindOf(random);
    const transAmt = `${3 + random.below(60)}.${10 * random.below(10) || "00"}`;
    count(tally, kind, timesOf(random), turnoverOf({ ...kind, currency: TERMS.currency, transAmt }));
  }
  return tally;
}

function kindOf(random: Random): Kind {
  let draw = random.below(1_000);
  for (const [responseCode, completedBy, share] of DECLINES) {
    if (draw < share) return { statusCode: "11", completedBy, transType: "sale", responseCode };
    draw -= share;
  }
  const transType = random.chance(0.02) ? "void" : "sale";
  return { statusCode: "00", completedBy: "terminal", transType, responseCode: "00" };
}

/** Milliseconds, sometimes of a slow payment. */
function timesOf(random: Random) {
  const slow = random.chance(0.03) ? 4 : 1;
  const between = (least: number, most: number): number => Math.round((least + random.next() * (most - least)) * slow);
  return {
    gateway: between(12, 45),
    queue: random.chance(0.05) ? between(200, 2_500) : 0,
    delivery: between(40, 160),
    customer: between(2_500, 9_000),
    recording: between(15, 80),
  };
}

/** 0 to 23, in the shops' time zone. `at`: epoch milliseconds. */
function hourOfDay(at: number): number {
  const { timezone: timeZone } = TERMS;
  return Number(new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(at));
}
