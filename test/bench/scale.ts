/**
 * What must not grow: cost per transfer with the fleet, with the journal, and with the terminals of one account; and
 * what idle and waiting terminals take.
 */
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { cpuPerThousand, drive } from "./measure.ts";
import { connectSlowly, UNTIL_ASLEEP } from "./memory.ts";
import { measureOneAccount, type OneAccount } from "./one-account.ts";
import type { Options } from "./options.ts";
import { quantile } from "./report.ts";
import type { Enrolled, ObjectBinding, WorkerSubject } from "./subjects/subject.ts";
import { isObject } from "./workerd.ts";

export interface Scale {
  /** CPU seconds per 1,000 transfers at FEW and MANY terminals, FEW transfers at a time, and their quotient. */
  fleet: Record<string, { few: number | null; many: number | null; ratio: number | null }>;
  /** Of one terminal, before and after its journal got ROWS more rows; `control` is a terminal beside it. */
  journal: { empty: number | null; full: number | null; control: number | null; ratio: number | null };
  /** A minute of heartbeats of all terminals: the most objects that were awake, and how many databases were written. */
  idle: Record<string, { awake: number | null; written: number }>;
  /** Objects awake just before SLOW customers, who take CUSTOMER milliseconds, have paid. */
  waiting: Record<string, number | null>;
  /** Milliseconds of a sale at a terminal whose object sleeps, the median over FEW. */
  asleep: Record<string, number>;
  /** As many sales a second of one account, and of many accounts, with as many terminals. */
  accounts: Record<string, { one: OneAccount; many: OneAccount }>;
}

const FEW = 50;
const MANY = 1_000;
const ROWS = 1_000_000;
const SLOW = 100;
const CUSTOMER = 15_000;
const HEARTBEAT = 30_000;
const MINUTE = 60_000;
const SAMPLE = 2_000;

export async function measureScale(gateway: WorkerSubject, floor: WorkerSubject, options: Options): Promise<Scale> {
  const scale: Scale = {
    fleet: {},
    journal: { empty: null, full: null, control: null, ratio: null },
    idle: {},
    waiting: {},
    asleep: {},
    accounts: {},
  };
  const fleets = new Map<WorkerSubject, Enrolled[]>();
  for (const subject of [gateway, floor]) fleets.set(subject, await connectSlowly(subject, await subject.enrol(MANY)));
  await sleep();
  for (const [subject, fleet] of fleets) {
    scale.idle[subject.name] = await measureIdle(subject, fleet);
    scale.waiting[subject.name] = await measureWaiting(subject, fleet.slice(0, SLOW));
    await sleep();
    const first = await drive(subject, fleet.slice(0, FEW), 1, FEW);
    const latency = quantile(first.latencies, 0.5);
    scale.asleep[subject.name] = latency;
    console.log(`${subject.name}: a sale at a sleeping terminal, ${FEW} at a time: ${latency.toFixed(2)} ms`);
    await drive(subject, fleet, options.milliseconds, FEW);
    const [few, many] = await inTurns(options, [
      () => drive(subject, fleet.slice(0, FEW), options.milliseconds, FEW),
      () => drive(subject, fleet, options.milliseconds, FEW),
    ]);
    const ratio = quotient(many, few);
    scale.fleet[subject.name] = { few: few ?? null, many: many ?? null, ratio };
    console.log(`${subject.name}: CPU per transfer at ${MANY} terminals × ${shown(ratio)} of that at ${FEW}`);
  }
  for (const { terminal } of [...fleets.values()].flat()) terminal.close();
  for (const subject of [gateway, floor]) scale.accounts[subject.name] = await measureOneAccount(subject);
  scale.journal = await measureJournal(gateway, options);
  return scale;
}

