/** What disturbs a run and when, which follows from its seed, and the scenes that hardly ever come by chance. */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/sdk/simulator/random.ts";
import type { Weather } from "./door.ts";
import type { Gateway } from "./gateway.ts";
import { between, type Say, Turns, until } from "./journal.ts";
import { ACTIONS, type Action, resolveAgainst } from "./operator.ts";
import type { Terminal } from "./terminal.ts";
import type { World } from "./world.ts";

type Cause = (world: World, random: Random, fault: string) => Promise<void>;

/** One at a time, with milliseconds of business between two of them. */
function ofGateway(happen: (gateway: Gateway, random: Random) => Promise<void>): Cause {
  return async ({ gateway, gatewayTurns, journal }, random, fault) =>
    gatewayTurns.take(async () => {
      await journal.during(fault, "all", async () => happen(gateway, random));
      await delay(3_000);
    });
}

/** A fault that lasts at most so many milliseconds. `begin` returns what it affects, and how to end it. */
function lasting(
  most: number,
  begin: (world: World, random: Random) => readonly [who: string, end: () => void],
): Cause {
  return async (world, random, fault) => {
    const [who, end] = begin(world, random);
    await world.journal.during(fault, who, async () => delay(between(random, 1_000, most)));
    end();
  };
}

/** Hits what is between the gateway and one terminal or one shop. */
function weather(make: (random: Random, over: Promise<void>) => Weather): Cause {
  return lasting(12_000, (world, random) => {
    const { account } = random.pick(world.open);
    const terminal = random.pick(world.working);
    const { door } = random.chance(0.45) ? account : terminal;
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = make(random, promise);
    door.weather = mine;
    const end = (): void => {
      if (door.weather === mine) door.weather = { kind: "clear" };
      resolve();
    };
    return [door === account.door ? account.posId : terminal.terminalId, end];
  });
}

function dark(meanwhile: (terminal: Terminal) => void): Cause {
  return async (world, random, fault) => {
    const terminal = random.pick(world.working);
    await terminal.turns.take(async () =>
      world.journal.during(fault, terminal.terminalId, async () => {
        terminal.switchOff();
        meanwhile(terminal);
        await delay(random.chance(0.3) ? between(random, 5_000, 20_000) : between(random, 0, 2_000));
        await terminal.switchOn();
      }),
    );
  };
}

const FAULTS = {
  kill: ofGateway(async (gateway, random) => {
    await gateway.kill();
    await delay(between(random, 0, 2_000));
    await gateway.restart();
  }),
  restart: ofGateway(async (gateway) => gateway.end().then(async () => gateway.restart())),
  /** It stands still, as on a machine that is moved or starved. */
  stop: ofGateway(async (gateway, random) => {
    gateway.signal("SIGSTOP");
    await delay(between(random, 500, 9_000));
    gateway.signal("SIGCONT");
    await gateway.revive();
  }),
  database: ofGateway(async (gateway, random) => {
    const unlock = await gateway.lockDatabase();
    await delay(between(random, 1_000, 12_000));
    unlock();
    await gateway.revive();
  }),
  cut: weather((random) => ({ kind: "cut", share: 0.1 + random.next() * 0.6, random })),
  delay: weather((random) => ({ kind: "delay", milliseconds: between(random, 50, 2_500) })),
  drop: weather((random, over) => ({ kind: "drop", over, isLate: random.chance(0.6) })),
  /** A POS's messages arrive twice, or a terminal sends its frames twice. */
  duplicate: lasting(10_000, (world, random) => {
    const { account } = random.pick(world.open);
    const terminal = random.pick(world.working);
    const doubled = random.chance(0.5) ? account : terminal;
    doubled.doubles = 0.5;
    return [doubled === account ? account.posId : terminal.terminalId, () => (doubled.doubles = 0)];
  }),
  power: dark(() => undefined),
  memory: dark((terminal) => terminal.forget()),
  /** Somebody sets the clock of a POS wrongly, and right again. */
  clock: lasting(10_000, (world, random) => {
    const { session } = random.pick(random.pick(world.open).poses);
    session.ahead = (random.chance(0.5) ? 1 : -1) * between(random, 60, 100_000) * 1_000;
    return [session.account.posId, () => (session.ahead = 0)];
  }),
  receiver: lasting(20_000, (world, random) => {
    const shop = random.pick(world.open);
    shop.receiver = random.pick(["fails", "hangs"]);
    return [shop.account.posId, () => (shop.receiver = "takes")];
  }),
} as const satisfies Record<string, Cause>;

