/** What changes of an endpoint leave behind: the endpoint, the audit log, and the feed. */
import { describe, it, vi } from "vitest";
import type { Endpoint } from "../../../../../src/gateway/account/storage/webhooks.ts";
import { reportDisabled, resume, switchByOperator } from "../../../../../src/gateway/account/webhooks/endpoints.ts";
import { EndpointSeals } from "../../../../../src/gateway/account/webhooks/endpoint.ts";
import { START_EVERY } from "../../../../../src/protocol/limits.ts";
import { DAY, SECOND } from "../../../../../src/protocol/time/units.ts";
import { Receivers } from "../../../../support/receiver.ts";
import { MASTER_KEYS } from "../parts.ts";
import { ADDRESS, MemoryShop, NOON, useNoon } from "./memory-shop.ts";
import { auditRows } from "../../../../support/stored-rows.ts";

useNoon();

const FAILING = { failures: 2, failingSince: NOON, retryAt: NOON + SECOND };
const NOT_FAILING = { failures: 0, failingSince: null, retryAt: null };

/** A shop whose endpoint has failed. */
function failing(changes: Partial<Endpoint> = {}): MemoryShop {
  const { shop } = MemoryShop.withEndpoint();
  shop.instance.webhooks.save({ ...shop.endpoint(), ...FAILING, ...changes });
  return shop;
}

function addressOf(shop: MemoryShop, id = 1): string | null {
  return new EndpointSeals(MASTER_KEYS, shop.parts.record.posId).open(shop.endpoint(id), "address");
}

function secretsOf(shop: MemoryShop, now = Date.now()): string[] | null {
  return new EndpointSeals(MASTER_KEYS, shop.parts.record.posId).validSecrets(shop.endpoint(), now);
}

/** The newest audit row. */
function audited(shop: MemoryShop) {
  return auditRows(shop.parts.outbox).at(-1);
}

/** An operator's call, in a turn. */
function disable(shop: MemoryShop, id = 1, enabled = false): Endpoint | null {
  const parts = { ...shop.parts, ...shop.instance };
  return shop.instance.turns.take((now) => switchByOperator(parts, { id, enabled }, "tester", now));
}

describe("a new endpoint", () => {
  it("starts after the newest event, with address and secret sealed", async ({ expect }) => {
    const shop = new MemoryShop();
    shop.sell(2);
    const secret = shop.add();
    const { address, secret: sealed, ...others } = shop.endpoint();
    expect(others).toEqual({
      id: 1,
      host: "books.example.com",
      previousSecret: null,
      previousSecretUntil: null,
      generation: 1,
      cursor: 2,
      skipped: 0,
      ...NOT_FAILING,
      attempts: [],
      disabledBy: null,
      disabledAt: null,
    });
    expect([address, sealed].every((text) => text.startsWith("v2.test-1."))).toBe(true);
    expect(addressOf(shop)).toBe(ADDRESS);
    expect(secretsOf(shop)).toEqual([secret]);
  });

  it("is one of at most three, and never reuses a number", ({ expect }) => {
    const shop = new MemoryShop();
    for (const host of ["one", "two", "three"]) shop.add(`https://${host}.example.com/`);
    expect(shop.change({ kind: "add", url: ADDRESS })).toEqual({ kind: "too-many" });
    expect(shop.change({ kind: "remove", id: 3 })).toEqual({ kind: "removed" });
    shop.add();
    expect(shop.instance.webhooks.all.map(({ id }) => id)).toEqual([1, 2, 4]);
  });
});

/** Of the account's row for D1. */
function stateVersion({ parts }: MemoryShop): number {
  return parts.outbox.find({ target: "d1", kind: "account" })?.version ?? 0;
}

describe("every change", () => {
  it("is audited with the endpoint's name and host, in a new version", ({ expect }) => {
    const shop = new MemoryShop();
    const changes = [
      ["webhook.create", { kind: "add", url: ADDRESS }, {}],
      ["webhook.change", { kind: "change", id: 1, url: ADDRESS }, {}],
      ["webhook.change", { kind: "change", id: 1, enabled: false }, { enabled: false }],
      ["webhook.secret", { kind: "secret", id: 1 }, {}],
      ["webhook.replay", { kind: "replay", id: 1, after: 0 }, { after: 0 }],
      ["webhook.delete", { kind: "remove", id: 1 }, {}],
    ] as const;
    let version = 0;
    for (const [action, change, details] of changes) {
      shop.change(change);
      expect(audited(shop)).toEqual({
        at: NOON,
        actor: "account:pos-1",
        action,
        target: "pos-1",
        details: { webhook: "wh_1", host: "books.example.com", ...details },
      });
      expect(stateVersion(shop)).toBeGreaterThan(version);
      version = stateVersion(shop);
    }
    shop.reset();
    expect(shop.instance.webhooks.all).toEqual([]);
  });

  it("is refused for a missing endpoint, and changes nothing", ({ expect }) => {
    const { parts, instance } = new MemoryShop();
    const before = parts.record;
    expect(instance.endpoints.change({ kind: "remove", id: 7 }, NOON)).toEqual({ kind: "no-such-webhook" });
    expect(parts.record).toBe(before);
  });
});

