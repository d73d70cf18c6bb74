/** Calls about webhooks: who may change an endpoint, and what accounts and operators are shown. */
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, vi } from "vitest";
import { CLOCK_TOLERANCE, PING_EVERY } from "../../../../../src/protocol/limits.ts";
import { switchByOperator } from "../../../../../src/gateway/account/webhooks/endpoints.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import { hanging, Receivers } from "../../../../support/receiver.ts";
import { ADDRESS, MemoryShop, NOON, useNoon } from "./memory-shop.ts";

useNoon();

const ADD = { kind: "add", url: ADDRESS } as const;

/** The endpoint of a shop that has sold nothing, as its account sees it. */
const SHOWN = {
  id: "wh_1",
  url: "https://books.example.com/…ents",
  enabled: true,
  disabledBy: null,
  cursor: 0,
  behind: 0,
  skipped: 0,
  attempts: [],
  nextAttempt: null,
  previousSecretUntil: null,
};

function withoutAccount(): MemoryShop {
  const { shop } = MemoryShop.withEndpoint();
  shop.loseAccount();
  return shop;
}

describe("a signed call", () => {
  it("is refused for one reason, in the order of the checks", ({ expect }) => {
    const shop = new MemoryShop();
    const gone = { kind: "remove", id: 1 } as const;
    const nonce = "n";
    const late = { nonce, datetime: NOON + CLOCK_TOLERANCE + 1 };
    const unsigned = { ...late, signature: null };
    const foreign = { ...unsigned, posId: "pos-9" };
    const loggedOut = { ...foreign, sessionId: "none" };
    shop.parts.records.update({ status: "suspended" });
    shop.parts.records.finish();
    expect(shop.change(gone, loggedOut)).toEqual({ kind: "not-active", status: "suspended" });
    shop.parts.records.update({ status: "active" });
    shop.parts.records.finish();
    expect(shop.change(gone, loggedOut)).toEqual({ kind: "session-ended" });
    expect(shop.change(gone, foreign)).toEqual({ kind: "other-account" });
    expect(shop.change(ADD, unsigned)).toEqual({ kind: "wrong-signature" });
    expect(shop.change(ADD, late)).toEqual({ kind: "clock-off", now: NOON });
    // No refusal has used up the nonce.
    expect(shop.change(ADD, { nonce }).kind).toBe("changed");
    expect(shop.change(ADD, { nonce })).toEqual({ kind: "used" });
    shop.parts.records.update({ signingKey: "unreadable" });
    shop.parts.records.finish();
    expect(shop.change(ADD, { nonce })).toEqual({ kind: "unreadable-key" });
    expect(shop.instance.webhooks.all).toHaveLength(1);
  });

  it("is refused by an object without an account", ({ expect }) => {
    const call = new MemoryShop().call();
    expect(withoutAccount().change(ADD, call)).toEqual({ kind: "unknown" });
  });

  it("is accepted if its time is off by at most the tolerance", ({ expect }) => {
    const shop = new MemoryShop();
    const kinds = [-1, 1].flatMap((side) =>
      [CLOCK_TOLERANCE, CLOCK_TOLERANCE + 1].map((off) => shop.change(ADD, { datetime: NOON + side * off }).kind),
    );
    expect(kinds).toEqual(["changed", "clock-off", "changed", "clock-off"]);
  });

  it("is valid once for as long as its time is accepted", ({ expect }) => {
    const shop = new MemoryShop();
    const once = { nonce: "n", datetime: NOON + CLOCK_TOLERANCE };
    expect(shop.change(ADD, once).kind).toBe("changed");
    vi.setSystemTime(NOON + 2 * CLOCK_TOLERANCE);
    expect(shop.change(ADD, once)).toEqual({ kind: "used" });
    vi.setSystemTime(NOON + 2 * CLOCK_TOLERANCE + 1);
    expect(shop.change(ADD, once).kind).toBe("clock-off");
  });

  it("uses up its nonce even if it changes nothing", ({ expect }) => {
    const shop = new MemoryShop();
    for (let count = 0; count < 3; count++) shop.add();
    expect(shop.change(ADD, { nonce: "n" })).toEqual({ kind: "too-many" });
    shop.change({ kind: "remove", id: 1 });
    expect(shop.change(ADD, { nonce: "n" })).toEqual({ kind: "used" });
  });

  it("fails if the object has no usable master key", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.env.MASTER_KEYS = "";
    expect(() => shop.change(ADD)).toThrow("MASTER_KEYS: It is not set.");
    expect(() => shop.instance.endpoints.list(NOON)).toThrow("MASTER_KEYS: It is not set.");
  });

  it("is answered with the endpoint, and only a new secret", ({ expect }) => {
    const shop = new MemoryShop();
    const { secret, ...added } = shop.must(ADD);
    expect(added).toStrictEqual({ kind: "changed", webhook: SHOWN });
    expect(secret).toMatch(/^whsec_/u);
    expect(shop.must({ kind: "change", id: 1, enabled: true })).toStrictEqual({ kind: "changed", webhook: SHOWN });
    const renewed = shop.must({ kind: "secret", id: 1 });
    expect(renewed.secret).toMatch(/^whsec_/u);
    expect(renewed.secret).not.toBe(secret);
  });
});

