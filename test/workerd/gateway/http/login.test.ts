/** The three credentials of an account: a password, a password that the gateway created, and its signing key. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { CLOCK_TOLERANCE } from "../../../../src/protocol/limits.ts";
import { accountsWith, callWith, HangingDatabase } from "../../../support/environment.ts";
import {
  call,
  createAccount,
  createAccountWithPassword,
  type ErrorBody,
  login,
  operator,
  signedLogin,
  type Tokens,
  uniqueId,
  withoutForm,
} from "../../../support/gateway.ts";
import { lines } from "../../../support/log-lines.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function send(body: object) {
  return call<ErrorBody & Tokens>("POST", "/auth/login", { body });
}

/** The text of a body, in which the member "@" is the number 1.50. */
function written(body: object): string {
  return JSON.stringify(body).replace('"@"', "1.50");
}

/** The paths that a 400 names. */
async function refusedPaths(body: object): Promise<string[] | undefined> {
  const { status, body: answer } = await send(body);
  return status === 400 ? answer.details?.map(({ path }) => path) : [`answered ${status}`];
}

describe("an account without a chosen password", () => {
  it("gets a generated password, shown once, and logs in with it", async ({ expect }) => {
    const { posId, merchantId, currency, timezone } = await createAccount();
    const body = { posId: uniqueId("pos"), merchantId, currency, timezone };
    const made = await operator<{ password: string; signingKey: string }>("POST", "/operator/accounts", body);
    expect(made.status).toBe(201);
    expect(made.body.password).toMatch(/^[A-Za-z0-9_-]{27}$/u);
    expect((await login({ posId: body.posId, password: made.body.password })).access.token).toBeTruthy();
    expect((await send({ posId: body.posId, password: `${made.body.password}x` })).status).toBe(401);
    const shown = await operator("GET", `/operator/accounts/${posId}`);
    expect(JSON.stringify(shown.body)).not.toContain(made.body.password);
  });

  it("includes one created with a null or empty password", async ({ expect }) => {
    const { merchantId, currency, timezone } = await createAccount();
    const make = async (password: unknown) => {
      const body = { posId: uniqueId("pos"), merchantId, currency, timezone, password };
      return (await operator("POST", "/operator/accounts", body)).body;
    };
    expect(await make(null)).toHaveProperty("password");
    expect(await make("")).toHaveProperty("password");
    expect(await make("a password of some length")).not.toHaveProperty("password");
  });
});

/** Calls of accounts' objects by the Worker, by name. */
function countCalls(): { calls: string[]; ACCOUNT: unknown } {
  const calls: string[] = [];
  const getByName = (name: string): object =>
    new Proxy(env.ACCOUNT.getByName(name), {
      get: (stub, member) => {
        calls.push(String(member));
        return Reflect.get(stub, member) as unknown;
      },
    });
  return { calls, ACCOUNT: { getByName } };
}

describe("a login", () => {
  it("is one call to the account's object and none to D1", async ({ expect }) => {
    const [account, chosen] = [await createAccount(), await createAccountWithPassword()];
    const { posId, password } = account;
    for (const [asked, message, status] of [
      ["openSession", { posId, password }, 200],
      ["openSession", { posId: chosen.posId, password: chosen.password }, 200],
      ["openSession", { posId, password: "x" }, 401],
      ["openSession", { posId: uniqueId("pos"), password }, 401],
      ["openSignedSession", signedLogin(account), 200],
      ["openSignedSession", signedLogin({ ...account, posId: uniqueId("pos") }), 401],
    ] as const) {
      const { calls, ACCOUNT } = countCalls();
      const database = new HangingDatabase();
      const answer = await callWith({ ACCOUNT, DATABASE: database }, "POST", "/auth/login", { body: message });
      expect([answer.status, calls, database.calls]).toEqual([status, [asked], 0]);
    }
  });

  it("leaves nothing behind for a posId that does not exist", async ({ expect }) => {
    const account = await createAccount();
    for (const isSigned of [false, true]) {
      const posId = uniqueId("pos");
      const body = isSigned ? signedLogin({ ...account, posId }) : { posId, password: account.password };
      expect((await send(body)).status).toBe(401);
      const stored = await runInDurableObject(env.ACCOUNT.getByName(posId), async (_object, { storage }) => [
        storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
        await storage.getAlarm(),
      ]);
      expect(stored).toEqual([[], null]);
      const { merchantId, currency, timezone } = account;
      const created = await operator("POST", "/operator/accounts", { posId, merchantId, currency, timezone });
      expect(created.status).toBe(201);
    }
  });

  it("is answered 500 and logged if no master key decrypts the password", async ({ expect }) => {
    const { posId, password } = await createAccount();
    const before = lines.length;
    const ACCOUNT = accountsWith({ [posId]: { openSession: async () => ({ kind: "unreadable" }) } });
    const { status } = await callWith<ErrorBody>({ ACCOUNT }, "POST", "/auth/login", { body: { posId, password } });
    expect(status).toBe(500);
    const logged = lines.slice(before).filter((line) => line.includes("password_not_decrypted"));
    expect(logged).toEqual([expect.stringContaining(posId)]);
  });
});

