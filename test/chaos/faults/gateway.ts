/** Faults of the gateway as a whole. */
import { setTimeout as delay } from "node:timers/promises";
import type { Cause } from "./cause.ts";
import { fillDisk, lockDatabase } from "./storage.ts";

/** A power cut, and the start after it. */
export const kill: Cause = ({ gateway, gatewayTurns }, random) => ({
  turns: gatewayTurns,
  async happen() {
    await gateway.kill();
    await delay(random.between(0, 2_000));
    await gateway.restart();
  },
});

/** An update: it is asked to end, and started again. */
export const restart: Cause = ({ gateway, gatewayTurns }) => ({
  turns: gatewayTurns,
  async happen() {
    await gateway.end();
    await gateway.restart();
  },
});

/** Every process of it stands still, as on a machine that is moved or starved. */
export const stop: Cause = ({ gateway, gatewayTurns }, random) => ({
  turns: gatewayTurns,
  async happen() {
    gateway.signal("SIGSTOP");
    await delay(random.between(500, 9_000));
    gateway.signal("SIGCONT");
    await gateway.revive();
  },
});

export const disk: Cause = ({ gateway, gatewayTurns }, random) => ({
  turns: gatewayTurns,
  async happen() {
    const empty = await fillDisk(gateway);
    await delay(random.between(1_000, 6_000));
    await empty();
    await gateway.revive();
  },
});

export const database: Cause = ({ gateway, gatewayTurns }, random) => ({
  turns: gatewayTurns,
  async happen() {
    const unlock = await lockDatabase(gateway.dataFolder);
    await delay(random.between(1_000, 12_000));
    unlock();
    await gateway.revive();
  },
});
