/** What the operators' webhooks are told, when, and how often. Their calls: test/http/operator-alerts. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, onTestFinished, vi } from "vitest";
import { deliveryHeaders } from "../../src/account/webhooks/deliveries.ts";
import type { Alert } from "../../src/protocol/schemas/alerts.ts";
import type { Overview } from "../../src/http/operator/overview/responses.ts";
import { keeperStub } from "../../src/rpc/keeper.ts";
import { count, emptyTally } from "../../src/statistics/tally.ts";
import { add, PATH, removeAll } from "../support/alert-webhooks.ts";
import { skip, useFakeClock, waitForever } from "../support/clock.ts";
import { operator } from "../support/gateway.ts";
import { lines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/patience.ts";
import { type Received, Receivers } from "../support/receiver.ts";
import { reportedOpen, Scene } from "../support/scene.ts";

useFakeClock();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const keeper = () => env.KEEPER.getByName("keeper");

afterEach(removeAll);

/** The keeper's alarm goes off at its time. */
async function wake(): Promise<void> {
  const at = await runInDurableObject(keeper(), (_object, { storage }) => storage.getAlarm());
  if (at !== null && at > Date.now()) vi.setSystemTime(at);
  await runDurableObjectAlarm(keeper());
  await scheduler.wait(1);
}

async function pass(milliseconds: number): Promise<void> {
  const until = Date.now() + milliseconds;
  while (Date.now() < until) await wake();
}

async function alarm(): Promise<number> {
  return runInDurableObject(keeper(), async (_object, { storage }) => (await storage.getAlarm()) ?? Infinity);
}

/** Of which D1's own statements have their methods. */
const statements = (): D1PreparedStatement => Object.getPrototypeOf(env.DATABASE.prepare("SELECT 1"));

/** Counts how often the keeper has looked for matters. */
function countLooks(): () => number {
  const reads = vi.spyOn(statements(), "all");
  onTestFinished(() => reads.mockRestore());
  const asked = (): string[] => (reads.mock.contexts as { statement: string }[]).map(({ statement }) => statement);
  return () => asked().filter((statement) => statement.startsWith("WITH lost AS")).length;
}

/** The alarm goes off until the receivers have as much about this matter. */
async function told(receivers: Receivers, id: string, many: number): Promise<Alert[]> {
  return eventually(async () => {
    if (about(receivers, id).length < many) await wake();
    const found = about(receivers, id);
    if (found.length < many) throw new Error(`${found.length} of ${many} alerts about ${id} have come`);
    return found;
  });
}

function about({ received }: Receivers, id: string): Alert[] {
  return received.map(({ body }) => JSON.parse(body) as Alert).filter(({ data }) => data.id === id);
}

function idOf({ headers }: Received): string | null {
  return headers.get("webhook-id");
}

/** The terminal was connected, and is no longer: D1 knows. */
async function lost(here: Scene): Promise<{ id: string }> {
  const connection = await here.connect();
  connection.drop();
  await here.pass(15 * SECOND);
  return { id: `terminal ${here.terminal.terminalId}` };
}

