/** What the rounds come to: medians, and the medians of the ratios within each round, which a busy machine spares. */
import type { Stretch } from "./measure.ts";
import type { Subject } from "./subjects.ts";

type Name = Subject["name"];

export interface Row extends Stretch {
  name: Name;
}

/** The gateway by another one. */
export interface Ratio {
  to: Name;
  /** Transfers per second, and CPU per transfer: quotients. */
  throughput: Spread;
  cpu: Spread | null;
  /** Milliseconds that the gateway's median is above. */
  addedMedian: Spread;
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

export interface Summary {
  terminals: number;
  rows: Row[];
  ratios: Ratio[];
}

export function summarise(terminals: number, stretches: ReadonlyMap<Name, Stretch[]>): Summary {
  const rows = [...stretches].map(([name, turns]) => {
    const of = (member: (turn: Stretch) => number): number => median(turns.map(member));
    const knowsCpu = turns.every(({ cpu }) => cpu !== null);
    return {
      name,
      transfers: turns.reduce((sum, turn) => sum + turn.transfers, 0),
      perSecond: of((turn) => turn.perSecond),
      p50: of((turn) => turn.p50),
      p95: of((turn) => turn.p95),
      p99: of((turn) => turn.p99),
      cpu: knowsCpu ? of((turn) => turn.cpu ?? 0) : null,
      loadCpu: of((turn) => turn.loadCpu),
    };
  });
  const own = stretches.get("gateway") ?? [];
  const ratios = [...stretches].flatMap(([to, turns]): Ratio[] => {
    if (to === "gateway") return [];
    const pairs = own.flatMap((turn, round) => {
      const other = turns[round];
      return other === undefined ? [] : [{ turn, other }];
    });
    const knowsCpu = pairs.every(({ turn, other }) => turn.cpu !== null && other.cpu !== null);
    return [
      {
        to,
        throughput: spread(pairs.map(({ turn, other }) => turn.perSecond / other.perSecond)),
        cpu: knowsCpu ? spread(pairs.map(({ turn, other }) => (turn.cpu ?? 0) / (other.cpu ?? 0))) : null,
        addedMedian: spread(pairs.map(({ turn, other }) => turn.p50 - other.p50)),
      },
    ];
  });
  return { terminals, rows, ratios };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

function spread(values: number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

const COLUMNS = ["", "transfers/s", "p50 ms", "p95 ms", "p99 ms", "CPU s/1,000", "load's CPU"];
const WIDTHS = [12, 12, 9, 9, 9, 12, 11];

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

function shown({ median: middle, least, most }: Spread): string {
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0)))
    .join("");
}