type Kind = keyof typeof FAULTS | Action;

/** Three series beside each other: their kinds as often as they come, and the milliseconds between two of them. */
const PLAN: readonly (readonly [kinds: string, least: number, most: number])[] = [
  ["kill kill kill restart stop stop database database", 6_000, 16_000],
  ["cut cut cut delay duplicate duplicate drop drop power power power memory clock receiver", 500, 4_000],
  ["suspend suspend rotate rotate password rebind rebind zone resolve resolve delete master-keys", 4_000, 10_000],
];

/** All steps of a run, in the order of time: `at` milliseconds after the shops have opened. */
export function planOf(random: Random, milliseconds: number): { kind: Kind; at: number }[] {
  const steps = PLAN.flatMap(([kinds, least, most]) => {
    const own: { kind: Kind; at: number }[] = [];
    // From a bag: each kind comes as often as planned, also in a short run.
    let bag: string[] = [];
    for (let at = random.below(most); at < milliseconds; at += between(random, least, most)) {
      if (bag.length === 0) bag = kinds.split(" ");
      own.push({ kind: bag.splice(random.below(bag.length), 1)[0] as Kind, at });
    }
    return own;
  });
  return steps.toSorted((one, other) => one.at - other.at);
}

/** Takes every step of the plan at its time. Resolves when the time is over and nothing is disturbed any more. */
export async function disturb(world: World, milliseconds: number, say: Say): Promise<void> {
  const began = performance.now();
  const operatorTurns = new Turns();
  const doing: Promise<void>[] = [];
  let isOver = false;
  for (const [index, { at, kind }] of planOf(world.random("plan"), milliseconds).entries()) {
    await delay(Math.max(0, at - (performance.now() - began)));
    const happen = async (): Promise<void> => {
      // On a busy machine some wait for their turn when the time is over.
      if (isOver) return;
      const work: Cause = { ...FAULTS, ...ACTIONS }[kind];
      // A process may end while a fault is about to hit it, and an operator's patience also.
      await work(world, world.random("step", index), kind).catch((error: unknown) => say(`${kind}: ${String(error)}`));
    };
    doing.push(kind in ACTIONS ? operatorTurns.take(happen) : happen());
  }
  await delay(Math.max(0, milliseconds - (performance.now() - began)));
  isOver = true;
  await Promise.all(doing);
}

/** Milliseconds that scenes may take when nothing disturbs any more, and that a terminal waits for a payment. */
const SCENE_PATIENCE = 120_000;
const PAYMENT_WITHIN = 10_000;

/** Milliseconds from a request's `respondBy` to its end, and some more. */
const PAST_THE_END = 17_000;

/** Plays all scenes at the same time, while everything else goes on: for so many milliseconds with disturbances. */
export async function playScenes(world: World, milliseconds: number, say: Say): Promise<void> {
  const within = milliseconds + SCENE_PATIENCE;
  const scenes = {
    "a terminal is lost across a request's end": lost(world, "lost", within, async () => undefined),
    "an operator decides against a lost terminal": lost(world, "decided", within, resolveAgainst),
    // One of them may be deleted, or sell nothing: the first that comes about is enough.
    "a second result contradicts the first": Promise.race([
      until("a second result is acknowledged", within, () => false),
      ...world.working.map(async (terminal) => terminal.contradicts()),
    ]),
  };
  const missing = (name: string) => (error: unknown) => say(`A scene did not come about (${name}): ${String(error)}`);
  await Promise.all(Object.entries(scenes).map(async ([name, scene]) => scene.catch(missing(name))));
}

/** A terminal loses its power when its host has moved money, and is back after the request's end. */
async function lost(world: World, name: string, within: number, meanwhile: typeof resolveAgainst): Promise<void> {
  const random = world.random(name);
  await until("a terminal to lose", within, async () => {
    const terminal = random.pick(world.working);
    return terminal.turns.take(async () => {
      const request = world.retired.has(terminal) ? null : await terminal.stopsAtHost(PAYMENT_WITHIN);
      if (request === null) return false;
      let isComplete = true;
      await world.journal.during("power", terminal.terminalId, async () => {
        terminal.switchOff();
        await delay(Math.max(0, request.respondBy - Date.now() + PAST_THE_END));
        await meanwhile(world, terminal, request.requestId).catch(() => (isComplete = false));
        await terminal.switchOn();
      });
      return isComplete;
    });
  });
}
