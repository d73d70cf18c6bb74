/** What a transfer takes, next to the baseline. */
import type { LoadFigures, LoadRow } from "../figures.ts";
import { cpuPerThousand, drive, pooled, type Stretch } from "../measure.ts";
import { inRounds } from "../rounds.ts";
import { cpuRatio, quantile, shown, spreadOfPairs } from "../spread.ts";
import type { Enrolled, Name, Subject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./run.ts";

/** Everything runs unmeasured for this many milliseconds first: compilers and caches take thousands of transfers to complete. */
const FIRST_WARM_UP = 20_000;

/** Terminals that are connected at least: one that works all the time would work faster than any customer pays. */
const FLEET = 50;

export async function measureLoad(run: Run): Promise<LoadFigures[]> {
  const { options } = run;
  const most = Math.max(FLEET, ...options.terminals);
  const fleets = new Map<Subject, Enrolled[]>();
  for (const subject of await run.both()) fleets.set(subject, await subject.connect(await subject.enrol(most)));
  if (!options.quick) {
    for (const [subject, fleet] of fleets) await drive(subject, fleet, FIRST_WARM_UP, FLEET);
  }
  const figures: LoadFigures[] = [];
  for (const terminals of options.terminals) {
    const contenders = new Map(
      [...fleets].map(([subject, fleet]) => [
        subject.name,
        { subject, turn: (milliseconds: number) => drive(subject, fleet, milliseconds, terminals) },
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
  const own = stretches.get("gateway") ?? [];
  const others = stretches.get("account baseline") ?? [];
  const compared = (compare: (gateway: LoadRow, other: LoadRow) => number) =>
    spreadOfPairs(own, others, (one, other) => compare(rowOf("gateway", one), rowOf("account baseline", other)));
  return {
    terminals,
    rounds: own.length,
    rows: [...stretches].map(([name, turns]) => rowOf(name, pooled(turns))),
    throughput: compared((gateway, other) => gateway.perSecond / other.perSecond),
    cpu: cpuRatio(own, others),
    addedMedian: compared((gateway, other) => gateway.p50 - other.p50),
  };
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

function print({ terminals, rounds, rows, throughput, cpu, addedMedian }: LoadFigures): void {
  console.log(`\n${terminals} ${terminals === 1 ? "terminal" : "terminals"} at work, ${rounds} rounds`);
  for (const { name, perSecond, p50, p95, p99, cpu: seconds, loadCpu } of rows) {
    const times = `p50, p95, p99 ${[p50, p95, p99].map((time) => time.toFixed(2)).join(", ")} ms`;
    const all = `CPU ${seconds?.toFixed(2) ?? "?"} s per 1,000, load's CPU ${(loadCpu * 100).toFixed(0)} %`;
    console.log(`  ${name}: ${perSecond.toFixed(0)} transfers a second, ${times}, ${all}`);
  }
  const ratios = `throughput × ${shown(throughput)}, CPU × ${cpu === null ? "unknown" : shown(cpu)}`;
  console.log(`  gateway to account baseline: ${ratios}, median + ${shown(addedMedian)} ms`);
}
