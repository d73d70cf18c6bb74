/** I7 for webhooks: every event reaches every endpoint, in order, regardless of failures in between. */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, onTestFinished, vi } from "vitest";
import { Claims } from "../../../src/account/storage/claims.ts";
import { skip, useFakeClock } from "../../support/clock.ts";
import { failAccountNotes } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { lines } from "../../support/log-lines.ts";
import { hanging, Receivers } from "../../support/receiver.ts";
import { DAY } from "../books.ts";
import { ADDRESS, HOUR, MINUTE, SECOND, Shop } from "./endpoints.ts";

useFakeClock();

const upTo = (many: number, from = 1): number[] => Array.from({ length: many }, (_, index) => from + index);

describe("an event", () => {
  it("is delivered as it is kept, with a signature that the standard's own verifier accepts", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop, secret } = await Shop.withEndpoint();
    await shop.sell(1);
    const [received] = await receivers.until(1);
    const [event] = await shop.books.events();
    expect(received?.url).toBe(ADDRESS);
    expect(received?.body).toBe(JSON.stringify(event));
    expect(received?.redirect).toBe("manual");
    const headers = Object.fromEntries(received?.headers ?? []);
    expect(headers["webhook-id"]).toBe(`evt_${shop.books.posId}_1`);
    expect(headers["content-type"]).toBe("application/json");
    expect(new Verifier(secret).verify(received?.body ?? "", headers)).toEqual(event);
    expect(() => new Verifier(secret).verify(`${received?.body} `, headers)).toThrow("No matching signature");
    const shown = await shop.shows({ cursor: 1, behind: 0 });
    expect(shown.attempts).toMatchObject([{ number: 1, status: 204 }]);
    expect(shown.attempts[0]?.at).toMatch(/\+08:00$/u);
    expect(shown.nextAttempt).toBeNull();
  });

  it("reaches every endpoint in order, one event at a time, however many are recorded at once", async ({ expect }) => {
    let onTheWay = 0;
    let most = 0;
    const receivers = Receivers.start(async () => {
      most = Math.max(most, ++onTheWay);
      await scheduler.wait(1);
      onTheWay--;
      return 200;
    });
    const { shop } = await Shop.withEndpoint();
    await shop.sell(30);
    await shop.shows({ cursor: 30 });
    expect(receivers.numbers).toEqual(upTo(30));
    expect(most).toBe(1);
  });

  it("is not delivered to an endpoint that was made after it", async ({ expect }) => {
    const receivers = Receivers.start();
    const shop = await Shop.open();
    await shop.sell(3);
    await shop.add();
    await shop.sell(1);
    await shop.shows({ cursor: 4 });
    expect(receivers.numbers).toEqual([4]);
  });

  it("goes to three endpoints, each with its own position", async ({ expect }) => {
    const { answer } = hanging();
    const receivers = Receivers.start((received) => (received.url.includes("slow") ? answer(received) : 204));
    const shop = await Shop.open();
    await shop.add("https://one.example.com/");
    await shop.add("https://slow.example.com/");
    await shop.add("https://three.example.com/");
    await shop.sell(5);
    await shop.shows({ cursor: 5 }, 1);
    await shop.shows({ cursor: 0, behind: 5 }, 2);
    await shop.shows({ cursor: 5 }, 3);
    expect(receivers.received.filter(({ url }) => url.includes("slow"))).toHaveLength(1);
  });
});

describe("a turn of work", () => {
  it("ends after fifty deliveries, and an alarm begins the next one", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    const recorded = Array.from({ length: 120 }, () => shop.books.entry());
    await shop.must({ kind: "change", id: 1, enabled: false });
    await shop.object.record(recorded);
    await shop.must({ kind: "change", id: 1, enabled: true });
    await shop.shows({ cursor: 50 });
    await scheduler.wait(20);
    expect(receivers.numbers).toEqual(upTo(50));
    const at = await shop.alarmAt();
    expect((at ?? 0) - Date.now()).toBeLessThanOrEqual(SECOND);
    await shop.wake();
    await shop.shows({ cursor: 100 });
    await shop.wake();
    await shop.shows({ cursor: 120 });
    expect(receivers.numbers).toEqual(upTo(120));
  });

  it("writes what was delivered at most every five seconds, and everything in the end", async ({ expect }) => {
    Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(20);
    await shop.shows({ cursor: 20 });
    expect((await shop.written())["cursor"]).toBeLessThan(20);
    await shop.pass(6 * SECOND);
    expect((await shop.written())["cursor"]).toBe(20);
  });
});

