import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  call,
  createAccount,
  createAccountWithPassword,
  type ErrorBody,
  login,
  operator,
  OPERATOR_TOKEN,
  uniqueId,
} from "../../../support/gateway.ts";
import { Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { eventually } from "../../../support/patience.ts";

interface View {
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
  name: string | null;
  region: string | null;
  status: string;
  createdAt: string;
  signingKey?: string;
}

interface Page {
  data: View[];
  next: string | null;
}

afterEach(() => {
  vi.useRealTimers();
});

function body(overrides: object = {}): object {
  return {
    posId: uniqueId("pos"),
    password: "a password of some length",
    merchantId: "shop",
    currency: "myr",
    timezone: "Asia/Kuala_Lumpur",
    ...overrides,
  };
}

/** Whether the gateway accepts signatures with this key. */
async function signs(pos: Pos, signingKey: string): Promise<boolean> {
  const signed = new Pos({ ...pos.account, signingKey }, pos.terminal, await accessToken(pos.account));
  const { body: answer } = await signed.getLast();
  return answer.details?.every(({ path }) => path !== "signature") ?? true;
}

describe("creating an account", () => {
  it("answers 201 with the signing key, which is shown only this once", async ({ expect }) => {
    const posId = uniqueId("pos");
    const created = await operator<View>("POST", "/operator/accounts", body({ posId, name: "Corner shop" }));
    expect(created.status).toBe(201);
    const { signingKey, ...view } = created.body;
    expect(signingKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(view).toEqual({
      posId,
      merchantId: "shop",
      currency: "MYR",
      timezone: "Asia/Kuala_Lumpur",
      name: "Corner shop",
      region: null,
      status: "active",
      signedChanges: false,
      createdAt: expect.stringMatching(/\+00:00$/) as string,
    });
    expect((await operator("GET", `/operator/accounts/${posId}`)).body).toEqual(view);
    // In case D1 is restored to before.
    const made = await runInDurableObject(env.COORDINATOR.getByName("coordinator"), (_object, { storage }) =>
      storage.sql.exec("SELECT object FROM created").toArray(),
    );
    expect(made).toContainEqual({ object: `account:${posId}` });
  });

  it("keeps the region that the operator names, and refuses an unknown one", async ({ expect }) => {
    const posId = uniqueId("pos");
    const created = await operator<View>("POST", "/operator/accounts", body({ posId, region: "weur" }));
    expect(created.body.region).toBe("weur");
    expect((await operator<View>("GET", `/operator/accounts/${posId}`)).body.region).toBe("weur");
    const refused = await operator<ErrorBody>("POST", "/operator/accounts", body({ region: "moon" }));
    expect([refused.status, refused.body.details?.map(({ path }) => path)]).toEqual([400, ["region"]]);
    expect(refused.body.details?.[0]?.message).toContain("apac");
  });

  it("creates its object in that region, or else near the time zone", async ({ expect }) => {
    for (const [members, near] of [
      [{ region: "weur" }, { locationHint: "weur" }],
      [{}, { locationHint: "apac" }],
      [{ timezone: "UTC" }, undefined],
    ] as const) {
      let seen: unknown;
      const ACCOUNT = {
        getByName: (name: string, options: unknown) => {
          seen = options;
          return env.ACCOUNT.getByName(name);
        },
      };
      const answer = await callWith({ ACCOUNT }, "POST", "/operator/accounts", {
        token: OPERATOR_TOKEN,
        body: body(members),
      });
      expect([answer.status, seen]).toEqual([201, near]);
    }
  });

  it("names every field that is wrong", async ({ expect }) => {
    const wrong = {
      posId: "x".repeat(25),
      password: "eleven char",
      merchantId: "a b",
      currency: "RM",
      timezone: "+08",
    };
    const { status, body: answer } = await operator<ErrorBody>("POST", "/operator/accounts", wrong);
    expect(status).toBe(400);
    expect(answer.details?.map(({ path }) => path)).toEqual(Object.keys(wrong));
    const none = await operator<ErrorBody>("POST", "/operator/accounts", {});
    const required = Object.keys(wrong).filter((name) => name !== "password");
    expect(none.body.details?.map(({ path }) => path)).toEqual(required);
    expect(none.body.details?.every(({ message }) => message.includes("required"))).toBe(true);
  });

  it("accepts only a currency with two decimals, also when changed", async ({ expect }) => {
    const posId = uniqueId("pos");
    for (const currency of ["JPY", "kwd", "CLF"]) {
      const { status, body: answer } = await operator<ErrorBody>(
        "POST",
        "/operator/accounts",
        body({ posId, currency }),
      );
      expect([status, answer.details?.[0]?.path]).toEqual([400, "currency"]);
      expect(answer.details?.[0]?.message).toContain("two decimals");
    }
    expect((await operator("POST", "/operator/accounts", body({ posId, currency: "IDR" }))).status).toBe(201);
    expect((await operator("PATCH", `/operator/accounts/${posId}`, { currency: "JPY" })).status).toBe(400);
  });

  it("refuses a chosen password that looks like the gateway's own", async ({ expect }) => {
    // The limits on failed logins do not hold for passwords of this form.
    const password = "correct-horse-battery-stapl";
    const refused = await operator<ErrorBody>("POST", "/operator/accounts", body({ password }));
    expect([refused.status, refused.body.details?.map(({ path }) => path)]).toEqual([400, ["password"]]);
    const { posId } = await createAccount();
    expect((await operator("PATCH", `/operator/accounts/${posId}`, { password })).status).toBe(400);
    expect((await operator("PATCH", `/operator/accounts/${posId}`, { password: `${password}e` })).status).toBe(200);
  });

  it("answers 409 to a posId that is or was taken", async ({ expect }) => {
    const wanted = body();
    const answers = await Promise.all([1, 2].map(() => operator("POST", "/operator/accounts", wanted)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    const { posId } = await createAccount();
    await operator("DELETE", `/operator/accounts/${posId}`);
    const again = await operator<ErrorBody>("POST", "/operator/accounts", body({ posId }));
    expect(again.body).toMatchObject({ code: 40900, error: "conflict" });
  });

  it("answers 409 to a posId in another case, 400 to dots", async ({ expect }) => {
    const { posId } = await createAccount();
    const again = await operator<ErrorBody>("POST", "/operator/accounts", body({ posId: posId.toUpperCase() }));
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining(posId)]);
    for (const dots of [".", ".."]) {
      const refused = await operator<ErrorBody>("POST", "/operator/accounts", body({ posId: dots }));
      expect([refused.status, refused.body.details]).toMatchObject([400, [{ path: "posId" }]]);
    }
    expect((await operator("POST", "/operator/accounts", body({ posId: `..${posId.slice(6)}` }))).status).toBe(201);
  });
});

describe("listing accounts", () => {
  it("pages through all of them by cursor", async ({ expect }) => {
    const prefix = uniqueId("page").slice(0, 12);
    const ids = [1, 2, 3, 4, 5].map((number) => `${prefix}-${number}`);
    for (const posId of ids) await createAccount({ posId });
    const seen: string[] = [];
    let cursor = prefix;
    for (let pages = 0; pages < 3; pages++) {
      const page = await operator<Page>("GET", `/operator/accounts?limit=2&cursor=${cursor}`);
      seen.push(...page.body.data.map(({ posId }) => posId));
      cursor = page.body.next ?? "";
    }
    expect(seen.filter((posId) => posId.startsWith(prefix))).toEqual(ids);
    expect(seen.slice(0, 5)).toEqual(ids);
  });
});

describe("changing an account", () => {
  it("changes what is named and nothing else", async ({ expect }) => {
    const { posId, merchantId } = await createAccount();
    const path = `/operator/accounts/${posId}`;
    const changed = await operator<View>("PATCH", path, { currency: "sgd", name: "New", timezone: null, status: "" });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ posId, merchantId, currency: "SGD", name: "New", status: "active" });
    expect(changed.body.timezone).toBe("Asia/Kuala_Lumpur");
    expect((await operator("GET", path)).body).toEqual(changed.body);
    const signed = await operator<View>("PATCH", path, { signedChanges: true });
    expect(signed.body).toEqual({ ...changed.body, signedChanges: true });
    expect((await operator("GET", path)).body).toEqual(signed.body);
  });

  it("refuses empty changes, and invalid values", async ({ expect }) => {
    const { posId } = await createAccount();
    const path = `/operator/accounts/${posId}`;
    expect((await operator("PATCH", path, {})).status).toBe(400);
    expect((await operator("PATCH", path, { posId: "another" })).status).toBe(400);
    const { body: answer } = await operator<ErrorBody>("PATCH", path, { status: "deleted", password: "short" });
    expect(answer.details?.map(({ path: at }) => at)).toEqual(["status", "password"]);
    expect((await operator("PATCH", "/operator/accounts/nobody", { name: "x" })).status).toBe(404);
  });

  it("ends sessions when suspended, and allows logins when active again", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const path = `/operator/accounts/${account.posId}`;
    await operator("PATCH", path, { status: "suspended" });
    expect((await call("GET", "/api/terminals", { token })).status).toBe(403);
    await operator("PATCH", path, { status: "active" });
    expect((await call("GET", "/api/terminals", { token })).status).toBe(401);
    expect((await call("GET", "/api/terminals", { token: await accessToken(account) })).status).toBe(200);
  });

  it("cancels queued requests when suspended, and lets sent ones continue", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await ScriptedTerminal.connect(pos.terminal);
    const running = pos.sale();
    const request = await terminal.acceptNext();
    const queued = pos.sale();
    // The queue is not visible from outside; an inquiry that finds the second sale running proves that it is in it.
    await eventually(async () => {
      const entries = await operator<{ data: object[] }>(
        "GET",
        `/operator/terminals/${pos.terminal.terminalId}/transactions`,
      );
      expect(entries.body.data).toHaveLength(2);
    });
    await operator("PATCH", `/operator/accounts/${pos.account.posId}`, { status: "suspended" });
    expect((await queued).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    terminal.result(request, "00");
    expect((await running).body).toMatchObject({ statusCode: "00" });
    terminal.drop();
  });

  it("ends the sessions and the old password with a new one", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const password = "another password altogether";
    await operator("PATCH", `/operator/accounts/${account.posId}`, { password });
    expect((await call("GET", "/api/terminals", { token })).status).toBe(401);
    expect((await call("POST", "/auth/login", { body: account })).status).toBe(401);
    expect((await login({ ...account, password })).access.token).toBeTruthy();
  });

  it("shows a generated password once, and ends sessions", async ({ expect }) => {
    const account = await createAccountWithPassword();
    const token = await accessToken(account);
    const path = `/operator/accounts/${account.posId}`;
    const drawn = await operator<{ posId: string; password: string }>("POST", `${path}/password`);
    expect(drawn).toMatchObject({
      status: 200,
      body: { posId: account.posId, password: expect.stringMatching(/^[A-Za-z0-9_-]{27}$/u) },
    });
    const { password } = drawn.body;
    expect((await call("GET", "/api/terminals", { token })).status).toBe(401);
    expect((await call("POST", "/auth/login", { body: account })).status).toBe(401);
    expect((await login({ ...account, password })).access.token).toBeTruthy();
    expect(JSON.stringify((await operator("GET", path)).body)).not.toContain(password);
    const audit = await operator("GET", "/operator/audit");
    const rows = audit.body["data"] as { target: string; action: string; details: object }[];
    expect(rows.find(({ target }) => target === account.posId)).toMatchObject({
      action: "account.change",
      details: { password: true },
    });
    expect(JSON.stringify(rows)).not.toContain(password);
    const again = await operator<{ password: string }>("POST", `${path}/password`);
    expect(again.body.password).not.toBe(password);
    expect((await operator("POST", "/operator/accounts/nobody/password")).status).toBe(404);
    await operator("DELETE", path);
    expect((await operator("POST", `${path}/password`)).status).toBe(409);
  });
});

