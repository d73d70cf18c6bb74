/** I7 for webhooks: every event reaches every endpoint, in order, regardless of failures in between. */
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, onTestFinished, vi } from "vitest";
import { Claims } from "../../../src/account/storage/claims.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/time/units.ts";
import { cutLongWaitsShort, useFakeClock } from "../../support/clock.ts";
import { failAccountNotes } from "../../support/database.ts";
import { lines } from "../../support/log-lines.ts";
import { hanging, Receivers } from "../../support/receiver.ts";
import { upTo } from "../samples.ts";
import { ADDRESS, Shop } from "./endpoints.ts";
import { eventually } from "../../support/patience.ts";

useFakeClock();

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
      "transaction.completed",
      "day.closed",
      "webhook.disabled",
      "transaction.completed",
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
    expect(others.map(({ type }) => type)).toEqual(["transaction.completed", "webhook.disabled"]);
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
    const { shop } = await Shop.withEndpoint();
    cutLongWaitsShort();
    onTestFinished(() => void vi.unstubAllGlobals());
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
    // The alarms that are there in case of a reset have fired.
    await shop.pass(6 * MINUTE);
    await without.pass(6 * MINUTE);
    await shop.pass(0);
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
