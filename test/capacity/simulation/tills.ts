/**
 * Tills at midnight, when the tokens of all of them end: what `PosSession` and `repeat` do, with their own waits, against
 * a database that has its limits.
 */
import { POS_TRANSFER_WITHIN } from "../../../src/client/limits.ts";
import { idleLoginIn } from "../../../src/client/pos/idle-login.ts";
import { waitBefore } from "../../../src/client/pos/repeat.ts";
import { randomOf } from "../../../src/simulator/random.ts";
import type { D1Work } from "../d1-work.ts";
import { Database, type DatabaseLimits } from "./database.ts";
import { Series } from "./series.ts";
import { Timetable } from "./timetable.ts";

/** Times are milliseconds from midnight. */
export interface MidnightOptions {
  tills: number;
  until: number;
  seed: number;
  database: DatabaseLimits;
  /** Calls to D1 of a login. */
  work: D1Work;
  /** From one payment of a till to its next, on average. */
  betweenPayments: number;
  step: number;
  /** When an idle till logs in: the client's own, unless a test wants to know what another one would do. */
  idleLogin?: (left: number, random: () => number) => number;
}

export interface Midnight {
  series: Series;
  steps: number;
  /** Tills that have logged in at the end. */
  loggedIn: number;
  /** Logins of idle tills and tries of payments that the database refused. */
  refused: number;
}

/** Plays a night until every till has logged in, or the time is over. */
export function playMidnight(options: MidnightOptions): Midnight {
  const { tills, until, seed, work, betweenPayments, step, idleLogin = idleLoginIn } = options;
  const series = new Series(step, until);
  const database = new Database(options.database, series);
  const random = randomOf(seed).next;
  const timetable = new Timetable(tills, random);
  const nextPayment = (): number => -Math.log(1 - random()) * betweenPayments;
  /** When the payment began that a till repeats its login for; -1: none did. */
  const payingSince = new Float64Array(tills).fill(-1);
  const tries = new Uint8Array(tills);
  const paysFirst = new Uint8Array(tills);
  let loggedIn = 0;
  let refused = 0;

  for (let till = 0; till < tills; till++) {
    const [idle, payment] = [idleLogin(0, random), nextPayment()];
    paysFirst[till] = payment < idle ? 1 : 0;
    timetable.plan(till, Math.min(idle, payment));
  }
  const end = timetable.run(until, (till, now) => {
    series.add("tries", now);
    const answered = database.call(now, work.reads, work.writes);
    if (answered !== null) {
      loggedIn += 1;
      series.add("logins", answered);
      return;
    }
    refused += 1;
    const isPaying = paysFirst[till] === 1;
    const since = (payingSince[till] ?? -1) < 0 ? now : (payingSince[till] ?? now);
    const wait = waitBefore(tries[till] ?? 0, 0, random);
    // A login in the background that failed is left to the next payment; one that gives up, to the one after.
    if (!isPaying || now + wait - since > POS_TRANSFER_WITHIN) {
      paysFirst[till] = 1;
      payingSince[till] = -1;
      tries[till] = 0;
      timetable.plan(till, now + nextPayment());
      return;
    }
    payingSince[till] = since;
    tries[till] = Math.min(255, (tries[till] ?? 0) + 1);
    timetable.plan(till, now + wait);
  });
  return { series, steps: Math.ceil(end / step), loggedIn, refused };
}