describe("rotating a signing key", () => {
  interface Rotated {
    signingKey: string;
    previousValidUntil: string | null;
  }

  it("returns a new key and keeps the previous one for 24 hours", async ({ expect }) => {
    const pos = await Pos.create();
    const path = `/operator/accounts/${pos.account.posId}/signing-key`;
    const { status, body: rotated } = await operator<Rotated>("POST", path);
    expect(status).toBe(200);
    expect(rotated.signingKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await signs(pos, rotated.signingKey)).toBe(true);
    expect(await signs(pos, pos.account.signingKey)).toBe(true);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(rotated.previousValidUntil ?? "") });
    expect(await signs(pos, rotated.signingKey)).toBe(true);
    expect(await signs(pos, pos.account.signingKey)).toBe(false);
  });
});

describe("an unknown posId", () => {
  it("creates no object for any call about it", async ({ expect }) => {
    let objects = 0;
    const ACCOUNT = {
      getByName: (name: string) => {
        objects += 1;
        return env.ACCOUNT.getByName(name);
      },
    };
    const path = "/operator/accounts/nobody";
    for (const [method, at, options, status] of [
      ["GET", path, { token: OPERATOR_TOKEN }, 404],
      ["PATCH", path, { token: OPERATOR_TOKEN, body: { name: "x" } }, 404],
      ["DELETE", path, { token: OPERATOR_TOKEN }, 404],
      ["POST", `${path}/signing-key`, { token: OPERATOR_TOKEN }, 404],
    ] as const) {
      expect([method, at, (await callWith({ ACCOUNT }, method, at, options)).status]).toEqual([method, at, status]);
    }
    expect(objects).toBe(0);
  });
});
