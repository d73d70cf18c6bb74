import figures from "../capacity.json" with { type: "json" };
import { grouped } from "./figures.ts";
import { markdownTable } from "./markdown.ts";

/** The text for `capacity NAME`. Throws for an unknown name. */
export function capacityInsert(name: string): string {
  const insert = INSERTS[name];
  if (insert === undefined) throw new Error(`The page about capacity has no ${name}.`);
  return insert();
}

const [town, country] = figures.storms;

const INSERTS: Record<string, () => string> = {
  "fleet table": partsTable,
  "bill table": billTable,
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
  "midnight busiest": () => `${percentOf("D1 at midnight")} %`,
  "town logins": () => minutes(town?.logins),
  "town whole": () => minutes(town?.whole),
  "country logins": () => minutes(country?.logins),
  "country whole": () => minutes(country?.whole),
  "calm up to": () => grouped(figures.stormLimits.calmUpTo),
  "in time up to": () => grouped(figures.stormLimits.inTimeUpTo),
  "account bytes": () => `${Math.ceil((figures.kept.account + figures.kept.terminal) / 1_000)} KB`,
  "service bytes": () => `${Math.ceil(figures.kept.service / 1_000_000)} MB`,
  "terminals first": () => endsFirst("terminals"),
  "account first": () => endsFirst("terminals of one account"),
  "transfers first": () => endsFirst("transfers a day of one terminal"),
};

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

function endsFirst(grows: string): string {
  const [first] = figures.parts
    .filter((part) => part.grows === grows)
    .toSorted((one, other) => one.endsAt - other.endsAt);
  if (first === undefined) throw new Error(`Nothing ends with more ${grows}.`);
  return `${grouped(first.endsAt)} ${grows}`;
}

function percentOf(name: string): number {
  const found = figures.parts.find(({ part }) => part === name);
  if (found === undefined) throw new Error(`capacity.json has no part ${name}.`);
  return found.percent;
}

function minutes(seconds: number | undefined): string {
  if (seconds === undefined) throw new Error("capacity.json has no such storm.");
  return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}
