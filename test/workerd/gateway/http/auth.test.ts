import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import {
  accessToken,
  type Account,
  call,
  createAccount,
  createAccountWithPassword,
  type ErrorBody,
  login,
  operator,
  type Tokens,
} from "../../../support/gateway.ts";
import { accountsWith, callWith } from "../../../support/environment.ts";

afterEach(() => {
  vi.useRealTimers();
});

function at(isoTime: string): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(isoTime) });
}

function refresh(token: string) {
  return call<Tokens & ErrorBody>("POST", "/auth/refresh", { token, headers: { "Content-Type": "application/json" } });
}

async function works(token: string): Promise<number> {
  return (await call("GET", "/api/terminals", { token })).status;
}

async function session(): Promise<{ account: Account; tokens: Tokens }> {
  const account = await createAccount();
  return { account, tokens: await login(account) };
}

async function statusWith(Authorization: string): Promise<number> {
  return (await call("GET", "/api/terminals", { headers: { Authorization } })).status;
}

describe("the Authorization header", () => {
  it("is Bearer, in any case, and one token", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    for (const right of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
      expect([right, await statusWith(right)]).toEqual([right, 200]);
    }
    for (const wrong of [
      `Bearer${token}`,
      `Basic ${token}`,
      `a Bearer ${token}`,
      `Bearer ${token} x`,
      `Bearer x ${token}`,
    ]) {
      expect([wrong, await statusWith(wrong)]).toEqual([wrong, 401]);
    }
  });
});

describe("an unsigned body", () => {
  it("may have any number in an unknown member", async ({ expect }) => {
    const { posId, password } = await createAccountWithPassword();
    const body = { posId, password, version: 1.5, serial: 1e20, offset: -0.1e-7 };
    expect((await call("POST", "/auth/login", { body })).status).toBe(200);
  });
});

describe("login", () => {
  it("returns times in ISO 8601 with the account's offset", async ({ expect }) => {
    const tokens = await login(await createAccount({ timezone: "America/St_Johns" }));
    for (const { expiresAt } of [tokens.access, tokens.refresh]) {
      expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-0[23]:30$/);
    }
    expect(tokens.refresh.expiresAt).toContain("T00:00:00.000");
    expect(await works(tokens.access.token)).toBe(200);
  });

  it("gives the access token 15 minutes and the refresh token the day", async ({ expect }) => {
    const account = await createAccount({ timezone: "Asia/Kuala_Lumpur" });
    at("2026-11-20T10:00:00.250Z");
    const tokens = await login(account);
    expect(tokens.access.expiresAt).toBe("2026-11-20T18:15:00.000+08:00");
    expect(tokens.refresh.expiresAt).toBe("2026-11-21T00:00:00.000+08:00");
  });

  it("ends both tokens at the account's midnight if that is earlier", async ({ expect }) => {
    const account = await createAccount({ timezone: "Asia/Kuala_Lumpur" });
    at("2026-11-20T15:50:00Z");
    const tokens = await login(account);
    expect(tokens.access.expiresAt).toBe("2026-11-21T00:00:00.000+08:00");
    expect(tokens.refresh.expiresAt).toBe("2026-11-21T00:00:00.000+08:00");
    at("2026-11-20T15:59:59.999Z");
    expect(await works(tokens.access.token)).toBe(200);
    at("2026-11-20T16:00:00.000Z");
    expect(await works(tokens.access.token)).toBe(401);
    expect((await refresh(tokens.refresh.token)).status).toBe(401);
  });

  it("reveals suspension or deletion only after the right password", async ({ expect }) => {
    const suspended = await createAccountWithPassword();
    await operator("PATCH", `/operator/accounts/${suspended.posId}`, { status: "suspended" });
    const deleted = await createAccountWithPassword();
    await operator("DELETE", `/operator/accounts/${deleted.posId}`);
    for (const { posId, password } of [suspended, deleted]) {
      const right = await call<ErrorBody>("POST", "/auth/login", { body: { posId, password } });
      expect(right.body).toMatchObject({ code: 40300, error: "forbidden" });
      const wrong = await call<ErrorBody>("POST", "/auth/login", { body: { posId, password: "another password" } });
      expect(wrong.status).toBe(401);
    }
  });

  it("uses the account's state at the moment the session opens", async ({ expect }) => {
    for (const [change, code] of [
      [{ status: "suspended" }, 40300],
      [{ password: "a new password meanwhile" }, 40100],
    ] as const) {
      const { posId, password } = await createAccountWithPassword();
      const ACCOUNT = accountsWith({
        [posId]: {
          openSession: async (...of) => {
            await operator("PATCH", `/operator/accounts/${posId}`, change);
            return accountStub(env, posId).openSession(...of);
          },
        },
      });
      const { body } = await callWith<ErrorBody>({ ACCOUNT }, "POST", "/auth/login", { body: { posId, password } });
      expect(body.code).toBe(code);
    }
  });

  it("names every field that is missing, empty or of another type", async ({ expect }) => {
    const { status, body } = await call<ErrorBody>("POST", "/auth/login", { body: { posId: null, password: 5 } });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path)).toEqual(["posId", "password"]);
    const empty = await call<ErrorBody>("POST", "/auth/login", { body: { posId: "", password: "" } });
    expect(empty.body.details?.map(({ path }) => path)).toEqual(["posId", "password"]);
  });
});

describe("refresh", () => {
  it("answers twenty simultaneous refreshes with the same token with one pair", async ({ expect }) => {
    const { tokens } = await session();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(tokens.refresh.token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await refresh(answers[0]?.body.refresh.token ?? "")).status).toBe(200);
  });

  it("stores no token, only what the pair is derived from", async ({ expect }) => {
    const { account, tokens } = await session();
    const rows = await runInDurableObject(env.ACCOUNT.getByName(account.posId), (_object, { storage }) =>
      storage.sql.exec("SELECT * FROM sessions").toArray(),
    );
    expect(rows).toHaveLength(1);
    const stored = JSON.stringify(rows);
    for (const { token } of [tokens.access, tokens.refresh]) {
      for (const part of token.split(".")) expect(stored).not.toContain(part);
    }
  });
});

describe("logout", () => {
  it("ends the session at once, by either of its tokens", async ({ expect }) => {
    for (const use of ["access", "refresh"] as const) {
      const account = await createAccount();
      const tokens = await login(account);
      const answer = await call("POST", "/auth/logout", { token: tokens[use].token });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ code: 20000 });
      expect(await works(tokens.access.token)).toBe(401);
      expect((await refresh(tokens.refresh.token)).status).toBe(401);
    }
  });
});