describe("an endpoint that is changed", () => {
  it("has its new address and is tried again at once", ({ expect }) => {
    const shop = failing();
    const { webhook } = shop.must({ kind: "change", id: 1, url: "https://other.example.com/hook" });
    expect(webhook).toMatchObject({ url: "https://other.example.com/…hook", enabled: true });
    expect(addressOf(shop)).toBe("https://other.example.com/hook");
    expect(shop.endpoint()).toMatchObject({ host: "other.example.com", generation: 2, ...NOT_FAILING });
  });

  it("keeps its address through other changes, and is tried again at once", ({ expect }) => {
    const shop = failing();
    shop.must({ kind: "change", id: 1 });
    expect(addressOf(shop)).toBe(ADDRESS);
    expect(shop.endpoint()).toMatchObject({ host: "books.example.com", generation: 2, ...NOT_FAILING });
  });

  it("is disabled and enabled by its account, not by a new address", ({ expect }) => {
    const shop = failing();
    shop.must({ kind: "change", id: 1, enabled: false });
    expect(shop.endpoint()).toMatchObject({ disabledBy: "account", disabledAt: NOON, ...NOT_FAILING });
    vi.setSystemTime(NOON + SECOND);
    shop.must({ kind: "change", id: 1, url: "https://other.example.com/" });
    expect(shop.endpoint()).toMatchObject({ disabledBy: "account", disabledAt: NOON });
    shop.must({ kind: "change", id: 1, enabled: true });
    expect(shop.endpoint()).toMatchObject({ disabledBy: null, disabledAt: null, generation: 4 });
  });
});

describe("a new secret", () => {
  it("signs beside the previous one for a day, without rescheduling", ({ expect }) => {
    const { shop, secret: old } = MemoryShop.withEndpoint();
    shop.instance.webhooks.save({ ...shop.endpoint(), ...FAILING });
    const { secret = "", webhook } = shop.must({ kind: "secret", id: 1 });
    expect(webhook.previousSecretUntil).toBe("2031-05-11T12:00:00.000+08:00");
    expect(secret).not.toBe(old);
    expect(shop.endpoint()).toMatchObject({ generation: 2, ...FAILING });
    expect(secretsOf(shop, NOON + DAY - 1)).toEqual([secret, old]);
    expect(secretsOf(shop, NOON + DAY)).toEqual([secret]);
  });

  it("signs alone if the previous one cannot be read", ({ expect }) => {
    const shop = failing({ secret: "unreadable" });
    expect(secretsOf(shop)).toBeNull();
    const { secret, webhook } = shop.must({ kind: "secret", id: 1 });
    expect(webhook.previousSecretUntil).toBeNull();
    expect(shop.endpoint()).toMatchObject({ previousSecret: null, previousSecretUntil: null });
    expect(secretsOf(shop)).toEqual([secret]);
  });
});

describe("a replay", () => {
  it("begins after the number, at once", async ({ expect }) => {
    const receivers = Receivers.start();
    const shop = failing();
    shop.sell(3);
    const { webhook } = shop.must({ kind: "replay", id: 1, after: 2 });
    expect(webhook.cursor).toBe(2);
    await shop.rest();
    expect(receivers.numbers).toEqual([3]);
    vi.setSystemTime(NOON + START_EVERY);
    shop.must({ kind: "replay", id: 1, after: 0 });
    await shop.rest();
    expect(receivers.numbers).toEqual([3, 1, 2, 3]);
    expect(shop.must({ kind: "replay", id: 1, after: 3 }).webhook.cursor).toBe(3);
  });

  it("is refused from unavailable numbers, and skips deleted events from the beginning", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.must({ kind: "change", id: 1, enabled: false });
    shop.sell(6);
    for (const number of [1, 2, 3]) shop.parts.events.remove(number);
    const replay = (after: number) => shop.change({ kind: "replay", id: 1, after });
    const refused = { kind: "no-such-event", oldest: 4, newest: 6 };
    expect([1, 2, 7].map(replay)).toEqual([refused, refused, refused]);
    expect([0, 3, 4, 6].map((after) => [replay(after).kind, shop.endpoint().cursor])).toEqual([
      ["changed", 3],
      ["changed", 3],
      ["changed", 4],
      ["changed", 6],
    ]);
    expect(shop.endpoint().skipped).toBe(0);
  });

  it("begins with the first event of an empty feed", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    expect(shop.must({ kind: "replay", id: 1, after: 0 }).webhook.cursor).toBe(0);
    expect(shop.change({ kind: "replay", id: 1, after: 1 })).toEqual({ kind: "no-such-event", oldest: 0, newest: 0 });
  });
});

