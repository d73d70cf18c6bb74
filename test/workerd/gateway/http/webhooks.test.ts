/** An account's webhooks, at the front door. */
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../src/protocol/time/datetime.ts";
import {
  accessToken,
  type Account,
  BASE_URL,
  call,
  createAccount,
  type ErrorBody,
  operator,
  requestOf,
} from "../../../support/gateway.ts";
import { auditOf, type AuditRow } from "../../../support/audit.ts";
import { callWith, HangingDatabase } from "../../../support/environment.ts";
import { lines } from "../../../support/log-lines.ts";
import { eventually } from "../../../support/patience.ts";
import { Receivers } from "../../../support/receiver.ts";
import { ADDRESS, signedCallBody, WebhookAccount } from "../../../support/webhooks.ts";
import type { Webhook, WebhookState } from "../../../../src/protocol/webhooks.ts";

/** A new account, logged in. */
async function shop(): Promise<WebhookAccount> {
  const account = await createAccount();
  return new WebhookAccount(account, await accessToken(account));
}

let common: WebhookAccount;

beforeAll(async () => {
  common = await shop();
});

function paths({ details = [] }: ErrorBody): string[] {
  return details.map(({ path }) => path);
}

/** Everything that the account's object stores about its endpoints. */
function kept({ account }: WebhookAccount): Promise<string> {
  return runInDurableObject(env.ACCOUNT.getByName(account.posId), (_object, { storage }) =>
    JSON.stringify([...storage.sql.exec("SELECT * FROM webhooks")]),
  );
}

async function auditedChanges(posId: string): Promise<AuditRow[]> {
  return (await auditOf(posId)).filter(({ action }) => action.startsWith("webhook."));
}

describe("a new webhook", () => {
  it("is answered with its id and secret, shown only once", async ({ expect }) => {
    const own = await shop();
    const { status, body } = await own.add();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: "wh_1",
      url: "https://books.example.com/…path",
      enabled: true,
      disabledBy: null,
      cursor: 0,
      behind: 0,
      skipped: 0,
      attempts: [],
      nextAttempt: null,
      previousSecretUntil: null,
    });
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(Buffer.from(body.secret.slice(6), "base64")).toHaveLength(32);
    const { secret, ...shown } = body;
    expect(await own.list()).toEqual([shown]);
    expect((await own.get("wh_1")).body).toEqual(shown);
    expect(await kept(own)).not.toContain(secret.slice(6));
    expect(await kept(own)).not.toContain("secret-path");
  });

  it("needs an address that may be called", async ({ expect }) => {
    for (const url of [
      "http://books.example.com/",
      "https://127.0.0.1/",
      "https://localhost/",
      "http://localhost:9000/",
    ]) {
      const { status, body } = await common.add(url);
      expect([url, status, paths(body)]).toEqual([url, 400, ["url"]]);
      expect(JSON.stringify(body)).not.toContain(url);
    }
    expect(paths((await common.signed("POST", "/api/webhooks", {})).body)).toEqual(["url"]);
    expect((await common.add(`${BASE_URL}/`)).status).toBe(400);
  });

  it("may be on the machine where the gateway is called", async ({ expect }) => {
    const own = await shop();
    const body = signedCallBody(own.account, "POST", "/api/webhooks", { url: "http://localhost:9000/hook" });
    const local = requestOf("http://localhost:8787", "POST", "/api/webhooks", { token: own.token, body });
    const response = await exports.default.fetch(local);
    expect(response.status).toBe(201);
    expect((await response.json<Webhook>()).url).toBe("http://localhost:9000/…hook");
  });
});

