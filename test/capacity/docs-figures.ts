/** The numbers of the documentation's page about capacity: `src/docs/capacity.json`, written by `npm run capacity -- --docs`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CapacityFigures, StormFigures } from "../../src/docs/build/capacity-figures.ts";
import { bill } from "../cost/bill.ts";
import { total } from "../cost/prices.ts";
import { midnightResult, type Played, stormLimits, stormResult } from "./computed.ts";
import { d1Bytes } from "./d1-bytes.ts";
import { fleetBill } from "./fleet-bill.ts";
import { latencies, TO_EDGE } from "./latency.ts";
import { type Options, readOptions } from "./options.ts";
import { parts } from "./parts.ts";
import { FLEET, PLATFORM } from "./platform.ts";

export const DOCS_FIGURES = join(import.meta.dirname, "..", "..", "src", "docs", "capacity.json");

/** Terminals of the fleet that the page is about, and of the others whose bill and storm it tells. */
const COUNTRY = 1_000_000;
const SIZES = [1_000, 10_000, 100_000, COUNTRY];

/** The fleet whose storm the page draws beside that of the country. */
const TOWN = 100_000;

/** Points of a line: more cannot be told apart on a narrow screen. */
const POINTS = 120;

/** Everything on the page, from the same computation as the command's. Takes a minute or two. */
export async function docsFigures(): Promise<CapacityFigures> {
  return {
    ...(await cheapFigures()),
    bills: await billFigures(),
    midnight: midnightFigures(),
    storms: [TOWN, COUNTRY].map(stormFigures),
    stormLimits: stormLimits(fleetOf(COUNTRY)),
  };
}

export async function billFigures(): Promise<CapacityFigures["bills"]> {
  const prices = await bill();
  return SIZES.map((terminals) => ({ terminals, dollars: Math.round(total(fleetBill(fleetOf(terminals), prices))) }));
}

export function midnightFigures(): CapacityFigures["midnight"] {
  return played(midnightResult(fleetOf(COUNTRY)));
}

export function stormFigures(terminals: number): StormFigures {
  return played(stormResult(fleetOf(terminals)));
}

/** What takes no simulation. */
export async function cheapFigures(): Promise<
  Pick<CapacityFigures, "parts" | "latencies" | "toEdge" | "assumed" | "sources" | "kept">
> {
  const [{ recorded }, kept] = await Promise.all([bill(), d1Bytes()]);
  return {
    parts: parts(fleetOf(COUNTRY), recorded, kept).map(({ part, what, load, limit, unit, grows, endsAt, wayPast }) => ({
      part,
      what,
      percent: Number(((load / limit) * 100).toPrecision(2)),
      limit,
      unit,
      grows,
      endsAt: Number(endsAt.toPrecision(2)),
      wayPast,
    })),
    latencies: latencies().map(({ region, toObjects, most, almostAll, source }) => ({
      region,
      toObjects,
      most: Math.round(most),
      almostAll: Math.round(almostAll),
      url: source.url,
    })),
    toEdge: { most: TO_EDGE.most, almostAll: TO_EDGE.almostAll, url: TO_EDGE.source.url },
    assumed: [...Object.values(PLATFORM), ...Object.values(FLEET)]
      .filter(({ confirmed }) => !confirmed)
      .map(({ value, what }) => ({ value, what })),
    kept,
    sources: Object.values(PLATFORM)
      .filter(({ confirmed }) => confirmed)
      .map(({ value, what, url, date }) => ({ value, what, url, date })),
  };
}

/** The fleet of so many terminals that the command is about unless it is told otherwise. */
export function fleetOf(terminals: number): Options {
  const read = readOptions(["--terminals", String(terminals)]);
  if (!read.ok || read.value === "help") throw new Error("These are no options.");
  return read.value;
}

/** With fewer points, and no more digits than anybody sees. */
function played<Result extends Played>(result: Result): Result {
  const { lines, step } = result;
  const together = Math.ceil(lines.tries.length / POINTS);
  const shorter = (values: number[]): number[] =>
    Array.from({ length: Math.ceil(values.length / together) }, (_, at) => {
      const some = values.slice(at * together, (at + 1) * together);
      return Number((some.reduce((sum, value) => sum + value, 0) / some.length).toPrecision(3));
    });
  return {
    ...result,
    step: step * together,
    lines: {
      tries: shorter(lines.tries),
      arrived: shorter(lines.arrived),
      d1Percent: shorter(lines.d1Percent),
      turnedAway: shorter(lines.turnedAway),
    },
  };
}

export async function writeDocsFigures(): Promise<void> {
  writeFileSync(DOCS_FIGURES, `${JSON.stringify(await docsFigures(), null, 2)}\n`);
  console.log("src/docs/capacity.json is written. Format it, and look at /docs/capacity.");
}
