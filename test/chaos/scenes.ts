/** What a run does not leave to chance: scenes in which a promise might break, and which hardly ever come by themselves. */
import { setTimeout as delay } from "node:timers/promises";
import { resolveAgainst } from "./operator/resolving.ts";
import type { Random } from "./random.ts";
import type { Manner } from "./terminal/mischief.ts";
import type { Kept } from "./terminal/book.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { Say, World } from "./world.ts";
import { until } from "./turns.ts";
import { journaled } from "./faults/faults.ts";

/** Milliseconds that a scene may take when nothing disturbs any more: a payment comes. */
const PATIENCE = 180_000;
const PAYMENT_WITHIN = 30_000;

/** From a request's `respondBy` to its end, and some more. */
const PAST_THE_END = 17_000;

/** Plays all scenes at the same time, while everything else goes on: for so many milliseconds with disturbances. */
export async function playScenes(world: World, random: Random, milliseconds: number, say: Say): Promise<void> {
  const within = milliseconds + PATIENCE;
  const decide: Meanwhile = async (terminal, kept) => resolveAgainst(world, terminal, kept);
  const scenes = {
    "a terminal is lost across a request's end": lost(world, random.of("lost"), within, async () => undefined),
    "an operator decides against a lost terminal": lost(world, random.of("decided"), within, decide),
    "a second result has another status": contradicted(world, "status", within),
    "a second result has another amount": contradicted(world, "amount", within),
  };
  await Promise.all(
    Object.entries(scenes).map(async ([name, scene]) =>
      scene.catch((error: unknown) => say(`A scene did not come about (${name}): ${String(error)}`)),
    ),
  );
}

/** Throws if the scene does not come about. */
type Meanwhile = (terminal: Terminal, kept: Kept) => Promise<void>;

/** A terminal loses its power when its host has moved money, and is back after the request's end. */
async function lost(world: World, random: Random, within: number, meanwhile: Meanwhile): Promise<void> {
  await until("a terminal to lose", within, async () => {
    const terminal = random.pick(world.working);
    return terminal.turns.take(async () => {
      const kept = world.retired.has(terminal) ? null : await terminal.stopsAtHost(PAYMENT_WITHIN);
      if (kept === null) return null;
      let isComplete = true;
      await journaled(world.journal, { fault: "power", target: terminal.terminalId }, async () => {
        await terminal.switchOff();
        await delay(Math.max(0, terminal.left(kept) + PAST_THE_END));
        await meanwhile(terminal, kept).catch(() => (isComplete = false));
        terminal.switchOn();
      });
      return isComplete ? true : null;
    });
  });
}

async function contradicted(world: World, manner: Manner, within: number): Promise<void> {
  const tooLate = delay(within).then(() => {
    throw new Error("no second result was acknowledged");
  });
  // One of them may be deleted, or sell nothing: the first that comes about is enough.
  await Promise.race([tooLate, ...world.working.map(async (terminal) => terminal.contradicts(manner))]);
}
