/** What the rounds of the load come to. */
import type { LoadFigures, LoadRatio, LoadRow, Spread } from "../../src/docs/build/speed-figures.ts";
import { cpuPerThousand, pooled, type Stretch } from "./measure.ts";
import { quantile, shown, spreadOfPairs } from "./spread.ts";
import type { Name } from "./subjects/subject.ts";

export function summarise(terminals: number, stretches: ReadonlyMap<Name, Stretch[]>): LoadFigures {
  const rows = [...stretches].map(([name, turns]) => rowOf(name, pooled(turns)));
  const own = (stretches.get("gateway") ?? []).map((turn) => rowOf("gateway", turn));
  const ratios: LoadRatio[] = [...stretches]
    .filter(([to]) => to !== "gateway")
    .map(([to, turns]) => {
      const others = turns.map((turn) => rowOf(to, turn));
      const spread = (compare: (gateway: LoadRow, other: LoadRow) => number): Spread =>
        spreadOfPairs(own, others, compare);
      const knowsCpu = [...own, ...others].every(({ cpu }) => cpu !== null);
      return {
        to,
        throughput: spread((gateway, other) => gateway.perSecond / other.perSecond),
        cpu: knowsCpu ? spread((gateway, other) => (gateway.cpu ?? NaN) / (other.cpu ?? NaN)) : null,
        addedMedian: spread((gateway, other) => gateway.p50 - other.p50),
      };
    });
  return { terminals, rounds: own.length, rows, ratios };
}

function rowOf(name: Name, stretch: Stretch): LoadRow {
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

const COLUMNS = ["", "transfers/s", "p50 ms", "p95 ms", "p99 ms", "CPU s/1,000", "load's CPU"];
const WIDTHS = [15, 12, 9, 9, 9, 12, 11];

export function printTable({ terminals, rounds, rows, ratios }: LoadFigures): void {
  console.log(`\n${terminals} ${terminals === 1 ? "terminal" : "terminals"} at work, ${rounds} rounds`);
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

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0)))
    .join("");
}