describe("a matter", () => {
  it("is told once when it has lasted, and once when it is over, also by a keeper that has started again", async ({
    expect,
  }) => {
    const receivers = Receivers.start();
    const here = await Scene.alone();
    const { id } = await lost(here);
    const { secret } = await add({ "terminal.offline": 5 });
    const since = Date.now();
    const [began] = await told(receivers, id, 1);
    expect(Date.now() - since).toBeGreaterThan(4 * MINUTE);
    expect(began).toMatchObject({
      type: "terminal.offline",
      data: { title: `Terminal ${here.terminal.terminalId} offline`, terminalId: here.terminal.terminalId },
    });
    const delivery = receivers.received.find(({ body }) => body.includes(id));
    const at = Number(delivery?.headers.get("webhook-timestamp")) * SECOND;
    expect(Object.fromEntries(delivery?.headers ?? [])).toMatchObject(
      deliveryHeaders(began?.id ?? "", delivery?.body ?? "", [secret], at),
    );
    await pass(5 * MINUTE);
    await evictDurableObject(keeper());
    await pass(5 * MINUTE);
    expect(about(receivers, id)).toHaveLength(1);
    await here.connect();
    const [, ended, ...more] = await told(receivers, id, 2);
    expect(ended).toMatchObject({ type: "terminal.offline.ended", data: began?.data });
    expect(more).toEqual([]);
    await pass(3 * MINUTE);
    expect(about(receivers, id)).toHaveLength(2);
  });

  it("reaches a receiver that was down, under the same id and in order, also after a new start", async ({ expect }) => {
    const receivers = Receivers.start(() => 503);
    const first = await lost(await Scene.alone());
    const from = lines.length;
    const { id } = await add({ "terminal.offline": 1 });
    await told(receivers, first.id, 2);
    const failed = { account: "/operators", webhook: id, host: "pager.example.com", number: 1, status: 503 };
    expect(logged("webhook-failed", from)[0]).toMatchObject(failed);
    const here = await Scene.alone();
    const second = await lost(here);
    await evictDurableObject(keeper());
    await told(receivers, first.id, 5);
    await eventually(async () => {
      await wake();
      const { body } = await operator<Overview>("GET", "/operator/overview");
      expect(body.webhooks.endpoints).toMatchObject([{ posId: null, host: "pager.example.com", disabledBy: null }]);
      expect(body.matters.map(({ title, posId }) => [title, posId])).toContainEqual(["Webhook fails", null]);
    });
    skip(SECOND);
    // It fails no more once an operator has disabled it.
    await operator("PATCH", `${PATH}/${id}`, { enabled: false });
    await eventually(async () => {
      await wake();
      expect((await operator<Overview>("GET", "/operator/overview")).body.webhooks.endpoints).toEqual([]);
    });
    await operator("PATCH", `${PATH}/${id}`, { enabled: true });
    const tries = receivers.received.length;
    receivers.answer = () => 204;
    await told(receivers, second.id, 1);
    const [tried, taken] = [receivers.received.slice(0, tries + 1), receivers.received.slice(tries)];
    expect(new Set(tried.map(idOf)).size).toBe(1);
    expect(new Set(tried.map(({ body }) => body)).size).toBe(1);
    const numbers = taken.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(taken.map(idOf)).toEqual(numbers.map((number) => `evt_${id}_${number}`));
    await eventually(async () => {
      await wake();
      expect((await operator<Overview>("GET", "/operator/overview")).body.webhooks.behind).toBe(0);
    });
  });

  it("is each payment that is not completed, until it is", async ({ expect }) => {
    const receivers = Receivers.start();
    const here = await Scene.alone();
    const { request } = await reportedOpen(here, await here.connect());
    const { requestId } = request;
    const matter = `unresolved ${requestId} ${here.terminal.terminalId}`;
    await add({ "transaction.unresolved": 2, "transaction.contradicted": 0 });
    const [began] = await told(receivers, matter, 1);
    expect(began).toMatchObject({
      type: "transaction.unresolved",
      data: { requestId, posId: here.till.account.posId },
    });
    await here.resolve(requestId, "11", "The host knows of no such payment.");
    const [, ended] = await told(receivers, matter, 2);
    expect(ended?.type).toBe("transaction.unresolved.ended");
  });

  it("is D1 itself if it does not answer, which ends nothing else", async ({ expect }) => {
    const receivers = Receivers.start();
    const { id } = await lost(await Scene.alone());
    await add({ "terminal.offline": 1, "objects.behind": 10 });
    await told(receivers, id, 1);
    const away = vi.spyOn(statements(), "all").mockRejectedValue(new Error("D1 does not answer"));
    onTestFinished(() => away.mockRestore());
    const since = Date.now();
    const [began] = await told(receivers, "database", 1);
    expect(Date.now() - since).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(began).toMatchObject({ type: "objects.behind", data: { title: "The database does not answer" } });
    away.mockRestore();
    const [, ended] = await told(receivers, "database", 2);
    expect(ended?.type).toBe("objects.behind.ended");
    expect(about(receivers, id)).toHaveLength(1);
  });

  it("is a shop only if none of its terminals is connected", async ({ expect }) => {
    const receivers = Receivers.start();
    const here = await Scene.alone();
    const { merchantId } = here.till.account;
    const other = await Scene.of(here.till.account, here.till.token);
    const connection = await other.connect();
    await lost(here);
    await add({ "shop.offline": 1 });
    await pass(5 * MINUTE);
    expect(about(receivers, `offline ${merchantId}`)).toEqual([]);
    connection.drop();
    await other.pass(15 * SECOND);
    const [dark] = await told(receivers, `offline ${merchantId}`, 1);
    expect(dark).toMatchObject({ type: "shop.offline", data: { detail: "All its 2 terminals.", merchantId } });
  });

  it("is not over because a restored D1 lacks it", async ({ expect }) => {
    const receivers = Receivers.start();
    const here = await Scene.alone();
    const { id } = await lost(here);
    await add({ "terminal.offline": 1 });
    await told(receivers, id, 1);
    const { terminalId } = here.terminal;
    const prototype = await runInDurableObject(env.TERMINAL.getByName(terminalId), (object) =>
      Object.getPrototypeOf(object),
    );
    const silent = vi.spyOn(prototype as { retell: () => Promise<boolean> }, "retell");
    silent.mockRejectedValue(new Error("no object answers"));
    onTestFinished(() => silent.mockRestore());
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id = ?").bind(terminalId).run();
    await keeperStub(env).retell(null);
    const looks = countLooks();
    await eventually(async () => {
      await wake();
      expect(looks()).toBeGreaterThan(2);
    });
    expect(about(receivers, id)).toHaveLength(1);
  });

  it("is told at once if the settings say so, and again after nobody wanted it", async ({ expect }) => {
    const receivers = Receivers.start();
    const { id } = await lost(await Scene.alone());
    const looks = countLooks();
    const webhook = await add({});
    const set = (minutes: number | null) =>
      operator("PATCH", `${PATH}/${webhook.id}`, { alerts: { "terminal.offline": minutes } });
    for (const times of [1, 2]) {
      await eventually(() => expect(looks()).toBe(2 * times - 1));
      await set(0);
      await eventually(() => expect(about(receivers, id)).toHaveLength(times));
      await set(null);
    }
  });

  it("is a wave of declines, which is over an hour after it was last seen", async ({ expect }) => {
    const receivers = Receivers.start();
    const from = Date.now();
    const tally = emptyTally();
    const declined = { statusCode: "11", completedBy: "terminal", transType: "sale", responseCode: "51" } as const;
    for (let sale = 0; sale < 10; sale++) count(tally, declined, {});
    await env.DATABASE.prepare("INSERT OR REPLACE INTO statistics_hours (hour, counts, times) VALUES (?, ?, '{}')")
      .bind(from / HOUR, JSON.stringify(Object.fromEntries(tally.counts)))
      .run();
    onTestFinished(async () => void (await env.DATABASE.exec("DELETE FROM statistics_hours")));
    await add({ "declines.many": 0 });
    const [began] = await told(receivers, "declines 51", 1);
    expect(began).toMatchObject({ type: "declines.many", data: { responseCode: "51" } });
    expect(Date.parse(began?.data.since ?? "")).toBe(from - HOUR);
    const looks = countLooks();
    // The hour of the declines and the next one are looked at.
    while (Date.now() < from + 2.5 * HOUR) {
      const before = looks();
      skip(10 * MINUTE - 1);
      await wake();
      await eventually(() => expect(looks()).toBeGreaterThan(before));
    }
    expect(about(receivers, "declines 51")).toHaveLength(1);
    const [, ended] = await told(receivers, "declines 51", 2);
    expect(ended?.type).toBe("declines.many.ended");
  });
});

