/** What must not grow: cost per transfer with the fleet and with the journal, memory per idle terminal. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { drive, residentBytes } from "./measure.ts";
import type { Options } from "./options.ts";
import { median } from "./report.ts";
import type { Enrolled, Restartable, Subject } from "./subjects.ts";

export interface Scale {
  /** Bytes that a connected, hibernating terminal takes. */
  idleBytes: Record<string, number | null>;
  /** CPU seconds per 1,000 transfers at FEW and MANY terminals, FEW transfers at a time, and their quotient. */
  fleet: Record<string, { few: number | null; many: number | null; ratio: number | null }>;
  /** Of one terminal, before and after its journal got ROWS more rows; `control` is a terminal beside it. */
  journal: { empty: number | null; full: number | null; control: number | null; ratio: number | null };
  /** Milliseconds of a sale at a terminal whose object sleeps, the median over FEW. */
  asleep: Record<string, number>;
}

const FEW = 50;
const MANY = 1_000;
const ROWS = 1_000_000;

/** An idle object hibernates after 10 s (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/). */
const UNTIL_ASLEEP = 15_000;

export async function measureScale(gateway: Restartable, floor: Subject, options: Options): Promise<Scale> {
  const scale: Scale = {
    idleBytes: {},
    fleet: {},
    journal: { empty: null, full: null, control: null, ratio: null },
    asleep: {},
  };
  const fleets = new Map<Subject, Enrolled[]>();
  for (const subject of [gateway, floor]) {
    const pairs = await subject.enrol(MANY);
    const few = await subject.connect(pairs.slice(0, FEW));
    await drive(subject, few, options.milliseconds, FEW);
    await sleep();
    const before = await residentBytes(subject.pid);
    const rest = await subject.connect(pairs.slice(FEW));
    await sleep();
    const after = await residentBytes(subject.pid);
    const bytes = before === null || after === null ? null : Math.round((after - before) / rest.length);
    scale.idleBytes[subject.name] = bytes;
    console.log(`${subject.name}: ${bytes ?? "unknown"} bytes per idle terminal`);
    fleets.set(subject, [...few, ...rest]);
  }
  for (const [subject, fleet] of fleets) {
    const first = await drive(subject, fleet.slice(0, FEW), 1, FEW);
    scale.asleep[subject.name] = first.p50;
    console.log(`${subject.name}: a sale at a sleeping terminal, ${FEW} at a time: ${first.p50.toFixed(2)} ms`);
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
  scale.journal = await measureJournal(gateway, options);
  return scale;
}

/** Medians of the CPU per transfer, each measured in every round. */
async function inTurns(options: Options, turns: (() => ReturnType<typeof drive>)[]): Promise<(number | null)[]> {
  const cpu: (number | null)[][] = turns.map(() => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, turn] of turns.entries()) cpu[index]?.push((await turn()).cpu);
  }
  return cpu.map((values) => {
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? null : median(known);
  });
}

async function measureJournal(gateway: Restartable, options: Options): Promise<Scale["journal"]> {
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
  await gateway.restart((databases) => fillJournal(databases, own.terminalId));
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

function sleep(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, UNTIL_ASLEEP));
}

function quotient(one: number | null | undefined, other: number | null | undefined): number | null {
  return one === null || one === undefined || other === null || other === undefined ? null : one / other;
}

function shown(ratio: number | null): string {
  return ratio === null ? "unknown" : ratio.toFixed(2);
}