describe("an endpoint that an operator disables", () => {
  it("gets nothing more, and its account gets an event", ({ expect }) => {
    const shop = failing();
    expect(disable(shop)).toEqual(shop.endpoint());
    expect(shop.endpoint()).toMatchObject({ disabledBy: "operator", disabledAt: NOON, ...NOT_FAILING });
    expect(audited(shop)).toMatchObject({ actor: "tester", action: "webhook.change", details: { enabled: false } });
    expect(shop.parts.events.find(1)).toMatchObject({
      type: "webhook.disabled",
      data: { webhookId: "wh_1", host: "books.example.com", disabledBy: "operator", cursor: 0 },
    });
  });

  it("is stopped once, without an event, if its account disabled it already", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.must({ kind: "change", id: 1, enabled: false });
    expect(disable(shop)?.disabledBy).toBe("operator");
    const [before, version] = [shop.endpoint(), shop.parts.outbox.lastVersion];
    expect(disable(shop)).toEqual(before);
    expect(shop.parts.outbox.lastVersion).toBe(version);
    expect(shop.parts.events.newest).toBe(0);
  });

  it("cannot be enabled by its account, only by an operator", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    disable(shop);
    const stopped = shop.endpoint();
    for (const [change, path] of [
      [{ kind: "change", id: 1, enabled: true }, "enabled"],
      [{ kind: "change", id: 1, enabled: false }, ""],
      [{ kind: "change", id: 1, url: "https://other.example.com/" }, ""],
      [{ kind: "replay", id: 1, after: 0 }, ""],
      [{ kind: "remove", id: 1 }, ""],
    ] as const) {
      expect(shop.change(change)).toEqual({ kind: "stopped", path });
    }
    expect(shop.endpoint()).toEqual(stopped);
    shop.must({ kind: "secret", id: 1 });
    expect(shop.endpoint()).toMatchObject({ disabledBy: "operator", retryAt: null });
    expect(disable(shop, 1, true)).toMatchObject({ disabledBy: null, disabledAt: null });
    expect(audited(shop)).toMatchObject({ actor: "tester", action: "webhook.change", details: { enabled: true } });
  });

  it("cannot be made again under another name, nor pinged", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.add("https://two.example.com/");
    disable(shop);
    const refused = { kind: "stopped", path: "url" };
    const url = `${ADDRESS}/another-path`;
    expect(shop.change({ kind: "add", url })).toEqual(refused);
    expect(shop.change({ kind: "change", id: 2, url })).toEqual(refused);
    expect(await shop.instance.endpoints.ping(1, NOON)).toEqual({ kind: "stopped" });
    expect(receivers.received.filter((received) => received.url.startsWith(ADDRESS))).toEqual([]);
    shop.must({ kind: "change", id: 2, url: "https://three.example.com/" });
    disable(shop, 1, true);
    expect(shop.change({ kind: "remove", id: 1 })).toEqual({ kind: "removed" });
    shop.add(url);
  });

  it("is not enabled by an operator if its account has disabled it", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.must({ kind: "change", id: 1, enabled: false });
    expect(disable(shop, 1, true)?.disabledBy).toBe("account");
  });

  it("has to be there, and so has its account", ({ expect }) => {
    expect(disable(new MemoryShop())).toBeNull();
    const { shop } = MemoryShop.withEndpoint();
    shop.loseAccount();
    expect(disable(shop)).toBeNull();
  });

  it("gives its account no event if the account did it", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    const { parts } = shop;
    for (const disabledBy of ["account", null] as const) {
      reportDisabled(parts.events, parts.record, { ...shop.endpoint(), disabledBy }, NOON);
    }
    expect(parts.events.newest).toBe(0);
  });
});

describe("an account that is active again", () => {
  it("has every endpoint tried again at once", ({ expect }) => {
    const shop = failing();
    shop.add("https://two.example.com/");
    resume(shop.instance);
    shop.reset();
    expect(shop.instance.webhooks.all).toMatchObject([
      { id: 1, generation: 2, ...NOT_FAILING },
      { id: 2, generation: 2, ...NOT_FAILING },
    ]);
  });
});