describe("the list of endpoints", () => {
  it("shows each address shortened, or its host if it cannot be read", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.add("https://two.example.com/");
    const { endpoints, webhooks } = shop.instance;
    expect(endpoints.list(NOON)).toEqual([SHOWN, { ...SHOWN, id: "wh_2", url: "https://two.example.com" }]);
    webhooks.save({ ...shop.endpoint(), address: "unreadable" });
    expect(endpoints.list(NOON)[0]).toEqual({ ...SHOWN, url: "https://books.example.com" });
  });

  it("shows each one's progress, attempts in local time, and next attempt", async ({ expect }) => {
    Receivers.start(() => 500);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell(2);
    await shop.rest();
    const { endpoints, webhooks } = shop.instance;
    const failed = { number: 1, at: "2031-05-10T12:00:00.000+08:00", status: 500, milliseconds: 0 };
    const next = "2031-05-10T12:00:05.000+08:00";
    expect(endpoints.list(NOON)).toEqual([{ ...SHOWN, behind: 2, attempts: [failed], nextAttempt: next }]);
    expect(endpoints.list(NOON + 9 * SECOND)[0]?.nextAttempt).toBe("2031-05-10T12:00:09.000+08:00");
    webhooks.save({ ...shop.endpoint(), cursor: 3, skipped: 1 });
    expect(endpoints.list(NOON)[0]).toMatchObject({ cursor: 3, behind: 0, skipped: 1, nextAttempt: null });
  });

  it("shows until when a previous secret also signs", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    shop.must({ kind: "secret", id: 1 });
    const until = shop.endpoint().previousSecretUntil ?? 0;
    const shown = (now: number) => shop.instance.endpoints.list(now)[0]?.previousSecretUntil;
    expect(shown(until - 1)).toBe("2031-05-11T12:00:00.000+08:00");
    expect(shown(until)).toBeNull();
  });
});

