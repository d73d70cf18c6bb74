/** What the operator does beside the shops. */
import { setTimeout as delay } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import { journaled } from "../faults/faults.ts";
import type { OperatorAction } from "../journal.ts";
import type { Action } from "../plan.ts";
import type { Random } from "../random.ts";
import { zoneAhead } from "../shop/clock.ts";
import type { Shop } from "../shop/shop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Reply } from "../wire/http.ts";
import type { World } from "../world.ts";
import { resolveAgain, resolveHastily, resolveSome } from "./resolving.ts";

type Work = (world: World, random: Random) => Promise<void>;

export const ACTIONS: Readonly<Record<Action, Work>> = {
  /** A suspended shop sells nothing. Afterwards it goes on. */
  async suspend(world, random) {
    const { account } = random.pick(world.open);
    if (account.state !== "active") return;
    account.state = "suspended";
    await insist(world, "suspend", account.posId, ["PATCH", `/accounts/${account.posId}`, { status: "suspended" }]);
    await delay(random.between(1_000, 10_000));
    await insist(world, "resume", account.posId, ["PATCH", `/accounts/${account.posId}`, { status: "active" }]);
    account.state = "active";
  },

  async rotate(world, random) {
    const { account } = random.pick(world.open);
    const body = { revokePrevious: random.chance(0.3) };
    const path = `/accounts/${account.posId}/signing-key`;
    const reply = await insist(world, "rotate", account.posId, ["POST", path, body]);
    const key = reply?.body["signingKey"];
    if (typeof key !== "string") return;
    world.needles.add("signing key", key);
    account.key = key;
  },

  /** Mostly the gateway draws a new password. People would not choose the other. */
  async password(world, random) {
    const { account } = random.pick(world.open);
    const { posId } = account;
    const chosen = random.chance(0.25) ? `pw-${randomBytes(15).toString("base64url")}` : null;
    if (chosen !== null) account.passwords = [chosen, ...account.passwords];
    const reply = await (chosen === null
      ? insist(world, "password", posId, ["POST", `/accounts/${posId}/password`])
      : insist(world, "password", posId, ["PATCH", `/accounts/${posId}`, { password: chosen }]));
    const next = chosen ?? reply?.body["password"];
    world.needles.add("password", next);
    if (reply !== null && typeof next === "string") account.passwords = [next];
  },

  async rebind(world, random) {
    const terminal = random.pick(world.working);
    const to = random.pick(world.open);
    await terminal.turns.take(async () => {
      if (world.retired.has(terminal) || to.account.state !== "active") return;
      await move(world, terminal, to);
    });
  },

  async zone(world, random) {
    await moveZone(world, random.pick(world.open));
  },

  /** Mostly with care. */
  async resolve(world, random) {
    const kind = random.next();
    if (kind < 0.4) await resolveSome(world, 3, false);
    else if (kind < 0.7) await resolveHastily(world, random);
    else await resolveAgain(world, random);
  },

  /** Deletes a terminal or an account permanently, and opens another one. */
  async delete(world, random) {
    if (random.chance(0.6)) await deleteTerminal(world, random.pick(world.working));
    else await deleteAccount(world, random.pick(world.open));
  },

  /** A new master key: the gateway starts with it, and encrypts everything again. */
  async "master-keys"(world) {
    await world.gatewayTurns.take(async () => {
      await world.newMasterKey();
      await journaled(world.journal, { fault: "restart" }, async () => {
        await world.gateway.end();
        await world.gateway.restart();
      });
    });
    const noted = { action: "master-keys" as const, target: "all" };
    await world.operator.insist([200], async () => {
      const reply = await world.operator.act(noted, "POST", "/master-keys/reseal");
      const left = (reply.body["left"] ?? []) as { accounts: number; terminals: number }[];
      // Bind keys stay with the old one until they expire.
      const isDone = left.every(({ accounts, terminals }) => accounts === 0 && terminals === 0);
      return isDone ? reply : { ...reply, status: null };
    });
  },
};

/** A call that is in the journal, until it succeeds. 404: an answer was lost, and what it deletes is gone. */
async function insist(
  { operator }: World,
  action: OperatorAction,
  target: string,
  [method, path, body]: [method: string, path: string, body?: object],
): Promise<Reply | null> {
  const statuses = method === "DELETE" || action === "zone" ? [200, 204, 404] : [200, 201];
  return operator.insist(statuses, async () => operator.act({ action, target }, method, path, body));
}

/** Resolves when the terminal is bound there, or cannot be. */
async function move({ operator, shops }: World, terminal: Terminal, to: Shop): Promise<void> {
  const noted = { action: "rebind" as const, target: terminal.terminalId };
  const attempt = async (): Promise<Reply> => operator.record(noted, async () => to.bind(terminal));
  const reply = await operator.insist([200], attempt, 20);
  if (reply === null) return;
  for (const { account } of shops) account.devices.delete(terminal.terminalId);
  to.account.devices.add(terminal.terminalId);
  terminal.account = to.account;
}

/**
 * Two hours further east, the first day of an account is over and closes at once. Back in the west it is that day again,
 * which stays closed.
 */
export async function moveZone(world: World, { account }: Shop): Promise<void> {
  const { posId, hoursAhead, isEast } = account;
  const timezone = zoneAhead(isEast ? hoursAhead : hoursAhead + 2);
  const reply = await insist(world, "zone", posId, ["PATCH", `/accounts/${posId}`, { timezone }]);
  if (reply?.status === 200) account.isEast = !isEast;
}

async function deleteTerminal(world: World, terminal: Terminal): Promise<void> {
  const shop = world.shops.find(({ account }) => account === terminal.account);
  const { terminalId } = terminal;
  await terminal.turns.take(async () => {
    if (world.retired.has(terminal)) return;
    if ((await insist(world, "delete", terminalId, ["DELETE", `/terminals/${terminalId}`])) === null) return;
    world.retired.add(terminal);
    shop?.account.devices.delete(terminalId);
  });
  if (shop !== undefined && world.retired.has(terminal)) await world.openTerminal(shop);
}

async function deleteAccount(world: World, { account, tills }: Shop): Promise<void> {
  if (account.state !== "active") return;
  account.state = "deleted";
  await insist(world, "delete", account.posId, ["DELETE", `/accounts/${account.posId}?force=true`]);
  const next = await world.openShop(tills.length);
  next.work(world.closing.signal);
  for (const terminal of world.working.filter((one) => one.account === account)) {
    await terminal.turns.take(async () => move(world, terminal, next));
  }
}
