/** What the bench has measured (`npm run bench -- --save`), for the page about speed. */
import saved from "../speed.json" with { type: "json" };
import { markdownTable } from "./text.ts";

/** Half of the rounds lie between `lower` and `upper`. */
export interface Spread {
  median: number;
  lower: number;
  upper: number;
}

/** Times in milliseconds; `cpu` is workerd's per sale, null where the system does not say. */
export interface SpeedRow {
  worker: string;
  terminals: number;
  perSecond: Spread;
  p50: Spread;
  p99: Spread;
  cpu: Spread | null;
}

export interface SpeedFigures {
  /** The time of the run in ISO 8601. */
  at: string;
  machine: string;
  rounds: number;
  rows: SpeedRow[];
  /** The times by Worker. */
  firstSale: Record<string, Spread>;
}

const figures: SpeedFigures = saved;

/** The text for `speed NAME`. Throws for an unknown name. */
export function speedInsert(name: string): string {
  if (name === "table") return speedTable();
  if (name === "run")
    return `measured on ${figures.machine}, on ${figures.at.slice(0, 10)}, in ${figures.rounds} rounds`;
  const [alone, busy] = [1, 50].map((count) =>
    figures.rows.find(({ worker, terminals }) => worker === "gateway" && terminals === count),
  );
  if (name === "one sale" && alone !== undefined) return `${alone.p50.median.toFixed(0)} ms`;
  if (name === "busy" && busy !== undefined) return busy.perSecond.median.toFixed(0);
  throw new Error(`The page about speed has no ${name}.`);
}

function speedTable(): string {
  const rows = figures.rows.map(({ worker, terminals, perSecond, p50, p99, cpu }) => [
    `${worker}, ${terminals} ${terminals === 1 ? "terminal" : "terminals"}`,
    shown(perSecond),
    shown(p50, "ms"),
    shown(p99, "ms"),
    cpu === null ? "" : shown(cpu, "ms"),
  ]);
  const firstSales = Object.entries(figures.firstSale).map(([worker, time]) => [
    `${worker}, first sale of a new process`,
    "",
    shown(time, "ms"),
    "",
    "",
  ]);
  return markdownTable(["Worker", "Sales a second", "Median", "p99", "CPU of a sale"], [...rows, ...firstSales]);
}

function shown({ median, lower, upper }: Spread, unit = ""): string {
  const [middle, low, high] = [median, lower, upper].map((value) => (value < 10 ? value.toFixed(1) : value.toFixed(0)));
  return `${middle}${unit === "" ? "" : ` ${unit}`} (${low}–${high})`;
}
