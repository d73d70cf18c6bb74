/** The numbers of the documentation's page about capacity: `src/docs/capacity.json`, written by `npm run capacity -- --docs`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bill } from "../cost/bill.ts";
import { total } from "../cost/prices.ts";
import { fleetBill } from "./computed.ts";
import { d1Bytes } from "./d1-bytes.ts";
import { latencies, TO_EDGE } from "./latency.ts";
import { DEFAULT_FLEET } from "./options.ts";
import { parts } from "./parts.ts";
import { ASSUMED_FIGURES, CONFIRMED_FIGURES } from "./platform.ts";
import { storm, stormLimits } from "./storm.ts";

const DOCS_FIGURES = join(import.meta.dirname, "..", "..", "src", "docs", "capacity.json");

/** Terminals of the fleet that the page is about, and of the others whose bill and storm it tells. */
const COUNTRY = DEFAULT_FLEET.terminals;
const TOWN = 100_000;
const SIZES = [1_000, 10_000, TOWN, COUNTRY];

/** Everything on the page, from the same computation as the command's. */
export async function docsFigures() {
  const [prices, kept] = await Promise.all([bill(), d1Bytes()]);
  const { calmUpTo, inTimeUpTo } = stormLimits();
  return {
    parts: parts(DEFAULT_FLEET, prices.recorded, kept).map(({ load, endsAt, source: _source, ...part }) => ({
      ...part,
      percent: rounded((load / part.limit) * 100),
      endsAt: rounded(endsAt),
    })),
    latencies: latencies().map(({ region, toObjects, most, almostAll, source }) => ({
      region,
      toObjects,
      most: Math.round(most),
      almostAll: Math.round(almostAll),
      url: source.url,
    })),
    toEdge: { most: TO_EDGE.most, almostAll: TO_EDGE.almostAll, url: TO_EDGE.source.url },
    assumed: ASSUMED_FIGURES.map(({ value, what }) => ({ value, what })),
    kept,
    sources: CONFIRMED_FIGURES.map(({ value, what, url, date }) => ({ value, what, url, date })),
    bills: SIZES.map((terminals) => ({
      terminals,
      dollars: Math.round(total(fleetBill({ ...DEFAULT_FLEET, terminals }, prices))),
    })),
    storms: [TOWN, COUNTRY].map(storm),
    stormLimits: { calmUpTo: rounded(calmUpTo), inTimeUpTo: rounded(inTimeUpTo) },
  };
}

/** As they were written last. */
export function writtenFigures(): Awaited<ReturnType<typeof docsFigures>> {
  return JSON.parse(readFileSync(DOCS_FIGURES, "utf8")) as Awaited<ReturnType<typeof docsFigures>>;
}

/** To two digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

export async function writeDocsFigures(): Promise<void> {
  writeFileSync(DOCS_FIGURES, `${JSON.stringify(await docsFigures(), null, 2)}\n`);
  console.log("src/docs/capacity.json is written. Format it, and look at /docs/capacity.");
}
