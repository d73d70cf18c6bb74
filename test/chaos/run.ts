/** One run: the shops open, faults come and go, and at the end everything is quiet. */
import { setTimeout as delay } from "node:timers/promises";
import { end } from "./ending/ending.ts";
import { faultOf, HALF_OMITTED, omittedHere } from "./faults/faults.ts";
import { ROOT } from "./gateway/gateway.ts";
import type { JournalFile } from "./journal-file.ts";
import { isFault } from "./journal.ts";
import { ACTIONS } from "./operator/actions.ts";
import type { Options } from "./options.ts";
import { planOf, type Step } from "./plan.ts";
import { streamOf } from "./random.ts";
import { playScenes } from "./scenes.ts";
import { INSERTED, projectWith } from "./self-test/faults.ts";
import { Turns } from "./turns.ts";
import { type Say, World } from "./world.ts";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

const PROGRESS_EVERY = 10_000;

/** @param folder for the gateway's data and log */
export async function run(options: Options, folder: string, journal: JournalFile, say: Say): Promise<void> {
  const { seconds, seed, fault: inserted } = options;
  const random = streamOf(seed);
  const omitted = await omittedHere();
  const root = await projectWith(inserted, folder);
  say(inserted === null ? "Starting the gateway …" : `Starting a broken gateway. ${INSERTED[inserted].says}`);
  const world = await World.begin(folder, root, journal, random.of("world"));
  try {
    await world.openAll(options.accounts, options.terminals);
    journal.write({
      kind: "run.started",
      date: new Date().toISOString().slice(0, 10),
      versions: versions(),
      seed,
      seconds,
      terminals: world.terminals.map(({ terminalId }) => terminalId),
      accounts: world.shops.map(({ account }) => account.posId),
      omitted: [...omitted, HALF_OMITTED],
    });
    for (const { fault, why } of omitted) say(`Left out: ${fault}, because ${why}.`);
    const steps = planOf(
      random.of("plan"),
      seconds * 1_000,
      omitted.map(({ fault }) => fault),
    );
    say(
      `${world.terminals.length} terminals at ${world.shops.length} accounts, ${steps.length} disturbances, seed ${seed}.`,
    );
    const progress = setInterval(() => say(progressOf(journal)), PROGRESS_EVERY);
    try {
      for (const shop of world.shops) shop.work(world.closing.signal);
      await Promise.all([
        disturb(world, steps, seconds * 1_000, say),
        playScenes(world, random.of("scenes"), seconds * 1_000, say),
      ]);
      await world.gateway.revive();
      await end(world, say);
    } finally {
      clearInterval(progress);
    }
  } finally {
    await world.gateway.kill();
  }
}

/** Takes every step at its time. Resolves when the time is over and nothing is disturbed any more. */
async function disturb(world: World, steps: readonly Step[], milliseconds: number, say: Say): Promise<void> {
  const began = performance.now();
  const operator = new Turns();
  const doing: Promise<void>[] = [];
  let isOver = false;
  for (const { at, kind, random } of steps) {
    await delay(Math.max(0, at - (performance.now() - began)));
    const { turns = new Turns(), happen } = isFault(kind)
      ? faultOf(world, kind, random)
      : { turns: operator, happen: async () => ACTIONS[kind](world, random) };
    const work = async (): Promise<void> => {
      // On a busy machine some wait for their turn when the time is over.
      if (isOver) return;
      // A process may end while a fault is about to hit it, and an operator's patience also. A long run continues.
      await happen().catch((error: unknown) => say(`It did not come about as planned (${kind}): ${String(error)}`));
    };
    doing.push(turns.take(work));
  }
  await delay(Math.max(0, milliseconds - (performance.now() - began)));
  isOver = true;
  await Promise.all(doing);
}

function progressOf(journal: JournalFile): string {
  const asked = journal.count("till.asked");
  const answered = journal.count("till.answered");
  const ended = journal.count("terminal.ended");
  const faults = journal.count("fault.began");
  return `${asked} requests, ${answered} answers, ${ended} payments ended at terminals, ${faults} faults`;
}

function versions(): Record<string, string> {
  const { stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return {
    // Not every copy is a clone.
    gateway: stdout?.trim() || "unknown",
    Node: process.versions.node,
    wrangler: versionOf("wrangler"),
    workerd: versionOf("workerd"),
  };
}

function versionOf(name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version;
}
