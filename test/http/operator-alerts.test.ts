/** The operators' webhooks, at the front door. What they are told: test/keeper/alerts. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it } from "vitest";
import type { AlertWebhook } from "../../src/protocol/schemas/alerts.ts";
import { ALERT_MINUTES } from "../../src/protocol/alerts.ts";
import { add, ADDRESS, all, only, PATH, removeAll } from "../support/alert-webhooks.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { type Answer, type ErrorBody, operator } from "../support/gateway.ts";
import { Receivers } from "../support/receiver.ts";

useFakeClock();

const SECOND = 1_000;

afterEach(removeAll);

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
    expect((await operator<AlertWebhook>("PATCH", one, { url: null, enabled: true })).body.enabled).toBe(true);
    expect((await operator("POST", `${one}/secret`)).body["secret"]).not.toBe(secret);
    expect((await operator("POST", `${one}/replay`, { after: 0 })).status).toBe(200);
    expect((await operator("POST", `${one}/replay`, { after: 99 })).status).toBe(400);
    expect((await operator("POST", `${one}/test`)).body).toMatchObject({ status: 204 });
    expect((await operator("POST", `${one}/test`)).status).toBe(429);
    expect(receivers.received.map(({ type }) => type)).toEqual(["ping"]);
    skip(SECOND);
    const url = "https://oncall.example.com/another-secret-path";
    expect((await operator("PATCH", one, { url })).body["url"]).toBe("https://oncall.example.com/…path");
    expect((await operator("DELETE", one)).status).toBe(200);
    const kept = await runInDurableObject(env.KEEPER.getByName("keeper"), (_object, { storage }) =>
      storage.sql.exec("SELECT settings FROM alert_settings").toArray(),
    );
    expect(kept).toEqual([]);
    expect((await operator("GET", one)).status).toBe(404);
    expect((await operator("DELETE", one)).status).toBe(404);
    const rows = await operator<{ data: { action: string; details: { webhook?: string } }[] }>(
      "GET",
      "/operator/audit?target=alerts",
    );
    const own = rows.body.data.filter(({ details }) => details.webhook === shown.id).map(({ action }) => action);
    // None for what was refused: a replay after 99, and a second deletion.
    expect(own.map((action) => action.replace("webhook.", ""))).toEqual([
      "delete",
      "change",
      "replay",
      "secret",
      "change",
      "change",
    ]);
    expect(JSON.stringify(rows.body)).not.toContain("secret-path");
    const detailsOf = (wanted: string) =>
      rows.body.data.filter(({ action }) => action === wanted).map(({ details }) => details);
    expect(detailsOf("webhook.replay")).toEqual([{ webhook: shown.id, after: 0 }]);
    expect(detailsOf("webhook.change")).toEqual([
      { webhook: shown.id, host: "oncall.example.com" },
      { webhook: shown.id, enabled: true },
      { webhook: shown.id, enabled: false, alerts: '{"declines.many":0}' },
    ]);
    expect(detailsOf("webhook.create")).toEqual([{ host: "pager.example.com", alerts: JSON.stringify(only({})) }]);
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
