/** What one account, which is one object, carries: sales at growing rates, each at the next of a thousand terminals. */
import { setTimeout } from "node:timers/promises";
import { inParallel } from "../../../src/bounds/parallel.ts";
import { APPROVED, isCarried } from "../../../src/docs/build/speed.ts";
import { cpuSecondsOf } from "../machine.ts";
import { type Answered, pace, send } from "../measure.ts";
import { quantile } from "../spread.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import type { Enrolled, Subject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./run.ts";

const TERMINALS = 1_000;

/** Sales a second. */
const RATES = [25, 50, 100, 200, 400];

/** Milliseconds at each rate. Beyond what the account carries, the last sales wait for as long again. */
const LASTS = 15_000;

/** How often the way from the highest rate that is carried to the next one is halved. */
const HALVINGS = 3;

/** A crowd at the door is not what is measured. */
const CONNECT_AT_ONCE = 20;
const CONNECT_EVERY = 500;

/** How often what is not completed is sent again, and after how many milliseconds. */
const REPETITIONS = 60;
const REPEAT_EVERY = 1_000;

export type RateFigures = Awaited<ReturnType<typeof atRate>>;

export async function measureAccount(run: Run) {
  const gateway = await run.start(GATEWAY);
  const fleet = await connect(gateway, run.size(TERMINALS, 20));
  const milliseconds = run.size(LASTS, 1_000);
  const rates: RateFigures[] = [];
  const measure = async (perSecond: number): Promise<void> => {
    rates.push(await atRate(gateway, fleet, perSecond, milliseconds));
    rates.sort((one, other) => one.perSecond - other.perSecond);
  };
  // The first sales wake objects and have functions compiled.
  await pace(gateway, fleet, fleet.length / 10, run.size(10_000, 1_000));
  for (const rate of run.options.quick ? [20, 40] : RATES) await measure(rate);
  for (let halving = 0; halving < run.size(HALVINGS, 0); halving++) {
    const above = rates.findIndex((rate) => !isCarried(rate));
    const [below, beyond] = [rates[above - 1], rates[above]];
    if (below === undefined || beyond === undefined) break;
    await measure(Math.round((below.perSecond + beyond.perSecond) / 2));
  }
  closeAll(fleet);
  return { terminals: fleet.length, rates };
}

async function connect(gateway: Subject, terminals: number): Promise<Enrolled[]> {
  const pairs = await gateway.enrol(terminals, terminals);
  const connected: Enrolled[] = [];
  while (connected.length < pairs.length) {
    const next = pairs.slice(connected.length, connected.length + CONNECT_AT_ONCE);
    const [some] = await Promise.all([gateway.connect(next), setTimeout(CONNECT_EVERY)]);
    connected.push(...some);
  }
  return connected;
}

/**
 * So many sales a second. `thread`: the share of the time in which the thread of the Worker and all objects had work; null if the
 * machine does not tell. `loadCpu`: the share of one core that tills and terminals took.
 */
async function atRate(gateway: Subject, fleet: readonly Enrolled[], perSecond: number, milliseconds: number) {
  // The Worker and all objects of a workerd run on its first thread.
  const thread = `${gateway.pid}/task/${gateway.pid}`;
  for (const { terminal } of fleet) terminal.asked.length = 0;
  const before = await cpuSecondsOf(thread);
  const { answers, latencies, seconds, loadSeconds } = await pace(gateway, fleet, perSecond, milliseconds);
  const after = await cpuSecondsOf(thread);
  const kinds = Object.entries(Object.groupBy(answers, ({ kind }) => kind));
  await mustBeOnce(gateway, fleet, answers);
  return {
    perSecond,
    approved: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    answers: kinds.map(([kind, some = []]) => ({ kind, count: some.length })),
    thread: before === null || after === null ? null : (after - before) / seconds,
    loadCpu: loadSeconds / seconds,
  };
}

/** Sends again what is not completed until it is. Throws unless terminals were asked once for each approved sale, and for no other. */
async function mustBeOnce(gateway: Subject, fleet: readonly Enrolled[], answers: readonly Answered[]): Promise<void> {
  const approved: Answered[] = [];
  let open = answers;
  for (let repetition = 0; ; repetition++) {
    approved.push(...open.filter(({ kind }) => kind === APPROVED));
    open = open.filter(({ kind }) => kind !== APPROVED && !kind.startsWith("11"));
    if (open.length === 0) break;
    if (repetition === REPETITIONS) throw new Error(`${open.length} sales are not completed: ${open[0]?.kind}`);
    await setTimeout(REPEAT_EVERY);
    open = await inParallel(open, 8, ({ pair, sale }) => send(gateway.caller, pair, sale));
  }
  const asked = fleet.flatMap(({ terminal }) => terminal.asked).toSorted();
  const paid = approved.map(({ sale }) => (JSON.parse(sale) as { referenceId: string }).referenceId).toSorted();
  if (asked.join() !== paid.join())
    throw new Error(`terminals were asked ${asked.length} times, ${paid.length} are paid`);
}
