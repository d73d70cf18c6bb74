/** One run: the shops open, faults come and go, and at the end everything is quiet and what is open must end well. */
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { disturb, playScenes } from "./faults.ts";
import { type Journal, ROOT, type Say, search, until } from "./journal.ts";
import { moveZone, resolveHastily, resolveLost } from "./operator.ts";
import type { Pos } from "./shop.ts";
import { World } from "./world.ts";

export interface Size {
  seconds: number;
  terminals: number;
  accounts: number;
  seed: number;
}

const PROGRESS_EVERY = 10_000;

/** Milliseconds: a back-off, a request's life and a webhook's retry take less, also on a busy machine. */
const PATIENCE = 180_000;

const GOOD_TIMES = 10_000;

/**
 * @param root the project, or a copy of it with a fault
 * @param folder for the gateway's data and log
 */
export async function run(size: Size, root: string, folder: string, journal: Journal, say: Say): Promise<void> {
  const { seconds, seed, terminals, accounts } = size;
  say("Starting the gateway …");
  const world = await World.begin(folder, root, journal, seed);
  try {
    await world.openAll(accounts, terminals);
    journal.write("run", { date: new Date().toISOString().slice(0, 10), ...versions(), ...size });
    const closing = new AbortController();
    say(`${terminals} terminals at ${accounts} accounts, seed ${seed}.`);
    const progress = setInterval(() => say(progressOf(journal)), PROGRESS_EVERY);
    try {
      for (const shop of world.shops) shop.work(closing.signal);
      await Promise.all([disturb(world, seconds * 1_000, say), playScenes(world, seconds * 1_000, say)]);
      await world.gateway.revive();
      await end(world, closing, say);
    } finally {
      clearInterval(progress);
    }
  } finally {
    await world.gateway.kill();
  }
}

async function end(world: World, closing: AbortController, say: Say): Promise<void> {
  const { journal, operator, gateway } = world;
  journal.write("quiet");
  say("The faults are over. The shops go on for a while.");
  for (const pos of allPoses(world)) pos.isPatient = true;
  await lastChances(world);
  closing.abort();
  say("The shops close. The POSes clear up.");
  await Promise.all(world.shops.map(async (shop) => shop.worked()));
  await eventually(() => world.working.every(({ isConnected }) => isConnected));
  await eventually(() => isCleared(world));
  await Promise.all(allPoses(world).map(async (pos) => pos.askAgain()));
  say(`Still open: ${stillOpen(world)}. Events, webhooks, totals and journals are read.`);
  // A delivery that failed waits up to three hours, or until its shop asks for it.
  await Promise.all(world.open.map(async (shop) => eventually(() => shop.isDelivered())));
  await Promise.all(world.open.map(async (shop) => shop.readAgain()));
  for (const terminal of world.terminals) {
    journal.write("rows", { terminalId: terminal.terminalId, rows: await operator.transactions(terminal, Infinity) });
  }
  for (const terminal of world.terminals) await terminal.stop();
  await gateway.end();
  const reported = (await readFile(journal.path, "utf8")).split("\n").filter((line) => REPORTED.test(line));
  const cards = new Map([...journal.needles].filter(([, name]) => name.startsWith("card")));
  const log = await readFile(gateway.logPath, "latin1");
  const stored = await Promise.all(
    (await filesBelow(gateway.dataFolder)).map(async (file) => readFile(file, "latin1")),
  );
  journal.write("searched", { place: "log", ...search([log], journal.needles) });
  journal.write("searched", { place: "storage", ...search(stored, journal.needles) });
  journal.write("searched", { place: "what was reported", ...search(reported, cards) });
}

/** Lines of the journal with what shops and the operator received. */
const REPORTED = /^\{"at":\d+,"kind":"(?:answered|read|delivered|rows)"/u;

/**
 * What the operator may not have come to: it closes the first day of each account, where the shops go on for a while and then
 * have that day again, and tries to change what is final.
 */
async function lastChances(world: World): Promise<void> {
  for (const shop of world.open) if (shop.account.hoursNow === shop.account.hoursAhead) await moveZone(world, shop);
  await delay(GOOD_TIMES / 2);
  for (const shop of world.open) await moveZone(world, shop);
  await delay(GOOD_TIMES / 2);
  for (let tries = 5, status = 0; tries > 0 && status !== 409; tries--)
    status = await resolveHastily(world, false, world.random("again", tries));
}

function allPoses({ open }: World): Pos[] {
  return open.flatMap(({ poses }) => poses);
}

function stillOpen(world: World): number {
  return allPoses(world).reduce((sum, pos) => sum + pos.open.length, 0);
}

/** Whether the POSes know every outcome. What no terminal decides, the operator does before they ask again. */
async function isCleared(world: World): Promise<boolean> {
  await Promise.all(allPoses(world).map(async (pos) => pos.clearUp()));
  await resolveLost(world);
  return stillOpen(world) === 0;
}

/** What does not come in time is the judge's business. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  await until("", PATIENCE, holds).catch(() => undefined);
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function progressOf(journal: Journal): string {
  const [asked, answered, money, faults] = ["asked", "answered", "money", "fault"].map((kind) => journal.count(kind));
  return `${asked} messages, ${answered} answers, ${money} movements of money, ${faults} faults`;
}

function versions(): Record<string, string> {
  const { stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const require = createRequire(import.meta.url);
  const versionOf = (name: string): string => (require(`${name}/package.json`) as { version: string }).version;
  // Not every copy is a clone.
  const gateway = stdout?.trim() || "unknown";
  return { gateway, Node: process.versions.node, workerd: versionOf("workerd") };
}
