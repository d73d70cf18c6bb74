import figures from "../capacity.json" with { type: "json" };
import { grouped, markdownTable } from "./figures.ts";

/** The text for `capacity NAME`. Throws for an unknown name. */
export function capacityInsert(name: string): string {
  const insert = INSERTS[name];
  if (insert === undefined) throw new Error(`The page about capacity has no ${name}.`);
  return insert();
}

const [town, country] = figures.storms;

const INSERTS: Record<string, () => string> = {
  "fleet table": partsTable,
  "latency table": latencyTable,
  "latency sources": () => [...new Set(figures.latencies.map(linkOf))].join(", "),
  "terminal bill": () => billOf(1_000, 1_000),
  "thousand bill": () => billOf(1_000),
  "million bill": () => billOf(1_000_000),
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
};

/** Parts that end later than ten times the first of their kind are in capacity.json alone. */
function partsTable(): string {
  const kinds = Map.groupBy(figures.parts, ({ grows }) => grows);
  const rows = [...kinds.values()].flatMap((parts) => {
    const sorted = parts.toSorted((one, other) => one.endsAt - other.endsAt);
    return sorted.filter(({ endsAt }) => endsAt < 10 * (sorted[0]?.endsAt ?? 0));
  });
  return markdownTable(
    ["Ends at", "Part", "Way past"],
    rows.map(({ part, endsAt, grows, wayPast }) => [`${grouped(endsAt)} ${grows}`, part, wayPast]),
  );
}

/** Dollars a month of a fleet, or of one of `shared` parts of it. */
function billOf(terminals: number, shared = 1): string {
  const dollars = figures.bills.find((bill) => bill.terminals === terminals)?.dollars;
  if (dollars === undefined) throw new Error(`capacity.json has no bill of ${terminals} terminals.`);
  return shared === 1 ? grouped(dollars) : (dollars / shared).toFixed(3);
}

function latencyTable(): string {
  const { most, almostAll } = figures.toEdge;
  return markdownTable(
    ["Shop and objects", "To the objects and back", `Edge ${most} ms away`, `Edge ${almostAll} ms away`],
    figures.latencies.map(({ region, toObjects, most: near, almostAll: far }) => [
      region,
      ...[toObjects, near, far].map((time) => `${time} ms`),
    ]),
  );
}

function linkOf({ url }: { url: string }): string {
  return `[${new URL(url).hostname.replace(/^www\./u, "")}](${url})`;
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
