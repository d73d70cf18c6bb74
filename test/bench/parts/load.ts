/** What a transfer takes, next to two baselines and to a plain Node process. */
import type { LoadFigures, LoadRatio, LoadRow, Spread } from "../../../src/docs/build/speed-figures.ts";
import { cpuPerThousand, drive, pooled, type Stretch } from "../measure.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { quantile, shown, spreadOfPairs } from "../spread.ts";
import { ACCOUNT_BASELINE, D1_BASELINE } from "../subjects/baselines.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import { startPlainNode } from "../subjects/plain-node.ts";
import type { Enrolled, Name, Subject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./part.ts";

/** Everything runs unmeasured for this many milliseconds first: compilers and caches take thousands of transfers to complete. */
const FIRST_WARM_UP = 20_000;

/** Terminals that are connected at least: one that works all the time would work faster than any customer pays. */
const FLEET = 50;

export async function measureLoad(run: Run): Promise<LoadFigures[]> {
  const { options } = run;
  const subjects: Subject[] = [];
  for (const kind of [GATEWAY, ACCOUNT_BASELINE, D1_BASELINE]) subjects.push(await run.start(kind));
  subjects.push(run.add(await startPlainNode(await run.folder("plain-node"))));
  const most = Math.max(FLEET, ...options.terminals);
  const fleets = new Map<Subject, Enrolled[]>();
  for (const subject of subjects) fleets.set(subject, await subject.connect(await subject.enrol(most)));
  if (!options.quick) {
    for (const [subject, fleet] of fleets) await drive(subject, fleet, FIRST_WARM_UP, FLEET);
  }
  const figures: LoadFigures[] = [];
  for (const terminals of options.terminals) {
    const contenders = new Map<Name, Contender>(
      [...fleets].map(([subject, fleet]) => [
        subject.name,
        { subject, turn: (milliseconds) => drive(subject, fleet, milliseconds, terminals) },
      ]),
    );
    const found = summarise(terminals, await inRounds(contenders, options));
    print(found);
    figures.push(found);
  }
  closeAll([...fleets.values()].flat());
  return figures;
}

/** What the rounds come to. */
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
const WIDTHS = [-15, 12, 9, 9, 9, 12, 11];

function print({ terminals, rounds, rows, ratios }: LoadFigures): void {
  console.log(`\n${terminals} ${terminals === 1 ? "terminal" : "terminals"} at work, ${rounds} rounds`);
  console.log(line(COLUMNS));
  for (const { name, perSecond, p50, p95, p99, cpu, loadCpu } of rows) {
    const cells = [perSecond.toFixed(0), p50.toFixed(2), p95.toFixed(2), p99.toFixed(2)];
    console.log(line([name, ...cells, cpu?.toFixed(2) ?? "-", `${(loadCpu * 100).toFixed(0)} %`]));
  }
  for (const { to, throughput, cpu, addedMedian } of ratios) {
    const parts = [`throughput × ${shown(throughput)}`, ...(cpu === null ? [] : [`CPU × ${shown(cpu)}`])];
    console.log(`  gateway to ${to}: ${parts.join(", ")}, median + ${shown(addedMedian)} ms`);
  }
}

/** A width below 0: to the left. */
function line(cells: readonly string[]): string {
  const aligned = cells.map((cell, index) => {
    const width = WIDTHS[index] ?? 0;
    return width < 0 ? cell.padEnd(-width) : cell.padStart(width);
  });
  return aligned.join("");
}
