/** What the operator does beside the shops. */
import { setTimeout as delay } from "node:timers/promises";
import type { Action } from "../plan.ts";
import type { Random } from "../random.ts";
import { bind } from "../shop/binding.ts";
import { newPassword, type Shop } from "../shop/shop.ts";
import type { World } from "../world.ts";
import { resolveAgain, resolveHastily, resolveSome } from "./resolving.ts";
import type { OperatorReply } from "./operator.ts";
import { zoneAhead } from "../shop/clock.ts";
import { journaled } from "../faults/cause.ts";

type Work = (world: World, random: Random) => Promise<void>;

/** A suspended shop sells nothing. Afterwards it goes on. */
const suspend: Work = async (world, random) => {
  const { account } = random.pick(world.open);
  if (account.state !== "active") return;
  account.state = "suspended";
  const set = async (status: "active" | "suspended"): Promise<OperatorReply | null> => {
    const action = status === "active" ? "resume" : "suspend";
    return world.operator.insist([200], async () =>
      world.operator.act({ action, target: account.posId }, "PATCH", `/accounts/${account.posId}`, { status }),
    );
  };
  await set("suspended");
  await delay(random.between(1_000, 10_000));
  await set("active");
  account.state = "active";
};

const rotate: Work = async (world, random) => {
  const { account } = random.pick(world.open);
  const path = `/accounts/${account.posId}/signing-key`;
  const body = { revokePrevious: random.chance(0.3) };
  const reply = await world.operator.insist([200, 201], async () =>
    world.operator.act({ action: "rotate", target: account.posId }, "POST", path, body),
  );
  const key = reply?.body["signingKey"];
  if (typeof key !== "string") return;
  world.needles.add("signing key", key);
  account.keys = [key, ...account.keys];
};

/** Mostly the gateway draws a new password. */
const password: Work = async (world, random) => (random.chance(0.75) ? drawn(world, random) : chosen(world, random));

const drawn: Work = async (world, random) => {
  const { account } = random.pick(world.open);
  const path = `/accounts/${account.posId}/password`;
  const reply = await world.operator.insist([200, 201], async () =>
    world.operator.act({ action: "password", target: account.posId }, "POST", path),
  );
  const next = reply?.body["password"];
  if (typeof next !== "string") return;
  world.needles.add("password", next);
  account.passwords = [next];
};

const chosen: Work = async (world, random) => {
  const { account } = random.pick(world.open);
  const next = newPassword();
  world.needles.add("password", next);
  account.passwords = [next, ...account.passwords];
  const path = `/accounts/${account.posId}`;
  const reply = await world.operator.insist([200], async () =>
    world.operator.act({ action: "password", target: account.posId }, "PATCH", path, { password: next }),
  );
  if (reply !== null) account.passwords = [next];
};

/** Moves a terminal to another account, with a key of that account. */
const rebind: Work = async (world, random) => {
  const terminal = random.pick(world.working);
  const to = random.pick(world.open);
  await terminal.turns.take(async () => {
    if (world.retired.has(terminal) || to.account.state !== "active") return;
    const noted = { action: "rebind" as const, target: terminal.terminalId };
    const reply = await world.operator.insist(
      [200],
      async () =>
        world.operator.record(noted, async () => {
          const answer = await bind(terminal, to.account, to.session);
          return answer === null ? null : { status: answer.status, body: {} };
        }),
      8,
    );
    if (reply === null) return;
    move(terminal, to, world);
  });
};

function move(terminal: World["terminals"][number], to: Shop, world: World): void {
  for (const { account } of world.shops) account.devices.delete(terminal.terminalId);
  to.account.devices.add(terminal.terminalId);
  terminal.account = to.account;
}

/**
 * Two hours further east, the first day of an account is over and closes at once. Back in the west it is that day again,
 * which stays closed.
 */
export async function moveZone({ operator }: World, { account }: Shop): Promise<void> {
  const { posId, hoursAhead, isEast } = account;
  const timezone = zoneAhead(isEast ? hoursAhead : hoursAhead + 2);
  const reply = await operator.insist([200, 404], async () =>
    operator.act({ action: "zone", target: posId }, "PATCH", `/accounts/${posId}`, { timezone }),
  );
  if (reply?.status === 200) account.isEast = !isEast;
}

const zone: Work = async (world, random) => moveZone(world, random.pick(world.open));

/** Deletes a terminal or an account permanently, and opens another one. */
const deleteOne: Work = async (world, random) => {
  if (random.chance(0.6)) {
    const terminal = random.pick(world.working);
    const shop = world.shopOf(terminal);
    await terminal.turns.take(async () => {
      if (world.retired.has(terminal)) return;
      const noted = { action: "delete" as const, target: terminal.terminalId };
      const path = `/terminals/${terminal.terminalId}`;
      // 404: an answer was lost, and it is gone.
      const reply = await world.operator.insist([200, 204, 404], async () => world.operator.act(noted, "DELETE", path));
      if (reply === null) return;
      world.retired.add(terminal);
      shop?.account.devices.delete(terminal.terminalId);
    });
    if (shop !== null && world.retired.has(terminal)) await world.openTerminal(shop);
    return;
  }
  const shop = random.pick(world.open);
  const { account } = shop;
  if (account.state !== "active") return;
  const noted = { action: "delete" as const, target: account.posId };
  account.state = "deleted";
  await world.operator.insist([200, 204, 404], async () =>
    world.operator.act(noted, "DELETE", `/accounts/${account.posId}`),
  );
  const next = await world.openShop(shop.tills.length);
  next.work(world.closing.signal);
  for (const terminal of world.working.filter((one) => one.account === account)) {
    await terminal.turns.take(async () => {
      const reply = await world.operator.insist([200], async () => {
        const answer = await bind(terminal, next.account, next.session);
        return answer === null ? null : { status: answer.status, body: {} };
      });
      if (reply !== null) move(terminal, next, world);
    });
  }
};

/** A new master key: the gateway starts with it, and encrypts everything again. */
const masterKeys: Work = async (world) => {
  const noted = { action: "master-keys" as const, target: "all" };
  await world.gatewayTurns.take(async () => {
    await world.newMasterKey();
    await journaled(world.journal, { fault: "restart" }, async () => {
      await world.gateway.end();
      await world.gateway.restart();
    });
  });
  await world.operator.insist([200], async () => {
    const reply = await world.operator.act(noted, "POST", "/master-keys/reseal");
    const left = (reply?.body["left"] ?? []) as { accounts: number; terminals: number }[];
    // Bind keys stay with the old one until they expire.
    const isDone = left.every(({ accounts, terminals }) => accounts === 0 && terminals === 0);
    return isDone ? reply : null;
  });
};

/** Mostly with care. */
const resolve: Work = async (world, random) => {
  const kind = random.next();
  if (kind < 0.4) return resolveSome(world, 3, false);
  if (kind < 0.7) return resolveHastily(world, random);
  await resolveAgain(world, random);
};

export const ACTIONS: Readonly<Record<Action, Work>> = {
  suspend,
  rotate,
  password,
  rebind,
  zone,
  resolve,
  delete: deleteOne,
  "master-keys": masterKeys,
};
