/** What must not grow with the journal: the cost of a transfer at a terminal that has made a million before. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JournalFigures } from "../../../src/docs/build/speed-figures.ts";
import { drive } from "../measure.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { cpuRatio, shown } from "../spread.ts";
import { Gateway } from "../subjects/gateway.ts";
import { type Run, withStopped } from "./part.ts";

const ROWS = 1_000_000;

/** Milliseconds of a turn: one terminal makes few sales in a second. */
const TURN = 2_000;

const WARM_UP = 10_000;

export async function measureJournal(run: Run): Promise<JournalFigures> {
  const journalRows = run.size(ROWS, 1_000);
  return withStopped(async (add) => {
    const gateway = add(await Gateway.start(await run.folder("gateway")));
    const pairs = await gateway.enrol(2);
    // A row of each journal: one is copied.
    const first = await gateway.connect(pairs);
    await drive(gateway, first, 1);
    for (const { terminal } of first) terminal.close();
    await gateway.restart(() => fillJournal(gateway.databases("TERMINAL"), pairs[0]?.terminalId ?? "", journalRows));
    const [full, other] = await gateway.connect(pairs);
    if (full === undefined || other === undefined) throw new Error("no terminal is connected");
    await drive(gateway, [full, other], run.size(WARM_UP, 1));
    const contenders = new Map<"full" | "other", Contender>([
      ["full", { subject: gateway, turn: (milliseconds) => drive(gateway, [full], milliseconds) }],
      ["other", { subject: gateway, turn: (milliseconds) => drive(gateway, [other], milliseconds) }],
    ]);
    const { rounds } = run.options;
    const turns = await inRounds(contenders, { rounds, milliseconds: run.size(TURN, run.options.milliseconds) });
    full.terminal.close();
    other.terminal.close();
    const cpu = cpuRatio(turns.get("full") ?? [], turns.get("other") ?? []);
    const times = cpu === null ? "unknown" : shown(cpu);
    console.log(`\nCPU per transfer with ${journalRows} rows in the journal × ${times} of that with few`);
    return { journalRows, cpu };
  });
}

/** Copies a completed row of a terminal's journal many times, under lower numbers and other references. */
async function fillJournal(databases: string, terminalId: string, rows: number): Promise<void> {
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
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
        SELECT ${copied} FROM numbers
        CROSS JOIN (SELECT * FROM transactions WHERE state = 'completed' ORDER BY request_id LIMIT 1)`);
    }
    database.close();
    if (is) return;
  }
  throw new Error(`no database in ${databases} is that of ${terminalId}`);
}
