/**
 * `npm run bench`: what a transfer takes, next to two floors and to a plain Node process, in turns within one run. See
 * `--help`. Times depend on the machine; the ratios are what counts.
 */
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { judge, printVerdicts, type Verdict } from "./goals.ts";
import { type BesideLogins, measureLogins } from "./logins.ts";
import { drive, type Stretch } from "./measure.ts";
import { measureMemory } from "./memory.ts";
import { readOptions } from "./options.ts";
import { printTable, summarise, type Summary } from "./report.ts";
import { measureScale, type Scale } from "./scale.ts";
import { AccountFloor, D1Floor } from "./subjects/floors.ts";
import { Gateway } from "./subjects/gateway.ts";
import { startPlainNode } from "./subjects/plain-node.ts";
import type { Enrolled, Subject } from "./subjects/subject.ts";

/**
 * Everything runs unmeasured for so long first, and again before each number of terminals, in milliseconds: compilers and
 * caches take thousands of transfers to settle.
 */
const FIRST_WARM_UP = 20_000;
const WARM_UP = 1_000;

/** Terminals that are connected at least: one that works all the time would work faster than any customer pays. */
const FLEET = 50;

/** File systems in memory, as Linux numbers them (statfs(2)): tmpfs and ramfs. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

async function isOnDisk(path: string): Promise<boolean> {
  return !IN_MEMORY.includes((await statfs(path)).type);
}

const options = readOptions(process.argv.slice(2));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const folder = await mkdtemp(join(options.folder ?? tmpdir(), "bench-"));
const folderOf = async (name: string): Promise<string> => {
  const own = join(folder, name);
  await mkdir(own);
  return own;
};

interface Results {
  machine: string;
  at: string;
  /** Whether databases were on a disk, or in memory. */
  onDisk: boolean;
  load?: Summary[];
  goals?: Verdict[];
  /** Bytes that a connected, hibernating terminal takes. */
  idleBytes?: Record<string, number | null>;
  scale?: Scale;
  logins?: BesideLogins[];
}

const subjects: Subject[] = [];
try {
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, ${process.platform}`;
  const results: Results = { machine, at: new Date().toISOString(), onDisk: await isOnDisk(folder) };
  if (options.scale) {
    results.idleBytes = await measureMemory(folder);
    for (const [name, bytes] of Object.entries(results.idleBytes)) {
      console.log(`${name}: ${bytes ?? "unknown"} bytes per idle terminal`);
    }
  }
  const gateway = await Gateway.start(await folderOf("gateway"));
  subjects.push(gateway);
  if (options.logins) results.logins = await measureLogins(gateway, options);
  else if (options.scale) {
    const accountFloor = await AccountFloor.start(await folderOf("account-floor"));
    subjects.push(accountFloor);
    results.scale = await measureScale(gateway, accountFloor, options);
  } else {
    subjects.push(await AccountFloor.start(await folderOf("account-floor")));
    subjects.push(await D1Floor.start(await folderOf("d1-floor")));
    subjects.push(await startPlainNode(await folderOf("plain-node")));
    results.load = await measureLoad();
    results.goals = judge(options.quick ? [] : results.load, results.onDisk);
    printVerdicts(results.goals);
  }
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\n${machine}, databases ${results.onDisk ? "on disk" : "in memory"}. Written to ${options.json}.`);
} finally {
  await Promise.all(subjects.map((subject) => subject.stop()));
  await rm(folder, { recursive: true, force: true });
}

/** In each round every subject has its turn, another one first each time. */
async function measureLoad(): Promise<Summary[]> {
  const most = Math.max(FLEET, ...options.terminals);
  const fleets = new Map<Subject, Enrolled[]>();
  for (const subject of subjects) {
    fleets.set(subject, await subject.connect(await subject.enrol(most)));
  }
  if (!options.quick) {
    for (const [subject, fleet] of fleets) await drive(subject, fleet, FIRST_WARM_UP, FLEET);
  }
  const summaries: Summary[] = [];
  for (const terminals of options.terminals) {
    const stretches = new Map<Subject["name"], Stretch[]>(subjects.map(({ name }) => [name, []]));
    for (let round = 0; round <= options.rounds; round++) {
      for (let turn = 0; turn < subjects.length; turn++) {
        const subject = subjects[(round + turn) % subjects.length];
        if (subject === undefined) continue;
        const warmUp = round === 0;
        const milliseconds = warmUp ? Math.min(WARM_UP, options.milliseconds) : options.milliseconds;
        const stretch = await drive(subject, fleets.get(subject) ?? [], milliseconds, terminals);
        if (!warmUp) stretches.get(subject.name)?.push(stretch);
      }
    }
    const summary = summarise(terminals, stretches);
    printTable(summary);
    summaries.push(summary);
  }
  for (const { terminal } of [...fleets.values()].flat()) terminal.close();
  return summaries;
}
