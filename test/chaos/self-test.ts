/** Ten faults, each of which breaks a promise: a run that does not report one of them looks away. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { copySource, replaceIn } from "../support/source-copy.ts";
import { ROOT, type Say } from "./journal.ts";
import { judge } from "./judge/judge.ts";

/** A file below `src`, a text that it has once, and what stands there instead. */
type Change = readonly [file: string, right: string, wrong: string];

/** What is wrong, and the changes that do it. */
type InsertedFault = readonly [says: string, ...changes: readonly Change[]];

const ARRIVALS = "gateway/terminal/lane/arrivals.ts";
const REPORTS = "gateway/terminal/lane/reports.ts";
const KNOWN_DATA = "withKnownData(transaction, transaction.outcome ?? pendingAnswer(transaction))";

export const INSERTED = {
  "charges-otherwise": [
    "A terminal gets another amount than its POS has sent.",
    ["gateway/terminal/frames.ts", "return { ...terms,", 'return { ...terms, transAmt: "1.00",'],
  ],
  "declines-the-lost": [
    "A request whose terminal is lost is 11 at its end.",
    [
      "gateway/terminal/lane/deadlines.ts",
      "concludeTransaction(draft, latest, { ended: true",
      'completeAs(draft, latest, "TERMINAL_OFFLINE", {',
    ],
  ],
  "takes-a-second-result": [
    "A second result with another status or amount replaces the first.",
    [
      REPORTS,
      '"completed") isStored',
      '"completed" && report.statusCode === transaction.outcome?.statusCode) isStored',
    ],
    // A row that is completed is in no step's hands any more: it would be inserted a second time, which fails.
    ["gateway/terminal/storage/journal.ts", "INSERT INTO transactions", "INSERT OR REPLACE INTO transactions"],
  ],
  "ignores-the-operator": [
    "What an operator decides is confirmed and not stored.",
    [
      ARRIVALS,
      "= completeTransaction(draft, transaction, { outcome,",
      '= ((row: object) => ({ ...transaction, state: "completed" as const, ...row }))({ outcome,',
    ],
  ],
  "answers-otherwise": [
    "The same request gets an answer with other bytes each time.",
    [ARRIVALS, KNOWN_DATA, `{ ...${KNOWN_DATA}, softwareVersion: String(Date.now()) }`],
  ],
  "acknowledges-and-forgets": [
    "Of three results, one is acknowledged and not stored.",
    [
      REPORTS,
      "else if (report.contradicts) {",
      "else if (requestId % 3 === 0) isStored = true;\n  else if (report.contradicts) {",
    ],
  ],
  "keeps-no-conflict": [
    "A result that contradicts what is completed is acknowledged and not kept.",
    [REPORTS, 'return keep(draft, transaction.requestId, "conflict", kept);', "return true;"],
  ],
  "logs-tokens": [
    "The log has the token of each request.",
    [
      "gateway/http/middleware/transport.ts",
      '"request_answered", {',
      '"request_answered", { authorization: c.req.header("Authorization"),',
    ],
  ],
  "skips-events": [
    "Every second transaction is not recorded among the account's events.",
    [
      "gateway/account/feed.ts",
      'completedAt !== null) return "',
      'completedAt !== null) return requestId % 2 ? null : "',
    ],
  ],
  "miscounts-the-day": [
    "A day is closed with every second outcome that is recorded for it.",
    [
      "gateway/account/fold.ts",
      "{ transaction } of completed) countInDay(",
      "{ number, transaction } of completed) if (number % 2) countInDay(",
    ],
  ],
} as const satisfies Record<string, InsertedFault>;

export type FaultName = keyof typeof INSERTED;

export const FAULT_NAMES = Object.keys(INSERTED) as FaultName[];

/** Copies the project with a fault. Resolves to the copy's folder. */
export async function projectWith(name: FaultName, folder: string): Promise<string> {
  const copy = join(folder, "project");
  await copySource(ROOT, copy, ["migrations", "package.json", "wrangler.toml"]);
  // The site is not asked for, and takes a minute to build.
  await replaceIn(join(copy, "wrangler.toml"), /^\[build\]\n(?:.+\n)*/mu, "");
  await mkdir(join(copy, "dist/site"), { recursive: true });
  const [, ...changes]: InsertedFault = INSERTED[name];
  for (const [file, right, wrong] of changes) await replaceIn(join(copy, "src", file), right, wrong);
  return copy;
}

/** A run that is as small as its scenes allow. */
const SIZE = ["--seconds", "30", "--terminals", "4", "--accounts", "2"];

/** A run is judged while it goes on, and ended by a violation that is still one when it is judged the next time. */
const LOOK_EVERY = 4_000;

/** Whether a run reports each of the faults. */
export async function selfTest(names: readonly FaultName[], folder: string, say: Say): Promise<boolean> {
  let reported = 0;
  for (const name of names) {
    const began = performance.now();
    const rule = await firstBroken(name, join(folder, name));
    const seconds = Math.round((performance.now() - began) / 1_000);
    if (rule !== null) reported += 1;
    say(`${name}: ${rule === null ? "NOT REPORTED" : "reported"} after ${seconds} s. ${rule ?? INSERTED[name][0]}`);
  }
  say(`${reported} of ${names.length} faults were reported.`);
  return reported === names.length;
}

/** The first rule that a run with this fault breaks; null: none. */
async function firstBroken(name: FaultName, folder: string): Promise<string | null> {
  const args = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "chaos.ts")];
  const child = spawn(process.execPath, [...args, "--fault", name, "--folder", folder, ...SIZE], { stdio: "ignore" });
  process.once("exit", () => child.kill());
  const ended = once(child, "exit").then(() => true);
  for (let before: string[] = []; ;) {
    const isOver = await Promise.race([ended, delay(LOOK_EVERY, false)]);
    // Until the run begins there is no journal.
    const { rules } = judge(await readFile(join(folder, "journal.jsonl"), "utf8").catch(() => ""));
    const broken = rules.flatMap(({ promise, says, violations }) => (violations[0] ? [`${promise}: ${says}`] : []));
    const [first = null] = isOver ? broken : broken.filter((rule) => before.includes(rule));
    before = broken;
    if (!isOver && first === null) continue;
    child.kill();
    await ended;
    return first;
  }
}
