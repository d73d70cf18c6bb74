/** What must not grow with the journal: the cost of a transfer at a terminal that has made a million before. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JournalFigures } from "../../../src/docs/build/speed-figures.ts";
import { drive } from "../measure.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { cpuRatio, shown } from "../spread.ts";
import { GATEWAY } from "../subjects/gateway.ts";
import { isObject } from "../workerd.ts";
import { closeAll, type Run } from "./part.ts";

const ROWS = 1_000_000;

/** Milliseconds of a turn: one terminal makes few sales in a second. */
const TURN = 2_000;

const WARM_UP = 10_000;

export async function measureJournal(run: Run): Promise<JournalFigures> {
  const journalRows = run.size(ROWS, 1_000);
  const subject = await run.start(GATEWAY);
  const pairs = await subject.enrol(2);
  // A row of each journal: one is copied.
  const first = await subject.connect(pairs);
  await drive(subject, first, 1);
  closeAll(first);
  await subject.restart(() => fillJournal(subject.databases("TERMINAL"), pairs[0]?.terminalId ?? "", journalRows));
  const fleet = await subject.connect(pairs);
  await drive(subject, fleet, run.size(WARM_UP, 1));
  const contenders = new Map<string, Contender>(
    ["full", "other"].map((name, at) => [
      name,
      { subject, turn: (milliseconds) => drive(subject, fleet.slice(at, at + 1), milliseconds) },
    ]),
  );
  const { rounds } = run.options;
  const turns = await inRounds(contenders, { rounds, milliseconds: run.size(TURN, run.options.milliseconds) });
  closeAll(fleet);
  const cpu = cpuRatio(turns.get("full") ?? [], turns.get("other") ?? []);
  const times = cpu === null ? "unknown" : shown(cpu);
  console.log(`\nCPU per transfer with ${journalRows} rows in the journal × ${times} of that with few`);
  return { journalRows, cpu };
}

/** Copies a completed row of a terminal's journal many times, under lower numbers and other references. */
async function fillJournal(folder: string, terminalId: string, rows: number): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  for (const path of (await readdir(folder)).map((name) => join(folder, name)).filter(isObject)) {
    const database = new DatabaseSync(path);
    const is = database.prepare("SELECT 1 FROM terminal WHERE terminal_id = ?").get(terminalId);
    if (is !== undefined) {
      const names = "SELECT group_concat(name) AS names FROM pragma_table_info('transactions')";
      const columns = String(database.prepare(names).get()?.["names"]);
      const copied = columns
        .replace("request_id", "1000000 + n")
        .replace("reference_id", "'old-' || n")
        .replace("received_at", "received_at - 86400000");
      database.exec(`
        INSERT INTO transactions (${columns})
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
        SELECT ${copied} FROM numbers
        CROSS JOIN (SELECT * FROM transactions WHERE state = 'completed' ORDER BY request_id LIMIT 1)`);
    }
    database.close();
    if (is !== undefined) return;
  }
  throw new Error(`no database in ${folder} is that of ${terminalId}`);
}
