/** The simulations with the platform's numbers and the counted operations, and where each of them ends. */
import { CONNECTION_LOST, LOGIN, TERMINAL_CONNECT, TERMINAL_LOGIN } from "../cost/sale.ts";
import { d1Work } from "./d1-work.ts";
import type { Options } from "./options.ts";
import { FLEET, PLATFORM } from "./platform.ts";
import { perMinute } from "./rates.ts";
import type { DatabaseLimits } from "./simulation/database.ts";
import { type Storm, playStorm, type TerminalWait } from "./simulation/terminals.ts";
import { type Midnight, type MidnightOptions, playMidnight } from "./simulation/tills.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Length of one step of the series. */
export const STORM_STEP = 10 * SECOND;
export const MIDNIGHT_STEP = 30 * SECOND;

/** A shop can wait so long for its terminals after an outage. */
export const BACK_WITHIN = 15 * MINUTE;

const DATABASE: DatabaseLimits = {
  read: PLATFORM.d1Read.value,
  write: PLATFORM.d1Write.value,
  patience: PLATFORM.d1Patience.value,
};

type Fleet = Pick<Options, "terminals" | "perDay" | "perAccount" | "perAddress" | "outage" | "seed">;

/** Midnight: every till's tokens end. One till of each account. */
export function midnight(
  { terminals, perDay, perAccount, seed }: Fleet,
  idleLogin?: MidnightOptions["idleLogin"],
): Midnight {
  return playMidnight({
    tills: Math.ceil(terminals / perAccount),
    until: 7 * DAY,
    seed,
    database: DATABASE,
    work: d1Work(LOGIN),
    betweenPayments: HOUR / (perDay * perAccount * FLEET.nightHour.value),
    step: MIDNIGHT_STEP,
    ...(idleLogin === undefined ? {} : { idleLogin }),
  });
}

/** How a storm is played in another way. */
export interface StormChanges {
  /** The client's own wait, unless a test wants to know what another one would do. */
  wait?: TerminalWait;
  /** Each terminal that is played stands for so many, and so D1 is as much slower: the same shares of time, sooner. */
  sample?: number;
}

/** An outage of the whole fleet, and the storm after it. */
export function storm({ terminals, perAddress, outage, seed }: Fleet, { wait, sample = 1 }: StormChanges = {}): Storm {
  return playStorm({
    terminals: Math.max(1, Math.round(terminals / sample)),
    outage: outage * MINUTE,
    until: outage * MINUTE + 12 * HOUR,
    seed,
    database: { ...DATABASE, read: DATABASE.read * sample, write: DATABASE.write * sample },
    work: { lost: d1Work(CONNECTION_LOST), login: d1Work(TERMINAL_LOGIN), connect: d1Work(TERMINAL_CONNECT) },
    perAddress,
    loginsPerAddress: perMinute("LOGIN_PER_ADDRESS"),
    roundTrip: FLEET.roundTrip.value,
    step: STORM_STEP,
    ...(wait === undefined ? {} : { wait }),
  });
}

/** A storm within limits: D1 turns no terminal away. */
export function isCalm(played: Storm): boolean {
  return played.series.total("turnedAway") === 0;
}

/** Whether 99 % of the terminals are back in time. */
export function isBackInTime(played: Storm): boolean {
  const back = played.backAfter(0.99);
  return back !== null && back <= BACK_WITHIN;
}

/**
 * The largest fleet, to two digits, for which something holds: it holds for smaller ones, too. Small fleets are tried first,
 * as large ones take long.
 *
 * @param most null is returned where it still holds there
 */
export function largest(holds: (terminals: number) => boolean, most: number): number | null {
  let [good, bad] = [0, 1];
  while (holds(bad)) {
    if (bad === most) return null;
    [good, bad] = [bad, Math.min(most, 2 * bad)];
  }
  while (bad - good > Math.max(1, bad * 0.01)) {
    const middle = Math.floor((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, good))) - 1);
  return Math.floor(good / digits) * digits;
}
