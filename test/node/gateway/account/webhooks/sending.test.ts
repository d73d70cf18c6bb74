/** I7 for webhooks: when an event is sent, when a call is ended, and when the object looks again. */
import { randomBytes } from "node:crypto";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, vi } from "vitest";
import { DELIVERY_WAIT } from "../../../../../src/protocol/limits.ts";
import { DAY, SECOND } from "../../../../../src/protocol/time/units.ts";
import { hanging, Receivers } from "../../../../support/receiver.ts";
import { upTo } from "../../../../support/gateway/account/samples.ts";
import { ADDRESS, logged, MemoryShop, NOON, useNoon } from "./memory-shop.ts";
import {
  DELIVERIES_AT_ONCE,
  DELIVERIES_PAUSE,
  DELIVERY_MARGIN,
  NOT_STARTED_RETRY,
} from "../../../../../src/gateway/account/webhooks/deliveries.ts";

useNoon();

/** The object has to be awake by then in case it is reset during a call. */
const RESUMED = NOON + DELIVERY_WAIT + DELIVERY_MARGIN;

const OTHER = "https://other.example.com/";

function suspend(shop: MemoryShop, status: "active" | "suspended" = "suspended"): void {
  shop.instance.turns.take(() => shop.parts.records.update({ status }));
}

/** Receivers that answer every call with 204, except the first, which hangs. */
function firstHangs(): Receivers {
  const { answer } = hanging();
  const receivers: Receivers = Receivers.start((received) =>
    receivers.received.length === 1 ? answer(received) : 204,
  );
  return receivers;
}

describe("an event", () => {
  it("is sent immediately and unchanged, with id and valid signature", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop, secret } = MemoryShop.withEndpoint();
    shop.sell();
    await shop.rest();
    const [received, ...others] = receivers.received;
    expect(others).toEqual([]);
    const { body, id } = shop.event(1);
    expect(received).toMatchObject({ url: ADDRESS, body });
    const headers = Object.fromEntries(received?.headers ?? []);
    expect(headers["webhook-id"]).toBe(id);
    expect(new Verifier(secret).verify(received?.body ?? "", headers)).toEqual(JSON.parse(body ?? ""));
    expect(shop.endpoint()).toMatchObject({
      cursor: 1,
      attempts: [{ number: 1, at: NOON, status: 204, milliseconds: 0 }],
    });
  });

  it("is sent once, after the endpoint has taken the one before", async ({ expect }) => {
    const { answer, release } = hanging();
    const receivers = Receivers.start(answer);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell(2);
    shop.sell();
    expect(receivers.numbers).toEqual([1]);
    expect(receivers.received[0]?.signal.aborted).toBe(false);
    release(200);
    await shop.rest();
    shop.sell();
    await shop.rest();
    expect(receivers.numbers).toEqual([1, 2, 3, 4]);
  });

  it("is sent to every endpoint that is enabled", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.add("https://two.example.com/");
    shop.add("https://three.example.com/");
    shop.must({ kind: "change", id: 2, enabled: false });
    shop.sell();
    await shop.rest();
    expect(receivers.received.map(({ url }) => url)).toEqual([ADDRESS, "https://three.example.com/"]);
  });
});

describe("a wake-up", () => {
  it("ends after fifty deliveries to an endpoint, and continues after a pause", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.sell(2 * DELIVERIES_AT_ONCE + 1);
    await shop.rest();
    expect(receivers.numbers).toEqual(upTo(DELIVERIES_AT_ONCE));
    expect(shop.alarm).toBe(NOON + DELIVERIES_PAUSE);
    shop.sell();
    await shop.rest();
    expect(receivers.received).toHaveLength(DELIVERIES_AT_ONCE);
    await shop.ring();
    expect(Date.now()).toBe(NOON + DELIVERIES_PAUSE);
    expect(receivers.received).toHaveLength(2 * DELIVERIES_AT_ONCE);
    await shop.ring();
    expect(receivers.numbers).toEqual(upTo(2 * DELIVERIES_AT_ONCE + 2));
  });
});