describe("a call that changes webhooks", () => {
  it("has to be signed with the account's key, over what was sent", async ({ expect }) => {
    const path = "/api/webhooks";
    const body = { ...signedCallBody(common.account, "POST", path, { url: ADDRESS }) };
    for (const changed of [
      { ...body, url: `${ADDRESS}2` },
      { ...body, signature: "0".repeat(64) },
      { ...body, signature: "none" },
      { ...body, more: "that was not signed" },
      { ...signedCallBody({ ...common.account, signingKey: "another" }, "POST", path, { url: ADDRESS }) },
    ]) {
      const answer = await call<ErrorBody>("POST", path, { token: common.token, body: changed });
      expect([answer.status, paths(answer.body)]).toEqual([400, ["signature"]]);
    }
    expect(await common.list()).toEqual([]);
  });

  it("is valid once, and uses its nonce even when refused", async ({ expect }) => {
    const own = await shop();
    const path = "/api/webhooks";
    const body = signedCallBody(own.account, "POST", path, { url: ADDRESS });
    expect((await call("POST", path, { token: own.token, body })).status).toBe(201);
    await own.remove("wh_1");
    const again = await call<ErrorBody>("POST", path, { token: own.token, body });
    expect([again.status, paths(again.body)]).toEqual([400, ["nonce"]]);
    const nonce = crypto.randomUUID();
    const refused = await own.signed("POST", path, { url: ADDRESS, nonce });
    expect(refused.status).toBe(201);
    expect(paths((await own.signed("DELETE", `${path}/wh_2`, { nonce })).body)).toEqual(["nonce"]);
  });

  it("is valid nowhere else: it names its method and its path", async ({ expect }) => {
    const own = await shop();
    await own.added();
    await own.added();
    const body = signedCallBody(own.account, "DELETE", "/api/webhooks/wh_1");
    for (const [method, path] of [
      ["DELETE", "/api/webhooks/wh_2"],
      ["POST", "/api/webhooks/wh_1/secret"],
      ["PATCH", "/api/webhooks/wh_1"],
    ] as const) {
      const answer = await call<ErrorBody>(method, path, { token: own.token, body });
      expect([answer.status, paths(answer.body)[0]]).toEqual([400, "call"]);
    }
    expect(await own.list()).toHaveLength(2);
  });

  it("names everything that is missing in one answer", async ({ expect }) => {
    const { status, body } = await call<ErrorBody>("POST", "/api/webhooks", { token: common.token, body: {} });
    expect([status, paths(body).toSorted()]).toEqual([400, ["call", "datetime", "nonce", "posId", "signature", "url"]]);
  });

  it("belongs to the account of its token", async ({ expect }) => {
    const other = await createAccount();
    const body = signedCallBody(other, "POST", "/api/webhooks", { url: ADDRESS });
    const answer = await call<ErrorBody>("POST", "/api/webhooks", { token: common.token, body });
    expect([answer.status, paths(answer.body)]).toEqual([400, ["posId"]]);
  });

  it("leaves an audit row with the host only, not the address", async ({ expect }) => {
    const own = await shop();
    const { posId } = own.account;
    await own.added();
    await own.change("wh_1", { enabled: false });
    await own.change("wh_1", { url: "https://other.example.com/another-secret-path" });
    await own.secret("wh_1");
    await own.replay("wh_1", 0);
    await own.remove("wh_1");
    const actions = ["create", "change", "change", "secret", "replay", "delete"].map((action) => `webhook.${action}`);
    await eventually(async () => expect((await auditedChanges(posId)).map(({ action }) => action)).toEqual(actions));
    const rows = await auditedChanges(posId);
    expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set([`account:${posId}`]));
    expect(JSON.stringify(rows[2]?.details)).toContain("other.example.com");
    expect(JSON.stringify(rows)).not.toContain("secret-path");
  });

  it("works while D1 does not answer", async ({ expect }) => {
    const { account, token } = common;
    const DATABASE = new HangingDatabase();
    const body = signedCallBody(account, "POST", "/api/webhooks", { url: ADDRESS });
    const made = await callWith<Webhook>({ DATABASE }, "POST", "/api/webhooks", { token, body });
    expect(made.status).toBe(201);
    DATABASE.recover();
    expect((await common.remove(made.body.id)).status).toBe(200);
  });
});

