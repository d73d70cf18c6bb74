/** Faults between the gateway and those who call it. */
import { setTimeout as delay } from "node:timers/promises";
import type { Door, Weather } from "../gateway/door.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";
import { AT_ONCE, type Cause, type Occurrence } from "./cause.ts";

export const cut: Cause = (world, random) =>
  weather(world, random, () => ({ kind: "cut", share: 0.1 + random.next() * 0.6, random: random.of("share") }));

export const delayed: Cause = (world, random) =>
  weather(world, random, () => ({ kind: "delay", milliseconds: random.between(50, 2_500) }));

export const drop: Cause = (world, random) =>
  weather(world, random, (over) => ({ kind: "drop", over, isLate: random.chance(0.6) }));

/** A till's request arrives twice, or a terminal sends its frames twice. */
export const duplicate: Cause = (world, random) => {
  const milliseconds = random.between(2_000, 10_000);
  if (random.chance(0.5)) {
    const terminal = random.pick(world.working);
    return {
      target: terminal.terminalId,
      turns: AT_ONCE,
      async happen() {
        terminal.mischief.doubles = 0.5;
        await delay(milliseconds);
        terminal.mischief.doubles = 0;
      },
    };
  }
  const { account } = random.pick(world.open);
  return {
    target: account.posId,
    turns: AT_ONCE,
    async happen() {
      for (let left = milliseconds; left > 0; left -= 500) {
        account.door.replay(random);
        await delay(500);
      }
    },
  };
};

/** Hits one terminal, one shop, or everybody. */
function weather(world: World, random: Random, make: (over: Promise<void>) => Weather): Occurrence {
  const { doors, ...who } = whom(world, random);
  const milliseconds = random.between(1_000, 12_000);
  return {
    ...who,
    turns: AT_ONCE,
    async happen() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const mine = make(promise);
      for (const door of doors) door.weather = mine;
      await delay(milliseconds);
      for (const door of doors) if (door.weather === mine) door.weather = { kind: "clear" };
      resolve();
    },
  };
}

function whom(world: World, random: Random): { target?: string; doors: readonly Door[] } {
  const kind = random.next();
  const accounts = world.open.map(({ account }) => account);
  if (kind < 0.06) return { doors: [...accounts, ...world.working.map(({ identity }) => identity)].map(doorOf) };
  if (kind < 0.45) {
    const { posId: target, door } = random.pick(accounts);
    return { target, doors: [door] };
  }
  const { terminalId: target, door } = random.pick(world.working).identity;
  return { target, doors: [door] };
}

function doorOf({ door }: { door: Door }): Door {
  return door;
}