describe("the alarm", () => {
  it("is not needed for an endpoint that has taken everything", async ({ expect }) => {
    Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    expect(shop.alarm).toBeNull();
    shop.sell();
    await shop.rest();
    expect(shop.endpoint().cursor).toBe(1);
    // The one that would have resumed the delivery after a reset.
    expect(shop.alarm).toBe(RESUMED);
    await shop.ring();
    expect(shop.alarm).toBeNull();
  });

  it("resumes a delivery after a reset, just after its timeout", async ({ expect }) => {
    const receivers = firstHangs();
    const { shop } = MemoryShop.withEndpoint();
    shop.sell(2);
    expect(shop.instance.deliveries.startDue(NOON)).toBe(RESUMED);
    expect(shop.alarm).toBe(RESUMED);
    shop.reset();
    await shop.ring();
    expect(Date.now()).toBe(RESUMED);
    expect(receivers.numbers).toEqual([1, 1, 2]);
  });

  it("tries again on schedule, and not before", async ({ expect }) => {
    let status = 500;
    const receivers = Receivers.start(() => status);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    await shop.rest();
    expect(shop.alarm).toBe(NOON + 5 * SECOND);
    vi.setSystemTime(NOON + 5 * SECOND - 1);
    shop.sell();
    await shop.rest();
    expect(receivers.numbers).toEqual([1]);
    status = 200;
    await shop.ring();
    expect(Date.now()).toBe(NOON + 5 * SECOND);
    expect(receivers.numbers).toEqual([1, 1, 2]);
  });

  it("is not set for a suspended account, whose endpoints get everything afterwards", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    suspend(shop);
    shop.sell();
    expect(shop.alarm).toBeNull();
    expect(receivers.received).toEqual([]);
    suspend(shop, "active");
    await shop.rest();
    expect(receivers.numbers).toEqual([1]);
  });
});

describe("a call to an endpoint", () => {
  it.for([
    ["moved", { kind: "change", id: 1, url: OTHER }, [ADDRESS, OTHER]],
    ["removed", { kind: "remove", id: 1 }, [ADDRESS]],
  ] as const)("is ended, and its answer ignored, when the endpoint is %s", async ([, change, urls], { expect }) => {
    const receivers = firstHangs();
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    shop.change(change);
    expect(receivers.received[0]?.signal.aborted).toBe(true);
    await shop.rest();
    expect(receivers.received.map(({ url }) => url)).toEqual(urls);
    expect(shop.instance.webhooks.all.map(({ attempts }) => attempts.length)).toEqual(urls.slice(1).map(() => 1));
  });

  it("is not ended when another endpoint changes", async ({ expect }) => {
    const receivers = Receivers.start(hanging().answer);
    const { shop } = MemoryShop.withEndpoint();
    shop.add(OTHER);
    shop.sell();
    shop.must({ kind: "change", id: 1, enabled: false });
    expect(receivers.received.map(({ url, signal }) => [url, signal.aborted])).toEqual([
      [ADDRESS, true],
      [OTHER, false],
    ]);
  });

  it("is ended by a suspension, without counting as a failure", async ({ expect }) => {
    const lines = logged();
    const receivers = Receivers.start(hanging().answer);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    const before = shop.endpoint();
    suspend(shop);
    expect(receivers.received[0]?.signal.aborted).toBe(true);
    await shop.rest();
    expect(shop.endpoint()).toEqual(before);
    expect(lines).toEqual([]);
  });

  it("counts if answered despite a suspension, and nothing follows it", async ({ expect }) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const never = new Promise<never>(() => undefined);
    const calls = vi.spyOn(globalThis, "fetch").mockReturnValue(never).mockReturnValueOnce(promise);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell(2);
    suspend(shop);
    resolve(new Response(null, { status: 200 }));
    await shop.rest();
    expect(shop.endpoint().cursor).toBe(1);
    expect(calls).toHaveBeenCalledTimes(1);
  });

  it("is ended, and its answer ignored, when the account is deleted", async ({ expect }) => {
    const lines = logged();
    const receivers = Receivers.start(hanging().answer);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    shop.loseAccount();
    shop.instance.turns.takeAlarm(() => undefined);
    await shop.rest();
    expect(receivers.received.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(shop.endpoint().attempts).toEqual([]);
    expect(lines).toEqual([]);
  });
});

describe("an endpoint that fails", () => {
  it("appears in the log with its name, its host and the status", async ({ expect }) => {
    const lines = logged();
    Receivers.start(() => 503);
    const { shop } = MemoryShop.withEndpoint();
    shop.sell();
    await shop.rest();
    expect(lines).toEqual([
      {
        level: "warning",
        event: "webhook_delivery_failed",
        account: "pos-1",
        webhook: "wh_1",
        host: "books.example.com",
        number: 1,
        status: 503,
      },
    ]);
    expect(shop.parts.events.newest).toBe(1);
  });

  it("stays disabled after a 410 and a reset, with one event", async ({ expect }) => {
    logged();
    let status = 204;
    const receivers = Receivers.start(() => status);
    const { shop } = MemoryShop.withEndpoint();
    // Its cursor was written a moment ago, and is not written again within five seconds.
    shop.sell();
    await shop.rest();
    status = 410;
    shop.sell();
    await shop.rest();
    shop.reset();
    expect(shop.endpoint()).toMatchObject({ disabledBy: "gone", cursor: 1 });
    shop.sell();
    await shop.pass(DAY);
    expect(receivers.numbers).toEqual([1, 2]);
    const types = shop.parts.events.after(0, 10).map(({ event }) => event.type);
    expect(types.filter((type) => type === "webhook.disabled")).toHaveLength(1);
  });
});

