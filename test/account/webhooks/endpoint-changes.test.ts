/** I7 for webhooks whose account or operator changes something: what an endpoint gets then, and from where on. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, vi } from "vitest";
import { skip, useFakeClock } from "../../support/clock.ts";
import { hanging, Receivers } from "../../support/receiver.ts";
import { START_EVERY } from "../../../src/protocol/limits/webhooks.ts";
import { DAY, SECOND } from "../../../src/time/units.ts";
import { upTo } from "../samples.ts";
import { Shop } from "./endpoints.ts";

useFakeClock();

describe("an endpoint that is changed while an event is on its way", () => {
  it.for([
    ["moved", { kind: "change", id: 1, url: "https://other.example.com/" }],
    ["disabled", { kind: "change", id: 1, enabled: false }],
    ["enabled", { kind: "change", id: 1, enabled: true }],
    ["given a new secret", { kind: "secret", id: 1 }],
    ["replayed", { kind: "replay", id: 1, after: 1 }],
    ["deleted", { kind: "remove", id: 1 }],
  ] as const)("is not moved by its answer, and the call is ended: %s", async ([, change], { expect }) => {
    const { answer, release } = hanging();
    let hangs = false;
    const receivers = Receivers.start((received) => (hangs ? answer(received) : 204));
    const { shop } = await Shop.withEndpoint();
    await shop.sell(2);
    await shop.shows({ cursor: 2 });
    hangs = true;
    await shop.sell(1);
    await receivers.until(3);
    const [, , third] = receivers.received;
    hangs = false;
    await shop.change(change);
    expect(third?.signal.aborted).toBe(true);
    release(200);
    if (change.kind === "remove") {
      expect(await shop.object.webhooks()).toEqual([]);
      return;
    }
    if (change.kind === "change" && "enabled" in change && !change.enabled) {
      await scheduler.wait(20);
      expect(await shop.webhook()).toMatchObject({ cursor: 2, behind: 1, enabled: false });
      return;
    }
    await shop.shows({ cursor: 3 });
    expect(receivers.numbers).toEqual(change.kind === "replay" ? [1, 2, 3, 2, 3] : [1, 2, 3, 3]);
    if (change.kind === "change" && "url" in change) {
      expect(receivers.received.at(-1)?.url).toBe("https://other.example.com/");
    }
  });

  it("restarts the schedule when it is enabled or replayed, and delivers at once", async ({ expect }) => {
    const receivers = Receivers.start(() => 500);
    const { shop } = await Shop.withEndpoint();
    await shop.sell(1);
    await receivers.until(1);
    await shop.pass(5 * SECOND);
    await receivers.until(2);
    for (const change of [
      { kind: "change", id: 1, enabled: true },
      { kind: "replay", id: 1, after: 0 },
    ] as const) {
      const many = receivers.received.length;
      skip(START_EVERY);
      await shop.must(change);
      await receivers.until(many + 1);
      const { nextAttempt } = await shop.failed(many + 1);
      expect(new Date(nextAttempt ?? "").getTime() - Date.now()).toBe(5 * SECOND);
    }
  });
});

describe("an account that changes its endpoints again and again", () => {
  it("starts deliveries at most every five seconds", async ({ expect }) => {
    const receivers = Receivers.start(() => 500);
    const shop = await Shop.open();
    for (const host of ["one", "two", "three"]) await shop.add(`https://${host}.example.com/`);
    await shop.sell(1);
    await receivers.until(3);
    const began = Date.now();
    const posts = () => receivers.received.length - 3;
    for (let round = 0; round < 10; round++) {
      for (const id of [1, 2, 3]) {
        await shop.must({ kind: "replay", id, after: 0 });
        await shop.must({ kind: "change", id, enabled: true });
        await shop.must({ kind: "secret", id });
      }
    }
    // A post that is aborted before it has left is none.
    await receivers.until(4);
    expect(new Set(receivers.received.slice(3).map(({ url }) => url))).toEqual(new Set(["https://one.example.com/"]));
    const next = await Promise.all([1, 2, 3].map(async (id) => (await shop.webhook(id)).nextAttempt ?? ""));
    expect(next.map((at) => Date.parse(at) - began).toSorted((a, b) => a - b)).toEqual(
      [5, 10, 15].map((at) => at * SECOND),
    );
    expect(posts()).toBe(1);
  });
});

describe("a secret that is replaced", () => {
  it("also signs for a day, and not after that", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop, secret: old } = await Shop.withEndpoint();
    const { webhook, secret = "" } = await shop.must({ kind: "secret", id: 1 });
    expect(new Date(webhook.previousSecretUntil ?? "").getTime() - Date.now()).toBe(DAY);
    expect(secret).not.toBe(old);
    await shop.sell(1);
    await shop.shows({ cursor: 1 });
    skip(DAY + SECOND);
    await shop.sell(1);
    await shop.shows({ behind: 0, previousSecretUntil: null });
    const [during] = receivers.received;
    const after = receivers.received.at(-1);
    const verified = (received: typeof during, by: string): boolean => {
      try {
        new Verifier(by).verify(received?.body ?? "", Object.fromEntries(received?.headers ?? []));
        return true;
      } catch (error) {
        if (String(error).includes("No matching signature")) return false;
        throw error;
      }
    };
    const signatures = (received: typeof during) => received?.headers.get("webhook-signature")?.split(" ").length;
    expect(signatures(during)).toBe(2);
    vi.setSystemTime(Number(during?.headers.get("webhook-timestamp")) * SECOND);
    expect([verified(during, secret), verified(during, old)]).toEqual([true, true]);
    vi.setSystemTime(Number(after?.headers.get("webhook-timestamp")) * SECOND);
    expect(signatures(after)).toBe(1);
    expect([verified(after, secret), verified(after, old)]).toEqual([true, false]);
  });
});

describe("a suspended account", () => {
  it("gets no events, and gets all of them at once when it is active again", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(1);
    await shop.shows({ cursor: 1 });
    await shop.object.change({ status: "suspended" }, "tester");
    await shop.sell(3);
    await scheduler.wait(20);
    expect(receivers.numbers).toEqual([1]);
    expect(await shop.webhook()).toMatchObject({ enabled: true, cursor: 1, behind: 3, nextAttempt: null });
    await shop.object.change({ status: "active" }, "tester");
    await shop.shows({ cursor: 4 });
    expect(receivers.numbers).toEqual([1, 2, 3, 4]);
  });

  it("aborts the delivery in progress, and restarts the schedule afterwards", async ({ expect }) => {
    const { answer } = hanging();
    let status = 500;
    const receivers = Receivers.start((received) => (status === 0 ? answer(received) : status));
    const { shop } = await Shop.withEndpoint();
    await shop.sell(1);
    await receivers.until(1);
    status = 0;
    await shop.pass(5 * SECOND);
    await receivers.until(2);
    await shop.object.change({ status: "suspended" }, "tester");
    expect(receivers.received[1]?.signal.aborted).toBe(true);
    status = 204;
    await shop.object.change({ status: "active" }, "tester");
    await shop.shows({ cursor: 1 });
  });
});

describe("a deleted account", () => {
  it("gets no more events, and its addresses and secrets are deleted", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.object.remove("tester");
    await shop.sell(1);
    await scheduler.wait(20);
    expect(receivers.received).toEqual([]);
    expect(await shop.object.webhooks()).toEqual([]);
  });
});

describe("a replay", () => {
  it("sends every event after a number again, and continues", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(5);
    await shop.shows({ cursor: 5 });
    await shop.must({ kind: "replay", id: 1, after: 2 });
    await shop.shows({ cursor: 5 });
    await receivers.until(8);
    expect(receivers.numbers).toEqual([1, 2, 3, 4, 5, 3, 4, 5]);
    skip(START_EVERY);
    await shop.must({ kind: "replay", id: 1, after: 0 });
    await receivers.until(13);
    expect(receivers.numbers.slice(8)).toEqual(upTo(5));
  });

  it("of a disabled endpoint waits until it is enabled", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(2);
    await shop.shows({ cursor: 2 });
    await shop.must({ kind: "change", id: 1, enabled: false });
    await shop.must({ kind: "replay", id: 1, after: 0 });
    await scheduler.wait(20);
    expect(receivers.numbers).toEqual([1, 2]);
    await shop.must({ kind: "change", id: 1, enabled: true });
    await receivers.until(4);
    expect(receivers.numbers).toEqual([1, 2, 1, 2]);
  });

  it("is refused from a number that is pruned or does not exist yet, and the refusal says which do", async ({
    expect,
  }) => {
    Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(6);
    await shop.shows({ cursor: 6 });
    await prune(shop, 3);
    expect(await shop.change({ kind: "replay", id: 1, after: 2 })).toEqual({
      kind: "no-such-event",
      oldest: 4,
      newest: 6,
    });
    expect(await shop.change({ kind: "replay", id: 1, after: 7 })).toMatchObject({ kind: "no-such-event" });
    expect((await shop.must({ kind: "replay", id: 1, after: 3 })).webhook.skipped).toBe(0);
    const { webhook } = await shop.must({ kind: "replay", id: 1, after: 0 });
    expect(webhook).toMatchObject({ cursor: 3, skipped: 0 });
    await shop.pass(START_EVERY);
    await shop.shows({ cursor: 6, skipped: 0 });
  });
});

/** Deletes the oldest events, as after 400 days. */
function prune(shop: Shop, upToNumber: number): Promise<void> {
  return runInDurableObject(env.ACCOUNT.getByName(shop.books.posId), (_object, { storage }) => {
    storage.sql.exec("DELETE FROM events WHERE number <= ?", upToNumber);
  });
}

describe("an endpoint whose next events were pruned", () => {
  it("continues with the oldest kept event, and reports how many it has missed", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.must({ kind: "change", id: 1, enabled: false });
    await shop.sell(10);
    await prune(shop, 4);
    await shop.must({ kind: "change", id: 1, enabled: true });
    await shop.shows({ cursor: 10, skipped: 4 });
    expect(receivers.numbers).toEqual(upTo(6, 5));
  });
});
