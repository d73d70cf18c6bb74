/** The operators' webhooks, at the front door: what is told, when, how often, and where it may go. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, onTestFinished, vi } from "vitest";
import { deliveryHeaders } from "../../src/account/webhooks/deliveries.ts";
import type { Alert, AlertWebhook, AlertWebhookWithSecret } from "../../src/protocol/schemas/alerts.ts";
import type { Overview } from "../../src/http/operator/overview/responses.ts";
import { ALERT_MINUTES, ALERT_TYPES, type AlertSettings } from "../../src/protocol/alerts.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { type Answer, type ErrorBody, operator } from "../support/gateway.ts";
import { eventually } from "../support/patience.ts";
import { type Received, Receivers } from "../support/receiver.ts";
import { reportedOpen, Scene } from "../support/scene.ts";

useFakeClock();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PATH = "/operator/webhooks";
const ADDRESS = "https://pager.example.com/hooks/long-and-secret-path";

const keeper = () => env.KEEPER.getByName("keeper");

/** Only these types are told. */
function only(settings: Partial<AlertSettings>): AlertSettings {
  return { ...(Object.fromEntries(ALERT_TYPES.map((type) => [type, null])) as AlertSettings), ...settings };
}

async function add(settings: Partial<AlertSettings>): Promise<AlertWebhookWithSecret> {
  const { status, body } = await operator<AlertWebhookWithSecret>("POST", PATH, {
    url: ADDRESS,
    alerts: only(settings),
  });
  if (status !== 201) throw new Error(`no webhook: ${status} ${JSON.stringify(body)}`);
  return body;
}

async function all(): Promise<AlertWebhook[]> {
  return (await operator<{ data: AlertWebhook[] }>("GET", PATH)).body.data;
}

afterEach(async () => {
  for (const { id } of await all()) await operator("DELETE", `${PATH}/${id}`);
});

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

describe("an operators' webhook", () => {
  it("shows its secret once, keeps its address to itself, and leaves an audit row for each change", async ({
    expect,
  }) => {
    const receivers = Receivers.start();
    const { secret, ...shown } = await add({});
    expect(secret).toMatch(/^whsec_/u);
    expect(shown).toMatchObject({ url: "https://pager.example.com/…path", enabled: true, alerts: only({}) });
    expect(await all()).toEqual([shown]);
    const one = `${PATH}/${shown.id}`;
    const patched = await operator<AlertWebhook>("PATCH", one, { alerts: { "declines.many": 0 }, enabled: false });
    expect(patched.body).toMatchObject({ disabledBy: "operator", alerts: only({ "declines.many": 0 }) });
    expect((await operator<AlertWebhook>("PATCH", one, { enabled: true })).body.enabled).toBe(true);
    expect((await operator("POST", `${one}/secret`)).body["secret"]).not.toBe(secret);
    expect((await operator("POST", `${one}/replay`, { after: 0 })).status).toBe(200);
    expect((await operator("POST", `${one}/replay`, { after: 99 })).status).toBe(400);
    expect((await operator("POST", `${one}/test`)).body).toMatchObject({ status: 204 });
    expect((await operator("POST", `${one}/test`)).status).toBe(429);
    expect(receivers.received.map(({ type }) => type)).toEqual(["ping"]);
    skip(SECOND);
    expect((await operator("DELETE", one)).status).toBe(200);
    expect((await operator("GET", one)).status).toBe(404);
    expect((await operator("DELETE", one)).status).toBe(404);
    const rows = await operator<{ data: { action: string; details: { webhook?: string } }[] }>(
      "GET",
      "/operator/audit?target=alerts",
    );
    const own = rows.body.data.filter(({ details }) => details.webhook === shown.id).map(({ action }) => action);
    // None for what was refused: a replay after 99, and a second deletion.
    expect(own).toEqual(["webhook.delete", "webhook.replay", "webhook.secret", "webhook.change", "webhook.change"]);
    const replay = rows.body.data.find(({ action }) => action === "webhook.replay");
    expect(replay?.details).toEqual({ webhook: shown.id, after: 0 });
    expect(JSON.stringify(rows.body)).not.toContain("secret-path");
    expect(rows.body.data.find(({ action }) => action === "webhook.create")?.details).toMatchObject({
      host: "pager.example.com",
    });
  });

  it.for([
    ["http://pager.example.com/", "https"],
    ["https://10.0.0.1/", "public name"],
    ["https://2130706433/", "public name"],
    ["https://pager.internal/", "public name"],
    ["https://pager.example.com:8443/", "port"],
    ["https://me:secret@pager.example.com/", "password"],
    ["https://gateway.test/operator/webhooks", "public name"],
  ])("is refused at %s", async ([url, words], { expect }) => {
    const { status, body }: Answer<ErrorBody> = await operator("POST", PATH, { url });
    expect([status, body.details?.[0]?.path]).toEqual([400, "url"]);
    expect(body.details?.[0]?.message).toContain(words);
    expect(JSON.stringify(body)).not.toContain(url);
  });

  it("has an audit row for each of several calls at once that is not refused, and for no other", async ({ expect }) => {
    const { id } = await add({});
    const path = `${PATH}/${id}`;
    const answers = await Promise.all([
      operator("DELETE", path),
      operator("POST", `${path}/replay`, { after: 0 }),
      operator("DELETE", path),
    ]);
    const made = answers.filter(({ status }) => status === 200).length;
    expect([1, 2]).toContain(made);
    const { body } = await operator<{ data: { details: { webhook?: string } }[] }>(
      "GET",
      "/operator/audit?target=alerts",
    );
    expect(body.data.filter(({ details }) => details.webhook === id)).toHaveLength(made);
  });

  it("names a setting that it does not have, and its fourth is refused", async ({ expect }) => {
    for (const alerts of [{ "terminal.offline": -1 }, { "terminal.offline": "5" }, { nothing: 5 }, 5]) {
      const { status, body }: Answer<ErrorBody> = await operator("POST", PATH, { url: ADDRESS, alerts });
      expect([status, body.details?.[0]?.path.split(".")[0]]).toEqual([400, "alerts"]);
    }
    for (const minutes of [-1, 0.5, ALERT_MINUTES + 1]) {
      const alerts = { "terminal.offline": minutes };
      const { body }: Answer<ErrorBody> = await operator("POST", PATH, { url: ADDRESS, alerts });
      expect(body.details?.[0]?.message).toBe(
        `Send a whole number of minutes from 0 to ${ALERT_MINUTES}, or null for never.`,
      );
    }
    for (const minutes of [0, 1, ALERT_MINUTES]) await add({ "terminal.offline": minutes });
    expect((await operator("POST", PATH, { url: ADDRESS })).status).toBe(400);
  });
});