describe("what operators see", () => {
  it("is the host alone, with times in UTC", async ({ expect }) => {
    Receivers.start(() => 500);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    await shop.rest();
    const state = {
      id: "wh_1",
      host: "books.example.com",
      enabled: true,
      disabledBy: null,
      cursor: 0,
      behind: 1,
      skipped: 0,
      nextAttempt: "2031-05-10T04:00:05.000+00:00",
    };
    const { endpoints } = shop.instance;
    expect(endpoints.states(NOON)).toEqual([state]);
    shop.parts.records.update({ status: "suspended" });
    shop.parts.records.finish();
    expect(endpoints.states(NOON)).toEqual([{ ...state, nextAttempt: null }]);
  });

  it("is the endpoint that they disabled, one event behind", ({ expect }) => {
    const { shop } = MemoryShop.withEndpoint();
    const stores = { ...shop.parts, ...shop.instance };
    shop.instance.turns.take((now) => switchByOperator(stores, { id: 1, enabled: false }, "tester", now));
    expect(shop.instance.endpoints.states(NOON)).toEqual([
      {
        id: "wh_1",
        host: "books.example.com",
        enabled: false,
        disabledBy: "operator",
        cursor: 0,
        behind: 1,
        skipped: 0,
        nextAttempt: null,
      },
    ]);
    expect(switchByOperator(stores, { id: 2, enabled: false }, "tester", NOON)).toBeNull();
  });
});

describe("a ping", () => {
  it("is signed like an event, unnumbered, and answered with the endpoint's response", async ({ expect }) => {
    const receivers = Receivers.start(() => {
      vi.setSystemTime(NOON + 20);
      return 418;
    });
    const { shop, secret } = MemoryShop.withEndpoint();
    expect(await shop.instance.endpoints.ping(1, NOON)).toEqual({ kind: "answered", status: 418, milliseconds: 20 });
    const [received] = receivers.received;
    expect(received).toMatchObject({ url: ADDRESS, signal: { aborted: true } });
    const headers = Object.fromEntries(received?.headers ?? []);
    const id = headers["webhook-id"];
    expect(id).toMatch(/^ping_[0-9a-f-]{36}$/u);
    expect(new Verifier(secret).verify(received?.body ?? "", headers)).toEqual({
      id,
      type: "ping",
      timestamp: "2031-05-10T12:00:00.000+08:00",
      data: {},
    });
    expect(shop.endpoint()).toMatchObject({ cursor: 0, attempts: [] });
  });

  it("is possible every ten seconds for each endpoint", async ({ expect }) => {
    Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.add("https://two.example.com/");
    const { endpoints } = shop.instance;
    expect((await endpoints.ping(1, NOON)).kind).toBe("answered");
    const tooSoon = { kind: "too-soon", retryAt: NOON + PING_EVERY };
    expect(await endpoints.ping(1, NOON + PING_EVERY - 1)).toEqual(tooSoon);
    expect(await endpoints.ping(2, NOON + PING_EVERY - 1)).toEqual(tooSoon);
    // Nor a new endpoint, in the place of one that was pinged.
    shop.must({ kind: "change", id: 2, url: "https://three.example.com/" });
    shop.add("https://four.example.com/");
    expect(await endpoints.ping(3, NOON + PING_EVERY - 1)).toEqual(tooSoon);
    expect((await endpoints.ping(2, NOON + PING_EVERY)).kind).toBe("answered");
  });

  it("counts from when it is sent, not from its answer", async ({ expect }) => {
    const { answer, release } = hanging();
    const receivers = Receivers.start(answer);
    const { endpoints } = MemoryShop.withEndpoint().shop.instance;
    const first = endpoints.ping(1, NOON);
    expect(await endpoints.ping(1, NOON)).toEqual({ kind: "too-soon", retryAt: NOON + PING_EVERY });
    release(204);
    expect((await first).kind).toBe("answered");
    expect(receivers.received).toHaveLength(1);
  });

  it("needs an endpoint that is there and can be read", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    const { endpoints, webhooks } = shop.instance;
    expect(await endpoints.ping(2, NOON)).toEqual({ kind: "no-such-webhook" });
    const endpoint = shop.endpoint();
    for (const member of ["address", "secret"]) {
      webhooks.save({ ...endpoint, [member]: "unreadable" });
      expect(await endpoints.ping(1, NOON)).toEqual({ kind: "unreadable" });
    }
    expect(receivers.received).toEqual([]);
    // None of these counts as a ping.
    webhooks.save(endpoint);
    expect((await endpoints.ping(1, NOON)).kind).toBe("answered");
  });
});
