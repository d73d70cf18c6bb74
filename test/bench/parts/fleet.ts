/** What must not grow with the fleet: the cost of a transfer, and what idle and waiting terminals take. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { FleetFigures } from "../../../src/docs/build/speed-figures.ts";
import { drive } from "../measure.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { cpuRatio, quantile, shown } from "../spread.ts";
import { ACCOUNT_BASELINE } from "../subjects/baselines.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import type { Enrolled, WorkerSubject } from "../subjects/subject.ts";
import { awakeObjects, closeAll, connectSlowly, LOOKED_AT, type Run, UNTIL_ASLEEP } from "./part.ts";

const FEW = 50;
const MANY = 1_000;
const SLOW = 100;
const CUSTOMER = 15_000;
const HEARTBEAT = 30_000;
const MINUTE = 60_000;
const SAMPLE = 2_000;

/** Milliseconds of unmeasured transfers before. */
const WARM_UP = 10_000;

interface Fleet {
  subject: WorkerSubject;
  enrolled: Enrolled[];
}

type Row = FleetFigures["rows"][number];

export async function measureFleet(run: Run): Promise<FleetFigures> {
  const many = run.size(MANY, 60);
  const subjects = [await run.start(GATEWAY), await run.start(ACCOUNT_BASELINE)];
  // Most of this is waiting, so all do it at the same time.
  const fleets = await Promise.all(
    subjects.map(async (subject): Promise<Fleet> => {
      return { subject, enrolled: await connectSlowly(subject, await subject.enrol(many)) };
    }),
  );
  await setTimeout(UNTIL_ASLEEP);
  const still = await Promise.all(fleets.map((fleet) => whileStill(run, fleet)));
  const asleep: number[] = [];
  for (const { subject, enrolled } of fleets) {
    const first = await drive(subject, enrolled.slice(0, FEW), 1, FEW);
    asleep.push(quantile(first.latencies, 0.5));
  }
  const cpu = await cpuOf(run, fleets);
  closeAll(fleets.flatMap(({ enrolled }) => enrolled));
  const rows = fleets.map(({ subject: { name } }, index): Row => ({
    name,
    ...(still[index] ?? { awake: null, written: NaN, awakeWaiting: null }),
    asleep: asleep[index] ?? NaN,
    cpu: cpu[index] ?? null,
  }));
  const figures: FleetFigures = { few: FEW, many, waiting: SLOW, customer: CUSTOMER, rows };
  print(figures);
  return figures;
}

/** Heartbeats, then customers who take their time. At the end all objects sleep. */
async function whileStill(
  run: Run,
  { subject, enrolled }: Fleet,
): Promise<Pick<Row, "awake" | "written" | "awakeWaiting">> {
  const idle = await whileIdle(run, subject, enrolled);
  const awakeWaiting = await whileWaiting(subject, enrolled.slice(0, SLOW));
  await setTimeout(UNTIL_ASLEEP);
  return { ...idle, awakeWaiting };
}

/** From outside: an object that is in memory holds its database open, and one that writes changes its files. */
async function whileIdle(
  run: Run,
  subject: WorkerSubject,
  fleet: readonly Enrolled[],
): Promise<Pick<Row, "awake" | "written">> {
  const before = await fingerprints(subject);
  let awake: number | null = 0;
  let nextBeat = 0;
  for (const until = performance.now() + run.size(MINUTE, 1); performance.now() < until;) {
    if (performance.now() >= nextBeat) {
      nextBeat = performance.now() + HEARTBEAT;
      for (const { terminal } of fleet) terminal.heartbeat();
    }
    const now = await awakeObjects(subject);
    awake = awake === null || now === null ? null : Math.max(awake, now);
    await setTimeout(SAMPLE);
  }
  const after = await fingerprints(subject);
  const written = [...after].filter(([name, fingerprint]) => before.get(name) !== fingerprint).length;
  return { awake, written };
}

async function whileWaiting(subject: WorkerSubject, fleet: readonly Enrolled[]): Promise<number | null> {
  for (const { terminal } of fleet) terminal.customersTake(CUSTOMER);
  const paid = drive(subject, fleet, 1);
  await setTimeout(CUSTOMER - SAMPLE);
  const awake = await awakeObjects(subject);
  await paid;
  for (const { terminal } of fleet) terminal.customersTake(0);
  return awake;
}

async function fingerprints(subject: WorkerSubject): Promise<Map<string, string>> {
  const folders = LOOKED_AT.map((binding) => subject.databases(binding));
  const found = new Map<string, string>();
  for (const folder of folders) {
    for (const path of (await readdir(folder)).map((name) => join(folder, name))) {
      const { size, mtimeMs } = await stat(path);
      found.set(path, `${size} ${mtimeMs}`);
    }
  }
  return found;
}

/** Of each fleet: what a transfer takes when all its terminals work in turn, by what it takes when few do. */
async function cpuOf(run: Run, fleets: readonly Fleet[]): Promise<Row["cpu"][]> {
  const contenders = new Map<string, Contender>();
  for (const { subject, enrolled } of fleets) {
    await drive(subject, enrolled, run.size(WARM_UP, 1), FEW);
    const few = enrolled.slice(0, FEW);
    contenders.set(`${subject.name}, few`, { subject, turn: (time) => drive(subject, few, time, FEW) });
    contenders.set(`${subject.name}, many`, { subject, turn: (time) => drive(subject, enrolled, time, FEW) });
  }
  const turns = await inRounds(contenders, run.options);
  return fleets.map(({ subject: { name } }) =>
    cpuRatio(turns.get(`${name}, many`) ?? [], turns.get(`${name}, few`) ?? []),
  );
}

function print({ few, many, waiting, rows }: FleetFigures): void {
  console.log(`\n${many} connected terminals`);
  for (const { name, cpu, awake, written, awakeWaiting, asleep } of rows) {
    console.log(`  ${name}:`);
    console.log(`    CPU per transfer at ${many} × ${cpu === null ? "unknown" : shown(cpu)} of that at ${few}`);
    console.log(`    heartbeats of all woke ${awake ?? "?"} objects, wrote ${written} files`);
    console.log(`    ${awakeWaiting ?? "?"} objects of ${waiting} were in memory while customers paid`);
    console.log(`    a sale at a sleeping terminal, ${few} at a time: ${asleep.toFixed(2)} ms`);
  }
}
