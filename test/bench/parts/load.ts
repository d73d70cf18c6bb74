/**
 * What a transfer takes, next to the baseline. In each round both have a turn, and the other one is first each time. So what
 * else the machine does, and how fast it is at the moment, meets both alike.
 */
import { setTimeout } from "node:timers/promises";
import { cpuSecondsOf } from "../machine.ts";
import { drive, type Stretch } from "../measure.ts";
import { quantile, spreadOfPairs } from "../spread.ts";
import type { Enrolled, Name, Subject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./run.ts";

/** Everything runs unmeasured for this many milliseconds first: compilers and caches take thousands of transfers to complete. */
const FIRST_WARM_UP = 20_000;

/** The first turn of each is not counted, and at most this long. */
const WARM_UP = 1_000;

/** How long the last turns may have an aftermath. */
const AFTERMATH = 1_000;

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
    figures.push(summarise(terminals, await inRounds(fleets, terminals, options)));
  }
  closeAll([...fleets.values()].flat());
  return figures;
}

/**
 * The CPU of a turn is what the subject uses from the beginning of this turn to the beginning of its next one: records,
 * alarms and collected garbage that come after the answers are part of what a transfer takes.
 */
async function inRounds(
  fleets: ReadonlyMap<Subject, Enrolled[]>,
  terminals: number,
  { rounds, milliseconds }: { rounds: number; milliseconds: number },
): Promise<Map<Name, Stretch[]>> {
  const turns = new Map<Name, Stretch[]>([...fleets.keys()].map(({ name }) => [name, []]));
  /** Of each subject: its last turn, and the CPU that it had used before. */
  const last = new Map<Subject, { stretch: Stretch; before: number | null }>();
  const end = async (subject: Subject): Promise<number | null> => {
    const now = await cpuSecondsOf(subject.pid);
    const turn = last.get(subject);
    if (turn !== undefined) turn.stretch.cpuSeconds = now === null || turn.before === null ? null : now - turn.before;
    return now;
  };
  const order = [...fleets];
  for (let round = 0; round <= rounds; round++) {
    for (const [subject, fleet] of round % 2 === 0 ? order : order.toReversed()) {
      const before = await end(subject);
      const length = round === 0 ? Math.min(WARM_UP, milliseconds) : milliseconds;
      const stretch = await drive(subject, fleet, length, terminals);
      last.set(subject, { stretch, before });
      if (round > 0) turns.get(subject.name)?.push(stretch);
    }
  }
  await setTimeout(AFTERMATH);
  for (const subject of last.keys()) await end(subject);
  return turns;
}

export type LoadFigures = ReturnType<typeof summarise>;

type LoadRow = ReturnType<typeof rowOf>;

/** What the rounds come to: the gateway's value divided by the baseline's, and by how much its median is longer. */
export function summarise(terminals: number, stretches: ReadonlyMap<Name, Stretch[]>) {
  const own = stretches.get("gateway") ?? [];
  const others = stretches.get("account baseline") ?? [];
  const compared = (compare: (gateway: LoadRow, other: LoadRow) => number) =>
    spreadOfPairs(own, others, (one, other) => compare(rowOf("gateway", [one]), rowOf("account baseline", [other])));
  const knowsCpu = [...own, ...others].every(({ cpuSeconds }) => cpuSeconds !== null);
  return {
    terminals,
    rounds: own.length,
    rows: [...stretches].map(([name, turns]) => rowOf(name, turns)),
    throughput: compared((gateway, other) => gateway.perSecond / other.perSecond),
    cpu: knowsCpu ? compared((gateway, other) => (gateway.cpu ?? NaN) / (other.cpu ?? NaN)) : null,
    addedMedian: compared((gateway, other) => gateway.p50 - other.p50),
  };
}

/**
 * Turns as one. `cpu`: seconds per 1,000 transfers; null if the machine does not tell. `loadCpu`: the share of one core that
 * tills and terminals took; near 1 they, not the subject, are the limit.
 */
function rowOf(name: Name, turns: readonly Stretch[]) {
  const sum = (of: (turn: Stretch) => number): number => turns.reduce((before, turn) => before + of(turn), 0);
  const latencies = turns.flatMap((turn) => turn.latencies);
  const seconds = sum((turn) => turn.seconds);
  const cpu = (sum(({ cpuSeconds }) => cpuSeconds ?? NaN) / latencies.length) * 1_000;
  return {
    name,
    transfers: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    cpu: Number.isNaN(cpu) ? null : cpu,
    loadCpu: sum(({ loadSeconds }) => loadSeconds) / seconds,
  };
}
