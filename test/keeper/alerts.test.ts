/** What the operators' webhooks are told, when, and how often. Their calls: test/http/operator-alerts. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, onTestFinished, vi } from "vitest";
import { deliveryHeaders } from "../../src/account/webhooks/deliveries.ts";
import type { Alert } from "../../src/protocol/schemas/alerts.ts";
import type { Overview } from "../../src/http/operator/overview/responses.ts";
import { add, removeAll } from "../support/alert-webhooks.ts";
import { useFakeClock } from "../support/clock.ts";
import { operator } from "../support/gateway.ts";
import { eventually } from "../support/patience.ts";
import { type Received, Receivers } from "../support/receiver.ts";
import { reportedOpen, Scene } from "../support/scene.ts";

useFakeClock();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

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
  });

  it("reaches a receiver that was down, under the same id and in order, also after a new start", async ({ expect }) => {
    const receivers = Receivers.start(() => 503);
    const first = await lost(await Scene.alone());
    await add({ "terminal.offline": 1 });
    await told(receivers, first.id, 2);
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
    const failed = receivers.received.length;
    receivers.answer = () => 204;
    await told(receivers, second.id, 1);
    const [tried, taken] = [receivers.received.slice(0, failed + 1), receivers.received.slice(failed)];
    expect(new Set(tried.map(idOf)).size).toBe(1);
    expect(new Set(tried.map(({ body }) => body)).size).toBe(1);
    expect(new Set(taken.map(idOf)).size).toBe(taken.length);
    const numbers = taken.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
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
    await add({ "transaction.unresolved": 2, "transaction.contradicted": 0 });
    const [began] = await told(receivers, `unresolved ${requestId}`, 1);
    expect(began).toMatchObject({
      type: "transaction.unresolved",
      data: { requestId, posId: here.till.account.posId },
    });
    await here.resolve(requestId, "11", "The host knows of no such payment.");
    const [, ended] = await told(receivers, `unresolved ${requestId}`, 2);
    expect(ended?.type).toBe("transaction.unresolved.ended");
  });

  it("is D1 itself if it does not answer, which ends nothing else", async ({ expect }) => {
    const receivers = Receivers.start();
    const { id } = await lost(await Scene.alone());
    await add({ "terminal.offline": 1, "objects.behind": 10 });
    await told(receivers, id, 1);
    const statements = Object.getPrototypeOf(env.DATABASE.prepare("SELECT 1")) as D1PreparedStatement;
    const away = vi.spyOn(statements, "all").mockRejectedValue(new Error("D1 does not answer"));
    onTestFinished(() => away.mockRestore());
    const [began] = await told(receivers, "database", 1);
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
});
