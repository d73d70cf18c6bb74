/** Every fault, how it is caused, and which of them this machine cannot cause. */
import { setTimeout as delay } from "node:timers/promises";
import type { Door, Weather } from "../gateway/door.ts";
import type { JournalFile } from "../journal-file.ts";
import type { Fault } from "../journal.ts";
import type { Random } from "../random.ts";
import type { Turns } from "../turns.ts";
import type { World } from "../world.ts";
import { fillDisk, lockDatabase, whyNoFullDisk } from "./storage.ts";

interface Occurrence {
  /** The terminal or account; absent: everybody. */
  target?: string;
  /** Whose turn it waits for, so that two faults do not undo each other; absent: it may happen beside others. */
  turns?: Turns;
  happen: () => Promise<void>;
}

type Cause = (world: World, random: Random) => Occurrence;

const CAUSES: Readonly<Record<Fault, Cause>> = {
  kill: ofGateway(async ({ gateway }, random) => {
    await gateway.kill();
    await delay(random.between(0, 2_000));
    await gateway.restart();
  }),

  restart: ofGateway(async ({ gateway }) => {
    await gateway.end();
    await gateway.restart();
  }),

  /** Every process of it stands still, as on a machine that is moved or starved. */
  stop: ofGateway(async ({ gateway }, random) => {
    gateway.signal("SIGSTOP");
    await delay(random.between(500, 9_000));
    gateway.signal("SIGCONT");
    await gateway.revive();
  }),

  disk: ofGateway(async ({ gateway }, random) => {
    const empty = await fillDisk(gateway);
    await delay(random.between(1_000, 6_000));
    await empty();
    await gateway.revive();
  }),

  database: ofGateway(async ({ gateway }, random) => {
    const unlock = await lockDatabase(gateway.dataFolder);
    await delay(random.between(1_000, 12_000));
    unlock();
    await gateway.revive();
  }),

  cut: weather((random) => ({ kind: "cut", share: 0.1 + random.next() * 0.6, random: random.of("share") })),
  delay: weather((random) => ({ kind: "delay", milliseconds: random.between(50, 2_500) })),
  drop: weather((random, over) => ({ kind: "drop", over, isLate: random.chance(0.6) })),

  /** A till's request arrives twice, or a terminal sends its frames twice. */
  duplicate: (world, random) => {
    const milliseconds = random.between(2_000, 10_000);
    if (random.chance(0.5)) {
      const { terminalId: target, mischief } = random.pick(world.working);
      const happen = async (): Promise<void> => {
        mischief.doubles = 0.5;
        await delay(milliseconds);
        mischief.doubles = 0;
      };
      return { target, happen };
    }
    const { posId: target, door } = random.pick(world.open).account;
    const happen = async (): Promise<void> => {
      for (let left = milliseconds; left > 0; left -= 500) {
        door.replay(random);
        await delay(500);
      }
    };
    return { target, happen };
  },

  power: dark(() => undefined),
  memory: dark((terminal) => terminal.forget()),

  /** Somebody sets a clock wrongly. The device notices when the gateway refuses its time. */
  clock: (world, random) => {
    const { identity } = random.pick(world.working);
    const { account, tills } = random.pick(world.open);
    const isTerminal = random.chance(0.5);
    const { clock } = isTerminal ? identity : random.pick(tills);
    const offset = (random.chance(0.5) ? 1 : -1) * random.between(60, 100_000) * 1_000;
    return {
      target: isTerminal ? identity.terminalId : account.posId,
      async happen() {
        clock.offset = offset;
        // Only a login shows the gateway a terminal's clock.
        if (isTerminal) identity.door.cutAll();
        await delay(random.between(2_000, 10_000));
        clock.offset = 0;
      },
    };
  },

  receiver: ({ open }, random) => {
    const { account, receiver } = random.pick(open);
    return {
      target: account.posId,
      turns: receiver.turns,
      async happen() {
        receiver.manner = random.pick(["fails", "hangs", "late"] as const);
        await delay(random.between(2_000, 20_000));
        receiver.manner = "takes";
      },
    };
  },
};

function ofGateway(happen: (world: World, random: Random) => Promise<void>): Cause {
  return (world, random) => ({ turns: world.gatewayTurns, happen: async () => happen(world, random) });
}

/** Hits what is between the gateway and one terminal, one shop, or everybody. */
function weather(make: (random: Random, over: Promise<void>) => Weather): Cause {
  return (world, random) => {
    const { doors, ...who } = whom(world, random);
    const milliseconds = random.between(1_000, 12_000);
    return {
      ...who,
      async happen() {
        const { promise, resolve } = Promise.withResolvers<void>();
        const mine = make(random, promise);
        for (const door of doors) door.weather = mine;
        await delay(milliseconds);
        for (const door of doors) if (door.weather === mine) door.weather = { kind: "clear" };
        resolve();
      },
    };
  };
}

function whom(world: World, random: Random): { target?: string; doors: readonly Door[] } {
  const kind = random.next();
  const accounts = world.open.map(({ account }) => account);
  if (kind < 0.06) {
    return { doors: [...accounts, ...world.working.map(({ identity }) => identity)].map(({ door }) => door) };
  }
  if (kind < 0.45) {
    const { posId: target, door } = random.pick(accounts);
    return { target, doors: [door] };
  }
  const { terminalId: target, door } = random.pick(world.working).identity;
  return { target, doors: [door] };
}

/** A terminal without power. */
function dark(meanwhile: (terminal: World["terminals"][number]) => void): Cause {
  return ({ working }, random) => {
    const terminal = random.pick(working);
    return {
      target: terminal.terminalId,
      turns: terminal.turns,
      async happen() {
        await terminal.switchOff();
        meanwhile(terminal);
        await delay(random.chance(0.3) ? random.between(5_000, 20_000) : random.between(0, 2_000));
        terminal.switchOn();
      },
    };
  };
}

/** Faults that cannot be caused at all here. */
export async function omittedHere(): Promise<{ fault: Fault; why: string }[]> {
  const why = await whyNoFullDisk();
  return why === null ? [] : [{ fault: "disk", why }];
}

export const HALF_OMITTED = {
  fault: "clock",
  why: "The gateway's own clock does not jump, as it is the machine's. Those of tills and terminals do.",
} as const;

/** Milliseconds of business between two faults of the gateway as a whole. */
const BREATHER = 6_000;

/** A fault that is in the journal while it happens, and whose turn it waits for. */
export function faultOf(world: World, fault: Fault, random: Random): Pick<Occurrence, "turns" | "happen"> {
  const { target, turns, happen } = CAUSES[fault](world, random);
  const journaling = async (): Promise<void> => {
    await journaled(world.journal, { fault, ...(target === undefined ? {} : { target }) }, happen);
    // On a busy machine a start takes so long that the next fault already waits.
    if (turns === world.gatewayTurns) await delay(BREATHER);
  };
  return { ...(turns === undefined ? {} : { turns }), happen: journaling };
}

/** Writes into the journal that a fault is active while something happens. Throws what that throws. */
export async function journaled(
  journal: JournalFile,
  about: { fault: Fault; target?: string },
  happen: () => Promise<void>,
): Promise<void> {
  const id = journal.count("fault.began") + 1;
  journal.write({ kind: "fault.began", ...about, id });
  try {
    await happen();
  } finally {
    journal.write({ kind: "fault.ended", ...about, id });
  }
}