describe("an operators' webhook", () => {
  it("costs one look at D1 a minute while it is enabled, and nobody else does", async ({ expect }) => {
    const receivers = Receivers.start();
    const matter = await lost(await Scene.alone());
    const looks = countLooks();
    await keeperStub(env).tick();
    await pass(20 * MINUTE);
    expect(looks()).toBe(0);
    const from = Date.now();
    const { id } = await add({ "terminal.offline": 0 });
    // The first look is over.
    await eventually(() => expect(about(receivers, matter.id)).toHaveLength(1));
    // An alarm in between does not put the next one off.
    skip(MINUTE / 2);
    await runDurableObjectAlarm(keeper());
    expect([looks(), await alarm()]).toEqual([1, from + MINUTE]);
    for (let many = 2; many < 6; many++) {
      await eventually(async () => {
        await wake();
        expect(looks()).toBe(many);
      });
    }
    expect(Date.now() - from).toBeGreaterThanOrEqual(4 * MINUTE);
    waitForever();
    const { promise: slow, reject } = Promise.withResolvers<never>();
    slow.catch(() => undefined);
    const away = vi.spyOn(statements(), "all").mockReturnValue(slow);
    await eventually(async () => {
      await wake();
      expect(looks()).toBe(6);
    });
    // For a keeper that is reset meanwhile.
    expect(await alarm()).toBe(Date.now() + MINUTE);
    await wake();
    expect(looks()).toBe(6);
    const line = lines.length;
    reject(new Error("D1 does not answer"));
    await eventually(() => expect(logged("matters-not-read", line)).toHaveLength(1));
    away.mockReset();
    await operator("PATCH", `${PATH}/${id}`, { enabled: false });
    const before = looks();
    await pass(3 * MINUTE);
    expect(looks()).toBe(before);
  });
});
