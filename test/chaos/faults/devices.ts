/** Faults of what stands in the shops. */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Manner } from "../shop/receiver.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { AT_ONCE, type Cause } from "./cause.ts";

export const power: Cause = ({ working }, random) => {
  const terminal = random.pick(working);
  return {
    target: terminal.terminalId,
    turns: terminal.turns,
    happen: async () => dark(terminal, random),
  };
};

export const memory: Cause = ({ working }, random) => {
  const terminal = random.pick(working);
  return {
    target: terminal.terminalId,
    turns: terminal.turns,
    happen: async () => dark(terminal, random, () => terminal.forget()),
  };
};

async function dark(terminal: Terminal, random: Random, meanwhile?: () => void): Promise<void> {
  await terminal.switchOff();
  meanwhile?.();
  await delay(random.chance(0.3) ? random.between(5_000, 20_000) : random.between(0, 2_000));
  terminal.switchOn();
}

/** Somebody sets a clock wrongly. The device notices when the gateway refuses its time. */
export const clock: Cause = (world, random) => {
  const terminal = random.pick(world.working);
  const { account, tills } = random.pick(world.open);
  const isTerminal = random.chance(0.5);
  const device = isTerminal ? terminal.identity : random.pick(tills);
  const offset = (random.chance(0.5) ? 1 : -1) * random.between(60, 100_000) * 1_000;
  return {
    target: isTerminal ? terminal.terminalId : account.posId,
    turns: AT_ONCE,
    async happen() {
      device.clock.offset = offset;
      // Only a login shows the gateway a terminal's clock.
      if (isTerminal) terminal.identity.door.cutAll();
      await delay(random.between(2_000, 10_000));
      device.clock.offset = 0;
    },
  };
};

const MANNERS: readonly Manner[] = ["fails", "hangs", "late"];

export const receiver: Cause = ({ open }, random) => {
  const shop = random.pick(open);
  return {
    target: shop.account.posId,
    turns: shop.receiver.turns,
    async happen() {
      shop.receiver.manner = random.pick(MANNERS);
      await delay(random.between(2_000, 20_000));
      shop.receiver.manner = "takes";
    },
  };
};