describe("a chosen password", () => {
  it("has 20 to 128 characters, and a shorter one is refused", async ({ expect }) => {
    const { posId, merchantId, currency, timezone } = await createAccount();
    const make = (password: string) =>
      operator<ErrorBody>("POST", "/operator/accounts", {
        posId: uniqueId("pos"),
        merchantId,
        currency,
        timezone,
        password,
      });
    const change = (password: string) => operator<ErrorBody>("PATCH", `/operator/accounts/${posId}`, { password });
    for (const ask of [make, change]) {
      for (const length of [19, 129]) {
        const refused = await ask("ä".repeat(length));
        expect(refused.status).toBe(400);
        expect(refused.body.details).toEqual([
          { path: "password", message: expect.stringMatching(/^Send a password of 20 to 128 .* can be guessed/u) },
        ]);
      }
      for (const length of [20, 128]) expect((await ask("ä".repeat(length))).status).toBeLessThan(300);
    }
    expect((await send({ posId, password: "ä".repeat(128) })).status).toBe(200);
    expect((await send({ posId, password: "a\u0308".repeat(128) })).status).toBe(200);
  });
});

describe("a signed login", () => {
  it("opens a session that works, for an account of either kind", async ({ expect }) => {
    for (const account of [await createAccount(), await createAccountWithPassword()]) {
      const { status, body } = await send(signedLogin(account));
      expect(status).toBe(200);
      expect((await call("GET", "/api/terminals", { token: body.access.token })).status).toBe(200);
      expect((await call("POST", "/auth/refresh", { token: body.refresh.token })).status).toBe(200);
    }
  });

  it("is refused in the same words whatever is wrong", async ({ expect }) => {
    const account = await createAccount();
    const used = signedLogin(account);
    await send(used);
    const before = lines.length;
    const answers = [
      await send(signedLogin({ ...account, signingKey: "another key" })),
      await send({ ...signedLogin(account), signature: "no signature" }),
      await send({ ...signedLogin(account), further: "not signed" }),
      await send(signedLogin({ ...account, posId: "nobody-at-all" })),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, headers.get("WWW-Authenticate")]).toEqual([401, "Bearer"]);
      expect(withoutForm(body)).toEqual(withoutForm(answers[0]?.body));
    }
    expect((await send(used)).body.message).toContain("used before");
    const reasons = lines.slice(before).flatMap((line) => /"reason":"([^"]*)"/u.exec(line)?.[1] ?? []);
    expect(reasons).toEqual([
      "wrong signature",
      "wrong signature",
      "wrong signature",
      "no such account",
      "login used before",
    ]);
  });

  it("is answered 500 and logged if its signing key cannot be decrypted", async ({ expect }) => {
    const account = await createAccount();
    const before = lines.length;
    const ACCOUNT = accountsWith({ [account.posId]: { openSignedSession: async () => ({ kind: "unreadable" }) } });
    const { status, body } = await callWith<ErrorBody>({ ACCOUNT }, "POST", "/auth/login", {
      body: signedLogin(account),
    });
    expect([status, body.error]).toEqual([500, "internal_server_error"]);
    const logged = lines.slice(before).filter((line) => line.includes("signing_key_not_decrypted"));
    expect(logged).toEqual([expect.stringContaining(account.posId)]);
  });

  it("needs a datetime near the gateway's clock", async ({ expect }) => {
    const account = await createAccount();
    for (const from of [account, { posId: "nobody-at-all", signingKey: "a key" }]) {
      const { status, body } = await send(signedLogin(from, {}, Date.now() - CLOCK_TOLERANCE - 5_000));
      expect(status).toBe(400);
      expect(body.details).toEqual([
        { path: "datetime", message: expect.stringMatching(/^The time is 90\d seconds behind the gateway's clock/u) },
      ]);
    }
  });

  it("needs a datetime and a nonce of 1 to 64 characters", async ({ expect }) => {
    const account = await createAccount();
    const { posId, password, signingKey } = account;
    expect(await refusedPaths(signedLogin(account, { nonce: "" }))).toEqual(["nonce"]);
    expect(await refusedPaths(signedLogin(account, { nonce: null, datetime: undefined }))).toEqual([
      "datetime",
      "nonce",
    ]);
    expect(await refusedPaths(signedLogin(account, { nonce: "😀".repeat(65) }))).toEqual(["nonce"]);
    expect(await refusedPaths(signedLogin(account, { password }))).toEqual(["password"]);
    expect(await refusedPaths({ posId, password, signature: 5 })).toEqual([
      "password",
      "datetime",
      "nonce",
      "signature",
    ]);
    expect((await send(signedLogin(account, { nonce: "😀".repeat(64) }))).status).toBe(200);
    expect((await send(signedLogin({ posId, signingKey }, { nonce: "n", password: null }))).status).toBe(200);
  });

  it("has only numbers that every language writes alike", async ({ expect }) => {
    const { posId, password, signingKey } = await createAccount();
    const withNumber = signedLogin({ posId, signingKey }, { version: "@" });
    const refused = await call<ErrorBody>("POST", "/auth/login", { body: written(withNumber) });
    expect([refused.status, refused.body.details?.map(({ path }) => path)]).toEqual([400, ["version"]]);
    for (const signature of [undefined, null, ""]) {
      const body = written({ posId, password, version: "@", signature });
      expect((await call("POST", "/auth/login", { body })).status).toBe(200);
    }
  });

  it("is refused without password and signature, naming both", async ({ expect }) => {
    const { body } = await send({ posId: "somebody" });
    expect(body.details).toEqual([
      { path: "password", message: expect.stringMatching(/password.*datetime, nonce and signature/u) },
    ]);
  });
});