describe("an endpoint that fails", () => {
  it("is tried again on the schedule, by alarms, and gets the same event with the same id", async ({ expect }) => {
    let status = 500;
    const receivers = Receivers.start(() => status);
    const { shop } = await Shop.withEndpoint();
    await shop.sell(2);
    await receivers.until(1);
    for (const pause of [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 3 * HOUR]) {
      const many = receivers.received.length;
      const { nextAttempt } = await shop.failed(many);
      expect(new Date(nextAttempt ?? "").getTime() - Date.now()).toBe(pause);
      await shop.pass(pause - 1);
      expect(receivers.received).toHaveLength(many);
      await shop.pass(1);
      await receivers.until(many + 1);
    }
    expect(new Set(receivers.numbers)).toEqual(new Set([1]));
    expect(new Set(receivers.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    status = 200;
    await shop.pass(3 * HOUR);
    await shop.shows({ cursor: 2, behind: 0 });
    expect(receivers.numbers.slice(-2)).toEqual([1, 2]);
  });

  it("for three days is disabled, with an event; when it is enabled again, it continues where it stopped", async ({
    expect,
  }) => {
    let status = 503;
    const receivers = Receivers.start(() => status);
    const { shop } = await Shop.withEndpoint();
    await shop.sell(1);
    for (let waited = 0; waited < 3 * DAY + 4 * HOUR; waited += HOUR) {
      await shop.pass(HOUR);
      await scheduler.wait(2);
    }
    // The day was closed meanwhile, which is an event, too.
    await shop.shows({ enabled: false, disabledBy: "failing", cursor: 0, behind: 3, nextAttempt: null });
    expect((await shop.books.feed()).at(-1)).toMatchObject({
      type: "webhook.disabled",
      data: { webhookId: "wh_1", host: "books.example.com", disabledBy: "failing", cursor: 0 },
    });
    const many = receivers.received.length;
    await shop.sell(1);
    await scheduler.wait(20);
    expect(receivers.received).toHaveLength(many);
    status = 204;
    await shop.must({ kind: "change", id: 1, enabled: true });
    await shop.shows({ enabled: true, disabledBy: null, cursor: 4, behind: 0 });
    expect(receivers.received.slice(many).map(({ type }) => type)).toEqual([
      "transaction.settled",
      "day.closed",
      "webhook.disabled",
      "transaction.settled",
    ]);
  });

  it("with 410 is disabled at once, and its account's other endpoints get an event", async ({ expect }) => {
    const receivers = Receivers.start(({ url }) => (url.includes("gone") ? 410 : 200));
    const shop = await Shop.open();
    await shop.add("https://gone.example.com/");
    await shop.add();
    await shop.sell(1);
    await shop.shows({ disabledBy: "gone", cursor: 0 }, 1);
    await shop.shows({ cursor: 2 }, 2);
    const others = receivers.received.filter(({ url }) => url === ADDRESS);
    expect(others.map(({ type }) => type)).toEqual(["transaction.settled", "webhook.disabled"]);
    expect(await shop.alarmAt().then((at) => (at ?? Infinity) > Date.now())).toBe(true);
  });

  it("with a redirect is not followed", async ({ expect }) => {
    const receivers = Receivers.start(
      () => new Response(null, { status: 302, headers: { location: "https://169.254.169.254/" } }),
    );
    const { shop } = await Shop.withEndpoint();
    await shop.sell(1);
    await eventually(async () => expect((await shop.webhook()).attempts).toMatchObject([{ number: 1, status: 302 }]));
    expect(receivers.received.map(({ url }) => url)).toEqual([ADDRESS]);
    expect((await shop.webhook()).cursor).toBe(0);
  });

  it("costs the gateway no more than the status, regardless of its body", async ({ expect }) => {
    const pulled: number[] = [];
    let cancelled = 0;
    Receivers.start(() => {
      const endless = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            pulled.push(1);
            controller.enqueue(new Uint8Array(1_024));
          },
          cancel: () => {
            cancelled++;
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(endless, { status: 200 });
    });
    const { shop } = await Shop.withEndpoint();
    await shop.sell(3);
    await shop.shows({ cursor: 3 });
    expect([pulled.length, cancelled]).toEqual([0, 3]);
  });

  it("appears in the log with its host only", async ({ expect }) => {
    Receivers.start(() => {
      throw new TypeError(`Fetch API cannot load: ${ADDRESS}`);
    });
    const { shop } = await Shop.withEndpoint();
    const before = lines.length;
    await shop.sell(1);
    await eventually(async () => expect((await shop.webhook()).attempts).toHaveLength(1));
    const told = lines.slice(before).filter((line) => line.includes("webhook-failed"));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({ webhook: "wh_1", host: "books.example.com", status: null });
    expect(lines.slice(before).join("\n")).not.toContain("/hooks");
  });
});

describe("an endpoint that hangs", () => {
  it("times out after ten seconds, and no other event is sent meanwhile", async ({ expect }) => {
    const { answer } = hanging();
    const receivers = Receivers.start(answer);
    // `scheduler.wait` uses the real clock: end waits of ten seconds at once.
    const wait = scheduler.wait.bind(scheduler);
    const waits = vi
      .spyOn(scheduler, "wait")
      .mockImplementation((milliseconds, options) => wait(milliseconds === 10 * SECOND ? 0 : milliseconds, options));
    onTestFinished(() => waits.mockRestore());
    const { shop } = await Shop.withEndpoint();
    await shop.sell(3);
    await eventually(async () => expect((await shop.webhook()).attempts).toMatchObject([{ number: 1, status: null }]));
    expect(receivers.received.map(({ signal }) => signal.aborted)).toEqual([true]);
  });

  it("delays neither a record, nor an admission, nor the alarm: none of them waits for it", async ({ expect }) => {
    const { answer, release } = hanging();
    const receivers = Receivers.start(answer);
    const shop = await Shop.open();
    for (const host of ["one", "two", "three"]) await shop.add(`https://${host}.example.com/`);
    await shop.sell(1);
    await receivers.until(3);
    // All of this happens while the three hang. It would never end if anything waited for one of them.
    await shop.sell(50);
    expect((await shop.object.admit(shop.books.question())).kind).toBe("admitted");
    await shop.wake();
    await shop.wake();
    expect(receivers.received).toHaveLength(3);
    expect((await shop.webhook()).cursor).toBe(0);
    release(200);
    for (const id of [1, 2, 3]) await shop.shows({ cursor: 50 }, id);
    await shop.wake();
    for (const id of [1, 2, 3]) await shop.shows({ cursor: 51 }, id);
  });
});

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
      await shop.must(change);
      await receivers.until(many + 1);
      const { nextAttempt } = await shop.failed(many + 1);
      expect(new Date(nextAttempt ?? "").getTime() - Date.now()).toBe(5 * SECOND);
    }
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
    expect(await shop.webhook()).toMatchObject({ enabled: true, behind: 3, nextAttempt: null });
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

describe("an object that is reset", () => {
  it("in the middle of a delivery sends the event again when its alarm goes off", async ({ expect }) => {
    const { answer } = hanging();
    let hangs = true;
    const receivers = Receivers.start((received) => (hangs ? answer(received) : 204));
    const { shop } = await Shop.withEndpoint();
    await shop.sell(2);
    await receivers.until(1);
    await abortAllDurableObjects();
    hangs = false;
    await shop.wake();
    await shop.shows({ cursor: 2 });
    expect(receivers.numbers).toEqual([1, 1, 2]);
  });

  it("between two writes of the cursor sends some events again, in order, and misses none", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(10);
    await shop.shows({ cursor: 10 });
    await abortAllDurableObjects();
    await shop.sell(1);
    await shop.shows({ cursor: 11 });
    const { numbers } = receivers;
    const again = numbers.slice(10);
    expect(numbers.slice(0, 10)).toEqual(upTo(10));
    expect(again).toEqual(upTo(again.length, 12 - again.length));
    expect(new Set(numbers).size).toBe(11);
  });

  it("by a turn that fails sends some events again, and misses none", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    await shop.sell(5);
    await shop.shows({ cursor: 5 });
    const sick = vi.spyOn(Claims.prototype, "save").mockImplementation(() => {
      throw new Error("the disk is full");
    });
    expect(await shop.object.record([shop.books.entry()])).toEqual({ recorded: [] });
    sick.mockRestore();
    await shop.sell(1);
    await shop.shows({ cursor: 6 });
    expect(new Set(receivers.numbers)).toEqual(new Set(upTo(6)));
  });

  it("costs no more asleep than one without an endpoint: no further alarm, and no row", async ({ expect }) => {
    Receivers.start();
    const { shop } = await Shop.withEndpoint();
    const without = await Shop.open();
    await Promise.all([shop.sell(1), without.sell(1)]);
    await shop.shows({ cursor: 1 });
    await shop.pass(MINUTE);
    await without.pass(0);
    expect(await shop.alarmAt()).toBe(await without.alarmAt());
    await evictDurableObject(env.ACCOUNT.getByName(shop.books.posId));
    expect((await shop.webhook()).cursor).toBe(1);
    expect(await shop.alarmAt()).toBe(await without.alarmAt());
  });
});

describe("while D1 is down", () => {
  it.for(["fail", "hang"] as const)("events are delivered: %s", async (trouble, { expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    const database = failAccountNotes(trouble);
    await shop.add("https://two.example.com/");
    await shop.sell(2);
    await shop.shows({ cursor: 2 }, 1);
    await shop.shows({ cursor: 2 }, 2);
    expect(receivers.received).toHaveLength(4);
    database.recover();
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
