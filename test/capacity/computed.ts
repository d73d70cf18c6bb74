/** Everything that `npm run capacity` prints, as data. */
import { bill } from "../cost/bill.ts";
import { total, type Term } from "../cost/prices.ts";
import { d1Bytes } from "./d1-bytes.ts";
import { fleetBill } from "./fleet-bill.ts";
import { type Latency, latencies } from "./latency.ts";
import type { Options } from "./options.ts";
import { type Part, parts } from "./parts.ts";
import { isBackInTime, isCalm, largest, midnight, MIDNIGHT_STEP, storm, STORM_STEP } from "./scenarios.ts";
import type { Counted } from "./simulation/series.ts";
import type { Storm } from "./simulation/terminals.ts";

/** Numbers of a chart, one for each step. */
export interface Played {
  /** Seconds of one step. */
  step: number;
  /** Where on the time line the outage ends, seconds; null: there is none. */
  outageEnds: number | null;
  lines: Record<"tries" | "arrived" | "d1Percent" | "turnedAway", number[]>;
}

export interface MidnightResult extends Played {
  tills: number;
  loggedIn: number;
  refused: number;
  busiestPercent: number;
}

export interface StormResult extends Played {
  terminals: number;
  connected: number;
  /** Terminals whose presence D1 does not know at the end. */
  unlisted: number;
  /** Seconds after the outage until half, 99 % and all are back; null: not within twelve hours. */
  back: { half: number | null; most: number | null; all: number | null };
  triesPerSecond: number;
  turnedAway: number;
  limited: number;
}

/** Fleets up to which D1 turns nobody away, and 99 % are back within fifteen minutes; null: larger ones, too. */
export interface StormLimits {
  calmUpTo: number | null;
  inTimeUpTo: number | null;
}

export interface Computed {
  options: Omit<Options, "json" | "docs" | "quick">;
  parts: Part[];
  bill: { terms: Term[]; total: number };
  latencies: Latency[];
  midnight: MidnightResult | null;
  storm: StormResult | null;
  stormLimits: StormLimits | null;
}

export async function compute(options: Options): Promise<Computed> {
  const { json: _json, docs: _docs, quick, ...fleet } = options;
  const prices = await bill();
  const terms = fleetBill(fleet, prices);
  return {
    options: fleet,
    parts: parts(fleet, prices.recorded, await d1Bytes()),
    bill: { terms, total: total(terms) },
    latencies: latencies(),
    midnight: quick ? null : midnightResult(fleet),
    storm: quick ? null : stormResult(fleet),
    stormLimits: quick ? null : stormLimits(fleet),
  };
}

type Fleet = Computed["options"];

/** Per second, or percent of the time. */
function linesOf({ series, steps }: Pick<Storm, "series" | "steps">, arrived: Counted): Played["lines"] {
  const perSecond = (what: Counted): number[] => series.of(what, steps).map((count) => (count * 1_000) / series.step);
  return {
    tries: perSecond("tries"),
    arrived: perSecond(arrived),
    turnedAway: perSecond("turnedAway"),
    d1Percent: series.of("d1Busy", steps).map((time) => (time / series.step) * 100),
  };
}

export function midnightResult(fleet: Fleet): MidnightResult {
  const played = midnight(fleet);
  const lines = linesOf(played, "logins");
  return {
    step: MIDNIGHT_STEP / 1_000,
    outageEnds: null,
    lines,
    tills: Math.ceil(fleet.terminals / fleet.perAccount),
    loggedIn: played.loggedIn,
    refused: played.refused,
    busiestPercent: Math.max(...lines.d1Percent),
  };
}

export function stormResult(fleet: Fleet): StormResult {
  const played = storm(fleet);
  const lines = linesOf(played, "connects");
  return {
    step: STORM_STEP / 1_000,
    outageEnds: fleet.outage * 60,
    lines,
    terminals: fleet.terminals,
    connected: played.connected,
    unlisted: played.unlisted,
    back: {
      half: seconds(played.backAfter(0.5)),
      most: seconds(played.backAfter(0.99)),
      all: seconds(played.backAfter(1)),
    },
    triesPerSecond: Math.max(...lines.tries),
    turnedAway: played.series.total("turnedAway"),
    limited: played.series.total("limited"),
  };
}

export function stormLimits(fleet: Fleet): StormLimits {
  return {
    calmUpTo: largest((terminals) => isCalm(storm({ ...fleet, terminals, outage: SHORT_OUTAGE })), SEARCHED.calm),
    inTimeUpTo: largest((terminals) => isInTime(fleet, terminals), SEARCHED.inTime),
  };
}

/** Whether 99 % of a fleet like this one, but of this size, are back within fifteen minutes. */
export function isInTime(fleet: Fleet, terminals: number): boolean {
  return isBackInTime(storm({ ...fleet, terminals, outage: SHORT_OUTAGE }, { sample: SAMPLE }));
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1_000;
}

/** Minutes. By then the waits of all terminals are as long as they get, and a longer outage changes nothing. */
const SHORT_OUTAGE = 5;

/** Fleets among which the end of a storm's calm, and of being back in time, is looked for. */
const SEARCHED = { calm: 50_000, inTime: 2_000_000 };

/** Terminals that one stands for where a number of two digits is looked for. */
const SAMPLE = 10;