describe("an endpoint that cannot be read", () => {
  it.for(["address", "secret"] as const)("fails, and is named in the log: its %s", async (member, { expect }) => {
    const lines = logged();
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.instance.webhooks.save({ ...shop.endpoint(), [member]: "unreadable" });
    shop.sell();
    await shop.rest();
    expect(receivers.received).toEqual([]);
    expect(shop.endpoint().attempts).toEqual([{ number: 1, at: NOON, status: null, milliseconds: 0 }]);
    expect(lines).toMatchObject([
      {
        level: "error",
        event: "webhook_secret_not_decrypted",
        account: "pos-1",
        webhook: "wh_1",
        host: "books.example.com",
        error: { message: "no master key opens it" },
      },
      { event: "webhook_delivery_failed" },
    ]);
  });

  it("fails if the master keys are unusable, and catches up later", async ({ expect }) => {
    const lines = logged();
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    const { env } = shop;
    const { MASTER_KEYS } = env;
    env.MASTER_KEYS = "";
    shop.sell();
    await shop.rest();
    env.MASTER_KEYS = `other:${randomBytes(32).toString("base64")}`;
    await shop.pass(5 * SECOND);
    expect(shop.endpoint()).toMatchObject({ failures: 2, attempts: [{ status: null }, { status: null }] });
    expect(lines.map(({ event }) => event)).toEqual([
      "webhook_delivery_failed",
      "webhook_secret_not_decrypted",
      "webhook_delivery_failed",
    ]);
    env.MASTER_KEYS = MASTER_KEYS;
    await shop.pass(30 * SECOND);
    expect(receivers.numbers).toEqual([1]);
  });
});

describe("deliveries that fail in the object itself", () => {
  it("are started again in five seconds, for every endpoint", async ({ expect }) => {
    const lines = logged();
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    shop.add(OTHER);
    const read = vi.spyOn(shop.parts.events, "bodiesAfter").mockImplementation(() => {
      throw new Error("the disk is full");
    });
    shop.sell();
    expect(lines).toMatchObject([
      { level: "error", event: "webhooks_not_started", account: "pos-1", error: { message: "the disk is full" } },
    ]);
    expect(shop.alarm).toBe(NOON + NOT_STARTED_RETRY);
    read.mockRestore();
    shop.sell();
    expect(receivers.received).toEqual([]);
    await shop.ring();
    expect(receivers.received.map(({ url }) => url).toSorted()).toEqual([ADDRESS, ADDRESS, OTHER, OTHER]);
  });

  it("send an event again if its answer cannot be noted", async ({ expect }) => {
    const lines = logged();
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    const note = vi.spyOn(shop.instance.webhooks, "save").mockImplementation(() => {
      throw new Error("the disk is full");
    });
    shop.sell();
    await shop.rest();
    expect(lines).toMatchObject([
      { level: "error", event: "webhook_result_not_stored", account: "pos-1", error: { message: "the disk is full" } },
    ]);
    expect(shop.endpoint().cursor).toBe(0);
    note.mockRestore();
    await shop.ring();
    expect(receivers.numbers).toEqual([1, 1]);
    expect(Date.now()).toBe(NOON + 5 * SECOND);
  });

  it("send an event again if the turn of its answer fails", async ({ expect }) => {
    logged();
    const receivers = Receivers.start();
    const { shop } = MemoryShop.withEndpoint();
    const { storage } = shop.parts;
    shop.sell(2);
    const undone = vi.spyOn(storage, "transactionSync").mockImplementation((work): never => {
      storage.sql.exec("BEGIN");
      work();
      storage.sql.exec("ROLLBACK");
      throw new Error("the disk is full");
    });
    await shop.rest();
    undone.mockRestore();
    expect(shop.endpoint().cursor).toBe(0);
    await shop.ring();
    expect(receivers.numbers).toEqual([1, 1, 2]);
  });
});
