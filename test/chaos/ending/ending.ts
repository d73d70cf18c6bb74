/** The end of a run: nothing disturbs any more, and everything that is open must end well. */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { moveZone } from "../operator/actions.ts";
import { resolveAgain, resolveSome } from "../operator/resolving.ts";
import type { Say, World } from "../world.ts";
import { readdir, readFile, stat } from "node:fs/promises";
import type { Needles } from "../journal-file.ts";

/** A back-off, a request's life and a webhook's retry take less, also on a busy machine. */
const PATIENCE = 180_000;

const GOOD_TIMES = 15_000;

export async function end(world: World, say: Say): Promise<void> {
  world.journal.write({ kind: "quiet.began" });
  say("The faults are over. The shops go on for a while.");
  for (const till of world.shops.flatMap(({ tills }) => tills)) till.isPatient = true;
  await lastChances(world);
  world.closing.abort();
  say("The shops close. The tills clear up.");
  await Promise.all(world.shops.map(async (shop) => shop.worked()));
  await eventually(() => world.working.every(({ isConnected, isDone }) => isConnected && isDone));
  await eventually(async () => isCleared(world));
  await Promise.all(world.open.flatMap(({ tills }) => tills).map(async (till) => till.askAgain()));
  say(`Still open: ${stillOpen(world)}. Feeds, webhooks and journals are read.`);
  // A delivery that failed waits up to three hours, or until its shop asks for it.
  await Promise.all(world.open.map(async (shop) => eventually(async () => shop.isDelivered())));
  for (const shop of world.open) await shop.readAgain();
  await readJournals(world);
  await Promise.all(world.terminals.map(async (terminal) => terminal.switchOff()));
  for (const { receiver } of world.shops) receiver.close();
  await world.gateway.end();
  await lookForSecrets(world);
}

/**
 * What the operator may not have come to: it closes the first day of each account, where the shops go on for a while and then
 * have that day again, and tries to change what is final.
 */
async function lastChances(world: World): Promise<void> {
  for (const shop of world.open) if (!shop.account.isEast) await moveZone(world, shop);
  await delay(GOOD_TIMES / 2);
  for (const shop of world.open) await moveZone(world, shop);
  await delay(GOOD_TIMES / 2);
  for (let tries = 5; tries > 0 && !(await resolveAgain(world, world.random.of(`again ${tries}`))); tries--);
}

function stillOpen({ shops }: World): number {
  return shops.flatMap(({ tills }) => tills).reduce((sum, till) => sum + till.open.length, 0);
}

/** Whether the tills know every outcome. What no terminal decides, the operator does before they ask again. */
async function isCleared(world: World): Promise<boolean> {
  await Promise.all(world.open.flatMap(({ tills }) => tills).map(async (till) => till.clearUp()));
  if (stillOpen(world) === 0) return true;
  await resolveSome(world, Number.POSITIVE_INFINITY, true);
  return false;
}

/** What does not come in time is the checker's business. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = performance.now() + PATIENCE; !(await holds()) && performance.now() < until;) await delay(1_000);
}

async function readJournals({ terminals, operator, journal }: World): Promise<void> {
  for (const { terminalId } of terminals) {
    const rows = await operator.list(`/terminals/${terminalId}/transactions`);
    if (rows !== null) journal.write({ kind: "operator.journal", terminalId, rows });
  }
}

async function lookForSecrets({ gateway, needles, journal }: World): Promise<void> {
  for (const [place, path] of Object.entries({ log: gateway.logPath, storage: gateway.dataFolder })) {
    journal.write({ kind: "searched", place, needles: needles.size, ...(await search(path, needles)) });
  }
}

/** Texts are told apart by their beginning. */
const BEGINNING = 8;

/** Searches every file below a folder, or one file. `found`: names, never texts. */
export async function search(path: string, needles: Needles): Promise<{ bytes: number; found: string[] }> {
  const byBeginning = Map.groupBy(needles.names, ([text]) => text.slice(0, BEGINNING));
  const found = new Set<string>();
  let bytes = 0;
  for (const file of await filesBelow(path)) {
    const content = await readFile(file, "latin1");
    bytes += content.length;
    for (const name of foundIn(content, byBeginning)) found.add(name);
  }
  return { bytes, found: [...found] };
}

function* foundIn(content: string, byBeginning: ReadonlyMap<string, [string, string][]>): Generator<string> {
  const firsts = new Set([...byBeginning.keys()].map((beginning) => beginning.charCodeAt(0)));
  for (let at = 0; at <= content.length - BEGINNING; at++) {
    if (!firsts.has(content.charCodeAt(at))) continue;
    for (const [text, name] of byBeginning.get(content.slice(at, at + BEGINNING)) ?? []) {
      if (content.startsWith(text, at)) yield name;
    }
  }
}

async function filesBelow(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
