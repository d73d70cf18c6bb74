/** What the rounds come to: all turns of a subject together, and how far the rounds lie apart. */
import { cpuPerThousand, type Stretch } from "./measure.ts";
import type { Name } from "./subjects/subject.ts";

export interface Row {
  name: Name;
  transfers: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  /** Seconds per 1,000 transfers; null if the machine does not tell. */
  cpu: number | null;
  /** The share of one core that tills and terminals took: near 1 they, not the subject, are the limit. */
  loadCpu: number;
}

/** The gateway by another one. */
export interface Ratio {
  to: Name;
  throughput: Spread;
  cpu: Spread | null;
  /** Milliseconds that the gateway's median is above. */
  addedMedian: Spread;
}

export interface Spread {
  /** Of all rounds together. */
  all: number;
  /** Half of the rounds lie between. */
  lower: number;
  upper: number;
}

export interface Summary {
  terminals: number;
  rows: Row[];
  ratios: Ratio[];
}

export function summarise(terminals: number, stretches: ReadonlyMap<Name, Stretch[]>): Summary {
  const rows = new Map([...stretches].map(([name, turns]) => [name, rowOf(name, pooled(turns))]));
  const own = rows.get("gateway");
  const turns = (stretches.get("gateway") ?? []).map((turn) => rowOf("gateway", turn));
  const ratios: Ratio[] = [];
  for (const [to, row] of rows) {
    if (to === "gateway" || own === undefined) continue;
    const others = (stretches.get(to) ?? []).map((turn) => rowOf(to, turn));
    const spread = (compare: (gateway: Row, other: Row) => number): Spread => {
      const each = turns.flatMap((turn, round) => {
        const other = others[round];
        return other === undefined ? [] : [compare(turn, other)];
      });
      return { all: compare(own, row), lower: quantile(each, 0.25), upper: quantile(each, 0.75) };
    };
    ratios.push({
      to,
      throughput: spread((gateway, other) => gateway.perSecond / other.perSecond),
      cpu: own.cpu === null ? null : spread((gateway, other) => (gateway.cpu ?? NaN) / (other.cpu ?? NaN)),
      addedMedian: spread((gateway, other) => gateway.p50 - other.p50),
    });
  }
  return { terminals, rows: [...rows.values()], ratios };
}

function pooled(turns: readonly Stretch[]): Stretch {
  const sum = (of: (turn: Stretch) => number): number => turns.reduce((before, turn) => before + of(turn), 0);
  const knowsCpu = turns.every(({ cpuSeconds }) => cpuSeconds !== null);
  return {
    latencies: turns.flatMap(({ latencies }) => latencies),
    seconds: sum(({ seconds }) => seconds),
    cpuSeconds: knowsCpu ? sum(({ cpuSeconds }) => cpuSeconds ?? 0) : null,
    loadSeconds: sum(({ loadSeconds }) => loadSeconds),
  };
}

function rowOf(name: Name, stretch: Stretch): Row {
  const { latencies, seconds, loadSeconds } = stretch;
  return {
    name,
    transfers: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    cpu: cpuPerThousand(stretch),
    loadCpu: loadSeconds / seconds,
  };
}

/** The smallest value that so large a share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

const COLUMNS = ["", "transfers/s", "p50 ms", "p95 ms", "p99 ms", "CPU s/1,000", "load's CPU"];
const WIDTHS = [15, 12, 9, 9, 9, 12, 11];

export function printTable({ terminals, rows, ratios }: Summary): void {
  console.log(`\n${terminals} ${terminals === 1 ? "terminal" : "terminals"} at work`);
  console.log(line(COLUMNS));
  for (const { name, perSecond, p50, p95, p99, cpu, loadCpu } of rows) {
    const cells = [perSecond.toFixed(0), p50.toFixed(2), p95.toFixed(2), p99.toFixed(2)];
    console.log(line([name, ...cells, cpu === null ? "-" : cpu.toFixed(2), `${(loadCpu * 100).toFixed(0)} %`]));
  }
  for (const { to, throughput, cpu, addedMedian } of ratios) {
    const parts = [`throughput × ${shown(throughput)}`, ...(cpu === null ? [] : [`CPU × ${shown(cpu)}`])];
    console.log(`  gateway to ${to}: ${parts.join(", ")}, median + ${shown(addedMedian)} ms`);
  }
}

function shown({ all, lower, upper }: Spread): string {
  return `${all.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`;
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0)))
    .join("");
}
