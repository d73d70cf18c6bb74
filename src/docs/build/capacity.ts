/** The tables, charts and numbers of the page about capacity, from `capacity.json`. */
import computed from "../capacity.json" with { type: "json" };
import type { CapacityFigures, PlayedFigures, StormFigures } from "./capacity-figures.ts";
import { grouped } from "./figures.ts";
import { growthChart } from "./growth-chart.ts";
import { lineChart } from "./line-chart.ts";
import { markdownTable } from "./markdown-table.ts";

const figures: CapacityFigures = computed;

/** What stands for `{{capacity NAME}}`. Throws for a name that there is not. */
export function capacityInsert(name: string): string {
  const insert = INSERTS[name];
  if (insert === undefined) throw new Error(`The page about capacity has no ${name}.`);
  return insert();
}

const [town, country] = figures.storms;

const INSERTS: Record<string, () => string> = {
  "fleet table": partsTable,
  "bill table": billTable,
  "bill chart": () =>
    growthChart({
      id: "bill",
      title: "The bill grows with the fleet, and the price of one terminal does not",
      sizeUnit: "terminals",
      unit: "USD a month",
      points: figures.bills.map(({ terminals, dollars }) => ({ size: terminals, value: dollars })),
    }),
  "latency table": latencyTable,
  "assumed table": () =>
    markdownTable(
      ["Value", "What"],
      figures.assumed.map(({ value, what }) => [grouped(value), what]),
    ),
  "source table": () =>
    markdownTable(
      ["Value", "What", "Page of"],
      figures.sources.map(({ value, what, url, date }) => [grouped(value), what, `[${date}](${url})`]),
    ),
  "midnight chart": () =>
    sharesChart(
      "midnight",
      `${grouped(figures.midnight.tills)} tills log in after midnight`,
      figures.midnight,
      figures.midnight.tills,
      "tills logged in",
    ),
  "midnight busiest": () => `${Math.round(figures.midnight.busiestPercent)} %`,
  "midnight refused": () => (figures.midnight.refused === 0 ? "no" : grouped(figures.midnight.refused)),
  "town chart": () => stormChart(town),
  "country chart": () => stormChart(country),
  "country tries chart": () => triesChart(storm(country)),
  "town half": () => minutes(storm(town).back.half),
  "town most": () => minutes(storm(town).back.most),
  "town all": () => minutes(storm(town).back.all),
  "country half": () => minutes(storm(country).back.half),
  "country most": () => minutes(storm(country).back.most),
  "country all": () => minutes(storm(country).back.all),
  "country tries": () => grouped(Math.round(storm(country).triesPerSecond / 100) * 100),
  "calm up to": () => upTo(figures.stormLimits.calmUpTo),
  "in time up to": () => upTo(figures.stormLimits.inTimeUpTo),
  "account bytes": () => `${Math.ceil((figures.kept.account + figures.kept.terminal) / 1_000)} KB`,
  "service bytes": () => `${Math.ceil(figures.kept.service / 1_000_000)} MB`,
  "terminals first": () => endsFirst("terminals"),
  "account first": () => endsFirst("terminals of one account"),
  "transfers first": () => endsFirst("transfers a day of one terminal"),
};

function storm(found: StormFigures | undefined): StormFigures {
  if (found === undefined) throw new Error("capacity.json has no such storm.");
  return found;
}

function partsTable(): string {
  const rows = figures.parts.map(({ part, what, percent, limit, unit, endsAt, grows, wayPast }) => [
    part,
    what,
    `${percent} % of ${grouped(limit)} ${unit}`,
    `${grouped(endsAt)} ${grows}`,
    wayPast,
  ]);
  return markdownTable(["Part", "What it carries", "Of its limit", "Ends at", "Way past"], rows);
}

function billTable(): string {
  return markdownTable(
    ["Terminals", "USD a month", "USD a month for each"],
    figures.bills.map(({ terminals, dollars }) => [
      grouped(terminals),
      grouped(dollars),
      (dollars / terminals).toFixed(4),
    ]),
  );
}

function latencyTable(): string {
  const { most, almostAll } = figures.toEdge;
  return markdownTable(
    ["Shop and objects", "To the objects and back", `Edge ${most} ms away`, `Edge ${almostAll} ms away`, "Source"],
    figures.latencies.map(({ region, toObjects, most: near, almostAll: far, url }) => [
      region,
      `${toObjects} ms`,
      `${near} ms`,
      `${far} ms`,
      `[${new URL(url).hostname.replace(/^www\./u, "")}](${url})`,
    ]),
  );
}

function stormChart(found: StormFigures | undefined): string {
  const { terminals, ...played } = storm(found);
  return sharesChart(
    `storm-${terminals}`,
    `${grouped(terminals)} terminals: an outage, and after it`,
    played,
    terminals,
    "terminals connected",
  );
}

/** Percent of all clients that have arrived, and of D1's time. */
function sharesChart(id: string, title: string, played: PlayedFigures, clients: number, arrived: string): string {
  let sum = 0;
  const shares = played.lines.arrived.map((perSecond) => {
    sum += perSecond * played.step;
    return Math.min(100, (sum / clients) * 100);
  });
  return lineChart({
    id,
    title,
    step: played.step,
    unit: "%",
    highest: 100,
    lines: [
      { name: arrived, kind: "first", values: shares },
      { name: "D1 is busy", kind: "second", values: played.lines.d1Percent },
    ],
    mark: markOf(played),
  });
}

function triesChart({ terminals, ...played }: StormFigures): string {
  return lineChart({
    id: `tries-${terminals}`,
    title: `Tries of ${grouped(terminals)} terminals to connect`,
    step: played.step,
    unit: "a second",
    highest: null,
    lines: [
      { name: "tries", kind: "first", values: played.lines.tries },
      { name: "turned away by D1", kind: "second", values: played.lines.turnedAway },
    ],
    mark: markOf(played),
  });
}

function markOf({ outageEnds }: PlayedFigures): { at: number; name: string } | null {
  return outageEnds === null ? null : { at: outageEnds, name: "end of the outage" };
}

function endsFirst(grows: string): string {
  const [first] = figures.parts
    .filter((part) => part.grows === grows)
    .toSorted((one, other) => one.endsAt - other.endsAt);
  if (first === undefined) throw new Error(`Nothing ends with more ${grows}.`);
  return `${grouped(first.endsAt)} ${grows}`;
}

function upTo(terminals: number | null): string {
  return terminals === null ? "any number of" : grouped(terminals);
}

function minutes(seconds: number | null): string {
  if (seconds === null) return "more than twelve hours";
  return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}