/** From outside: an object that is awake holds its database open, and one that writes changes its files. */
async function measureIdle(subject: WorkerSubject, fleet: readonly Enrolled[]): Promise<Scale["idle"][string]> {
  const before = await fingerprints(subject);
  let awake: number | null = 0;
  let nextBeat = 0;
  for (const until = performance.now() + MINUTE; performance.now() < until;) {
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
  console.log(
    `${subject.name}: a minute of heartbeats of ${fleet.length} terminals woke ${awake ?? "?"} objects, wrote ${written} files`,
  );
  return { awake, written };
}

async function measureWaiting(subject: WorkerSubject, fleet: readonly Enrolled[]): Promise<number | null> {
  for (const { terminal } of fleet) terminal.customersTake(CUSTOMER);
  const paid = drive(subject, fleet, 1);
  await setTimeout(CUSTOMER - SAMPLE);
  const awake = await awakeObjects(subject);
  await paid;
  for (const { terminal } of fleet) terminal.customersTake(0);
  console.log(`${subject.name}: ${awake ?? "?"} objects of ${fleet.length} were awake while customers paid`);
  return awake;
}

/** The objects that are looked at: an idle terminal must neither wake nor change its own, nor its account's. */
const LOOKED_AT: readonly ObjectBinding[] = ["TERMINAL", "ACCOUNT"];

async function fingerprints(subject: WorkerSubject): Promise<Map<string, string>> {
  const folders = LOOKED_AT.map((binding) => subject.databases(binding));
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  const paths = files.flat();
  const stats = await Promise.all(paths.map((path) => stat(path)));
  return new Map(stats.map(({ size, mtimeMs }, index) => [paths[index] ?? "", `${size} ${mtimeMs}`]));
}

/** How many objects' databases the process holds open; null if the machine does not tell. */
async function awakeObjects(subject: WorkerSubject): Promise<number | null> {
  const { pid } = subject;
  const folders = LOOKED_AT.map((binding) => subject.databases(binding));
  try {
    const open = await readdir(`/proc/${pid}/fd`);
    const paths = await Promise.all(open.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => "")));
    return new Set(paths.filter((path) => isObject(path) && folders.some((folder) => path.startsWith(folder)))).size;
  } catch {
    return null;
  }
}

/** Medians of the CPU per transfer, each measured in every round. */
async function inTurns(options: Options, turns: (() => ReturnType<typeof drive>)[]): Promise<(number | null)[]> {
  const cpu: (number | null)[][] = turns.map(() => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, turn] of turns.entries()) cpu[index]?.push(cpuPerThousand(await turn()));
  }
  return cpu.map((values) => {
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? null : quantile(known, 0.5);
  });
}

async function measureJournal(gateway: WorkerSubject, options: Options): Promise<Scale["journal"]> {
  const pairs = await gateway.enrol(2);
  const [own] = pairs;
  if (own === undefined) throw new Error("no terminal was enrolled");
  const measured = async (): Promise<(number | null)[]> => {
    const [full, control] = await gateway.connect(pairs);
    if (full === undefined || control === undefined) throw new Error("no terminal is connected");
    await drive(gateway, [full, control], options.milliseconds);
    const cpu = await inTurns(options, [
      () => drive(gateway, [full], options.milliseconds),
      () => drive(gateway, [control], options.milliseconds),
    ]);
    full.terminal.close();
    control.terminal.close();
    return cpu;
  };
  const [empty, otherEmpty] = await measured();
  await gateway.restart(() => fillJournal(gateway.databases("TERMINAL"), own.terminalId));
  const [full, control] = await measured();
  const [before, after] = [quotient(empty, otherEmpty), quotient(full, control)];
  const ratio = quotient(after, before);
  console.log(`gateway: CPU per transfer with ${ROWS} rows in the journal × ${shown(ratio)} of that with few`);
  return { empty: empty ?? null, full: full ?? null, control: control ?? null, ratio };
}

/** Copies a settled row of a terminal's journal a million times, under lower numbers and other references. */
async function fillJournal(databases: string, terminalId: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  for (const name of await readdir(databases)) {
    if (!name.endsWith(".sqlite")) continue;
    const database = new DatabaseSync(join(databases, name));
    const found = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'terminal'").get();
    const is = found !== undefined && database.prepare("SELECT 1 FROM terminal WHERE terminal_id = ?").get(terminalId);
    if (is) {
      const { sql } = database
        .prepare("SELECT group_concat(name) AS sql FROM pragma_table_info('transactions')")
        .get() as {
        sql: string;
      };
      const copied = sql
        .replace("request_id", "1000000 + n")
        .replace("reference_id", "'old-' || n")
        .replace("received_at", "received_at - 86400000");
      database.exec(`
        INSERT INTO transactions (${sql})
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
        SELECT ${copied} FROM numbers
        CROSS JOIN (SELECT * FROM transactions WHERE state = 'settled' ORDER BY request_id LIMIT 1)`);
    }
    database.close();
    if (is) return;
  }
  throw new Error(`no database in ${databases} is that of ${terminalId}`);
}

async function sleep(): Promise<void> {
  await setTimeout(UNTIL_ASLEEP);
}

function quotient(one: number | null | undefined, other: number | null | undefined): number | null {
  return one === null || one === undefined || other === null || other === undefined ? null : one / other;
}

function shown(ratio: number | null): string {
  return ratio === null ? "unknown" : ratio.toFixed(2);
}
