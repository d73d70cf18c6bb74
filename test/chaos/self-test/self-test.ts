/** `npm run chaos -- --self-test`: whether a run reports each of ten faults that are put into the gateway, one at a time. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Check } from "../check/check.ts";
import { judge, readJournal } from "../check/judge.ts";
import { type FaultName, INSERTED } from "./faults.ts";
import type { Say } from "../world.ts";

/** A run that is as small as its scenes allow. */
const SIZE = ["--seconds", "30", "--terminals", "4", "--accounts", "2"];

/** A run is judged while it goes on, and ended by a violation that is still one when it is judged the next time. */
const LOOK_EVERY = 4_000;

export async function selfTest(names: readonly FaultName[], folder: string, say: Say): Promise<boolean> {
  let missed = 0;
  for (const name of names) {
    const began = performance.now();
    const found = await violationsOf(name, join(folder, name));
    const seconds = Math.round((performance.now() - began) / 1_000);
    if (found.length === 0) missed += 1;
    const [first] = found;
    say(`${name} (${INSERTED[name].says}): ${first === undefined ? "NOT REPORTED" : "reported"} after ${seconds} s`);
    if (first !== undefined) say(`  ${first.promise}: ${first.says}`);
  }
  say(`${names.length - missed} of ${names.length} faults were reported.`);
  return missed === 0;
}

async function violationsOf(name: FaultName, folder: string): Promise<Check[]> {
  const script = join(import.meta.dirname, "../chaos.ts");
  const args = ["--disable-warning=ExperimentalWarning", script, "--fault", name, "--folder", folder, ...SIZE];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  process.once("exit", () => child.kill());
  const ended = once(child, "exit");
  const journal = join(folder, "journal.jsonl");
  for (let before = new Set<string>(); ;) {
    const isOver = await Promise.race([ended.then(() => true), delay(LOOK_EVERY, false)]);
    // Until the run begins there is no journal.
    const { checks } = judge(await readJournal(journal).catch(() => []));
    const found = checks.filter(({ violations }) => violations.length > 0);
    if (isOver) return found;
    const lasting = found.filter(({ says }) => before.has(says));
    before = new Set(found.map(({ says }) => says));
    if (lasting.length === 0) continue;
    child.kill();
    await ended;
    return lasting;
  }
}