describe("a webhook", () => {
  it("is not found by any call if it does not exist", async ({ expect }) => {
    const answers = await Promise.all([
      common.get("wh_9"),
      common.get("wh_0"),
      common.get("nothing"),
      common.change("wh_9", { enabled: true }),
      common.remove("wh_9"),
      common.secret("wh_9"),
      common.replay("wh_9", 0),
      common.test("wh_9"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

describe("a ping", () => {
  it("is signed, sent outside the order, and returns what the endpoint answered", async ({ expect }) => {
    const receivers = Receivers.start(() => 202);
    const own = await shop();
    await own.added();
    const { status, body } = await own.test("wh_1");
    expect(status).toBe(200);
    expect(body).toEqual({ status: 202, milliseconds: body.milliseconds });
    const [ping] = receivers.received;
    expect(ping?.url).toBe(ADDRESS);
    expect(ping?.redirect).toBe("manual");
    expect(JSON.parse(ping?.body ?? "")).toMatchObject({ type: "ping", data: {} });
    expect(ping?.headers.get("webhook-id")).toBe((JSON.parse(ping?.body ?? "") as { id: string }).id);
    expect((await own.get("wh_1")).body).toMatchObject({ cursor: 0, attempts: [] });
  });
});

describe("an operator", () => {
  it("sees host and state of an endpoint, and stops it", async ({ expect }) => {
    const own = await shop();
    const { posId } = own.account;
    await own.added();
    const path = `/operator/accounts/${posId}/webhooks`;
    const listed = await operator<{ data: WebhookState[] }>("GET", path);
    expect(listed.body.data).toEqual([
      {
        id: "wh_1",
        host: "books.example.com",
        enabled: true,
        disabledBy: null,
        cursor: 0,
        behind: 0,
        skipped: 0,
        nextAttempt: null,
      },
    ]);
    const stopped = await operator<WebhookState>("PATCH", `${path}/wh_1`, { enabled: false });
    expect(stopped.body).toMatchObject({ enabled: false, disabledBy: "operator", behind: 1 });
    expect((await own.get("wh_1")).body).toMatchObject({ enabled: false, disabledBy: "operator", behind: 1 });
    expect((await auditedChanges(posId)).at(-1)).toMatchObject({ actor: "tester", action: "webhook.change" });
    const refused = await own.change("wh_1", { enabled: true });
    expect([refused.status, refused.body]).toMatchObject([400, { details: [{ path: "enabled" }] }]);
    for (const [answer, member] of [
      [await own.test("wh_1"), ""],
      [await own.remove("wh_1"), ""],
      [await own.add(), "url"],
    ] as const) {
      expect([answer.status, paths(answer.body)]).toEqual([400, [member]]);
      expect(answer.body.details?.[0]?.message).toContain("The operator has stopped");
    }
    const started = await operator<WebhookState>("PATCH", `${path}/wh_1`, { enabled: true });
    expect(started.body).toMatchObject({ enabled: true, disabledBy: null });
    for (const enabled of ["false", undefined]) {
      expect((await operator("PATCH", `${path}/wh_1`, { enabled })).status).toBe(400);
    }
    expect((await operator("PATCH", `${path}/wh_7`, { enabled: false })).status).toBe(404);
    expect((await operator("GET", "/operator/accounts/nobody/webhooks")).status).toBe(404);
    expect((await operator("PATCH", "/operator/accounts/nobody/webhooks/wh_1", { enabled: false })).status).toBe(404);
  });
});

describe("the log", () => {
  it("never has an address or a secret of a webhook", async ({ expect }) => {
    Receivers.start(() => 500);
    const own = await shop();
    const { secret } = await own.added();
    await own.test("wh_1");
    await own.secret("wh_1");
    await operator("PATCH", `/operator/accounts/${own.account.posId}/webhooks/wh_1`, { enabled: false });
    for (const line of lines) {
      expect(line).not.toContain("secret-path");
      expect(line).not.toContain(secret);
    }
  });
});

describe("a signature of another kind of message", () => {
  it("is refused: a transfer at a webhook's path changes nothing", async ({ expect }) => {
    const own: { account: Account } = common;
    const body = withSignature(
      { posId: own.account.posId, datetime: formatDatetime(Date.now()), transType: "getLast", url: ADDRESS },
      own.account.signingKey,
    );
    const answer = await call<ErrorBody>("POST", "/api/webhooks", { token: common.token, body });
    expect(answer.status).toBe(400);
    expect(paths(answer.body)).toEqual(expect.arrayContaining(["call", "nonce", "transType"]));
  });
});
