/** The three credentials of an account: a password, a password that the gateway created, and its signing key. */
import * as passwords from "../../src/keys/passwords.ts";
import { hashGate } from "../../src/keys/passwords.ts";
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { FairQueue } from "../../src/bounds/fair-queue.ts";
import { CLOCK_TOLERANCE } from "../../src/protocol/limits/messages.ts";
import { accountsWith, callWith, HangingDatabase } from "../support/environment.ts";
import {
  type Account,
  call,
  createAccount,
  createAccountWithPassword,
  enrolTerminal,
  type ErrorBody,
  login,
  loginMessage,
  operator,
  signedLogin,
  type Tokens,
  uniqueId,
} from "../support/gateway.ts";
import { lines } from "../support/log-lines.ts";
import { Pos } from "../support/pos.ts";
import { eventually } from "../support/patience.ts";

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
  it("gets one that the gateway generates and shows once, and logs in with it", async ({ expect }) => {
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

  it("is also one whose password is sent as null or empty; a password that is chosen is not shown", async ({
    expect,
  }) => {
    const { merchantId, currency, timezone } = await createAccount();
    const make = async (password: unknown) => {
      const body = { posId: uniqueId("pos"), merchantId, currency, timezone, password };
      return (await operator("POST", "/operator/accounts", body)).body;
    };
    expect(await make(null)).toHaveProperty("password");
    expect(await make("")).toHaveProperty("password");
    expect(await make("a password of some length")).not.toHaveProperty("password");
  });

  it("logs in without waiting for the hashing of other logins", async ({ expect }) => {
    const account = await createAccount();
    const asked = vi.spyOn(hashGate, "run");
    await login(account);
    await send(signedLogin(account));
    expect(asked).not.toHaveBeenCalled();
    // A wrong one takes as long as for an account that does not exist.
    expect((await send({ posId: account.posId, password: "x" })).status).toBe(401);
    expect(asked).toHaveBeenCalledOnce();
  });

  it("can be given a password, which ends the generated one", async ({ expect }) => {
    const account = await createAccount();
    const password = "a password of some length";
    expect((await operator("PATCH", `/operator/accounts/${account.posId}`, { password })).status).toBe(200);
    expect((await send({ posId: account.posId, password: account.password })).status).toBe(401);
    expect((await send({ posId: account.posId, password })).status).toBe(200);
  });
});

describe("a password", () => {
  it("waits its turn to be hashed, for unknown accounts too: if too many wait, it gets 429 and a short Retry-After", async ({
    expect,
  }) => {
    const account = await createAccountWithPassword();
    vi.spyOn(hashGate, "run").mockResolvedValue({ ok: false, error: "busy" });
    for (const { posId, password } of [account, { ...account, posId: "nobody-at-all" }]) {
      const { status, headers, body } = await send({ posId, password });
      expect([status, body.code, headers.get("Retry-After")]).toEqual([429, 42900, "3"]);
    }
    const { merchantId, currency, timezone, password } = account;
    const another = { posId: uniqueId("pos"), merchantId, currency, timezone, password };
    for (const [method, path, body] of [
      ["POST", "/operator/accounts", another],
      ["PATCH", `/operator/accounts/${account.posId}`, { password: "a new password of it" }],
    ] as const) {
      const { status, headers } = await operator(method, path, body);
      expect([status, headers.get("Retry-After")]).toEqual([429, "3"]);
    }
    vi.restoreAllMocks();
    expect((await operator("GET", `/operator/accounts/${another.posId}`)).status).toBe(404);
    expect((await send({ posId: account.posId, password })).status).toBe(200);
  });

  it("is hashed once in an isolate, and again after it was changed or given wrong", async ({ expect }) => {
    const { posId, password } = await createAccountWithPassword();
    const hashed = vi.spyOn(passwords, "verifyPassword");
    for (let time = 0; time < 10; time++) expect((await send({ posId, password })).status).toBe(200);
    expect(hashed).toHaveBeenCalledOnce();
    expect((await send({ posId, password: `${password}x` })).status).toBe(401);
    expect(hashed).toHaveBeenCalledTimes(2);
    expect((await send({ posId, password })).status).toBe(200);
    await operator("PATCH", `/operator/accounts/${posId}`, { password: "a new password of it" });
    expect((await send({ posId, password })).status).toBe(401);
    expect((await send({ posId, password: "a new password of it" })).status).toBe(200);
    expect(hashed).toHaveBeenCalledTimes(4);
  });

  it("is hashed once for two logins that arrive together", async ({ expect }) => {
    const { posId, password } = await createAccountWithPassword();
    const hashed = vi.spyOn(passwords, "verifyPassword");
    const answers = await Promise.all([send({ posId, password }), send({ posId, password })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(hashed).toHaveBeenCalledOnce();
  });

  it("is verified while another address fills the queue, and before what that address sent later", async ({
    expect,
  }) => {
    const { posId, password } = await createAccountWithPassword();
    const ends: (() => void)[] = [];
    const flood = Array.from({ length: 20 }, (_, index) =>
      hashGate.run({ address: "a flood", name: `invented ${index}`, until: Infinity }, () => {
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    const asked = vi.spyOn(hashGate, "run");
    const shop = send({ posId, password });
    await eventually(() => expect(asked).toHaveBeenCalledOnce());
    ends.shift()?.();
    expect((await shop).status).toBe(200);
    const answered = Promise.all(flood);
    await eventually(async () => {
      for (const end of ends.splice(0)) end();
      expect(await Promise.race([answered, scheduler.wait(0)])).toBeDefined();
    });
    expect((await answered).filter(({ ok }) => !ok)).not.toHaveLength(0);
  });

  it("costs no look-up while its address fills the queue, and a generated or a verified one logs in meanwhile", async ({
    expect,
  }) => {
    const account = await createAccountWithPassword();
    const [generated, verified] = await Promise.all([createAccount(), createAccountWithPassword()]);
    expect((await send(verified)).status).toBe(200);
    vi.spyOn(hashGate, "isFullFor").mockReturnValue(true);
    vi.spyOn(hashGate, "run").mockResolvedValue({ ok: false, error: "busy" });
    const database = new HangingDatabase();
    const DATABASE = database as unknown as D1Database;
    const refused = await callWith({ DATABASE }, "POST", "/auth/login", { body: account });
    expect([refused.status, refused.headers.get("Retry-After"), database.calls]).toEqual([429, "3", 0]);
    for (const { posId, password } of [generated, verified]) {
      expect((await send({ posId, password })).status).toBe(200);
    }
  });

  it("that is not verified in time gets 429, and opens no session", async ({ expect }) => {
    const { posId, password } = await createAccountWithPassword();
    const opened = vi.fn();
    const ACCOUNT = accountsWith({ [posId]: { openSession: opened } });
    const real = hashGate.run.bind(hashGate);
    vi.spyOn(hashGate, "run").mockImplementation(async (caller, work) => {
      const done = await real(caller, work);
      vi.spyOn(performance, "now").mockReturnValue(caller.until + 1);
      return done;
    });
    const late = await callWith({ ACCOUNT }, "POST", "/auth/login", { body: { posId, password } });
    expect([late.status, late.headers.get("Retry-After")]).toEqual([429, "3"]);
    expect(opened).not.toHaveBeenCalled();
  });
});

describe("logins at once", () => {
  it("get 429 and a short Retry-After if too many wait, without a look-up", async ({ expect }) => {
    const account = await createAccount();
    vi.spyOn(FairQueue.prototype, "run").mockResolvedValue({ ok: false, error: "busy" });
    const database = new HangingDatabase();
    const DATABASE = database as unknown as D1Database;
    const logins = [
      ["/auth/login", signedLogin(account)],
      ["/auth/login", { posId: account.posId, password: account.password }],
      ["/terminal/login", loginMessage(await enrolTerminal())],
    ] as const;
    for (const [path, body] of logins) {
      const refused = await callWith({ DATABASE }, "POST", path, { body });
      expect([refused.status, refused.headers.get("Retry-After"), database.calls]).toEqual([429, "3", 0]);
    }
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

  it("works once, in either case of its signature", async ({ expect }) => {
    const account = await createAccount();
    const message = signedLogin(account);
    const upper = { ...message, signature: message.signature.toUpperCase() };
    expect((await send(upper)).status).toBe(200);
    expect((await send(upper)).status).toBe(401);
    expect((await send(message)).status).toBe(401);
    expect((await send(signedLogin(account))).status).toBe(200);
  });

  it("works once of many that arrive together", async ({ expect }) => {
    const message = signedLogin(await createAccount());
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await send(message)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(7);
  });

  it("does not work again after its account's object was evicted", async ({ expect }) => {
    const account = await createAccount();
    const message = signedLogin(account);
    expect((await send(message)).status).toBe(200);
    await evictDurableObject(env.ACCOUNT.getByName(account.posId));
    expect((await send(message)).status).toBe(401);
  });

  it("does not work again while its datetime is acceptable", async ({ expect }) => {
    const account = await createAccount();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const signedAt = Math.floor(Date.now() / 1_000) * 1_000 + CLOCK_TOLERANCE - 2_000;
      const message = signedLogin(account, {}, signedAt);
      expect((await send(message)).status).toBe(200);
      vi.setSystemTime(signedAt + CLOCK_TOLERANCE);
      expect((await send(message)).status).toBe(401);
      expect((await send(signedLogin(account))).status).toBe(200);
      expect((await send(message)).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is refused in the same words if the signature is wrong or used, or the account does not exist", async ({
    expect,
  }) => {
    const account = await createAccount();
    const used = signedLogin(account);
    await send(used);
    const before = lines.length;
    const answers = [
      await send(signedLogin({ ...account, signingKey: "another key" })),
      await send({ ...signedLogin(account), signature: "no signature" }),
      await send({ ...signedLogin(account), further: "not signed" }),
      await send(used),
      await send(signedLogin({ ...account, posId: "nobody-at-all" })),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, headers.get("WWW-Authenticate")]).toEqual([401, "Bearer"]);
      expect({ ...body, traceId: "" }).toEqual({ ...answers[0]?.body, traceId: "" });
    }
    const reasons = lines.slice(before).flatMap((line) => /"reason":"([^"]*)"/u.exec(line)?.[1] ?? []);
    expect(reasons).toEqual([
      "wrong signature",
      "wrong signature",
      "wrong signature",
      "login used before",
      "no such account",
    ]);
  });

  it("creates no object for an unknown posId", async ({ expect }) => {
    const calls: string[] = [];
    const ACCOUNT = { getByName: (name: string) => calls.push(name) };
    const body = signedLogin({ posId: "nobody-at-all", signingKey: "a key" });
    expect((await callWith({ ACCOUNT }, "POST", "/auth/login", { body })).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it("reveals that the account is suspended or deleted only after the right signature", async ({ expect }) => {
    const suspended = await createAccount();
    await operator("PATCH", `/operator/accounts/${suspended.posId}`, { status: "suspended" });
    const deleted = await createAccount();
    await operator("DELETE", `/operator/accounts/${deleted.posId}`);
    for (const account of [suspended, deleted]) {
      expect((await send(signedLogin(account))).body).toMatchObject({ code: 40300, error: "forbidden" });
      expect((await send(signedLogin({ ...account, signingKey: "another key" }))).status).toBe(401);
    }
  });

  it("is accepted with the previous key until that key ends", async ({ expect }) => {
    const account = await createAccount();
    await operator("POST", `/operator/accounts/${account.posId}/signing-key`, {});
    expect((await send(signedLogin(account))).status).toBe(200);
    await operator("POST", `/operator/accounts/${account.posId}/signing-key`, { revokePrevious: true });
    expect((await send(signedLogin(account))).status).toBe(401);
  });

  it("is answered 500, with a line in the log, if no master key decrypts the signing key", async ({ expect }) => {
    const account = await createAccount();
    const before = lines.length;
    const ACCOUNT = accountsWith({ [account.posId]: { openSignedSession: async () => ({ kind: "unreadable-key" }) } });
    const { status, body } = await callWith<ErrorBody>({ ACCOUNT }, "POST", "/auth/login", {
      body: signedLogin(account),
    });
    expect([status, body.error]).toEqual([500, "internal_server_error"]);
    const logged = lines.slice(before).filter((line) => line.includes("signing key is not readable"));
    expect(logged).toEqual([expect.stringContaining(account.posId)]);
  });

  it("needs a datetime near the gateway's clock, for every account, and the refusal says how far off it is", async ({
    expect,
  }) => {
    const account = await createAccount();
    for (const from of [account, { posId: "nobody-at-all", signingKey: "a key" }]) {
      const { status, body } = await send(signedLogin(from, {}, Date.now() - CLOCK_TOLERANCE - 5_000));
      expect(status).toBe(400);
      expect(body.details).toEqual([
        { path: "datetime", message: expect.stringMatching(/^The time is 90\d seconds behind the gateway's clock/u) },
      ]);
    }
  });

  it("needs a nonce of 1 to 64 characters and a datetime, and no password", async ({ expect }) => {
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

  it("has only numbers that every language writes alike; a login with a password may have any", async ({ expect }) => {
    const { posId, password, signingKey } = await createAccount();
    const withNumber = signedLogin({ posId, signingKey }, { version: "@" });
    const refused = await call<ErrorBody>("POST", "/auth/login", { body: written(withNumber) });
    expect([refused.status, refused.body.details?.map(({ path }) => path)]).toEqual([400, ["version"]]);
    for (const signature of [undefined, null, ""]) {
      const body = written({ posId, password, version: "@", signature });
      expect((await call("POST", "/auth/login", { body })).status).toBe(200);
    }
  });

  it("with neither password nor signature gets an error that names both", async ({ expect }) => {
    const { body } = await send({ posId: "somebody" });
    expect(body.details).toEqual([
      { path: "password", message: expect.stringMatching(/password.*datetime, nonce and signature/u) },
    ]);
  });
});

describe("a signed message of another kind", () => {
  it.for(["transType", "deviceId", "referenceId", "call", "key", "terminalId", "type", "statusCode"])(
    "that has %s is not accepted as a login",
    async (member, { expect }) => {
      const account = await createAccount();
      for (const value of ["any", "", null]) {
        expect(await refusedPaths(signedLogin(account, { [member]: value }))).toEqual([member]);
      }
    },
  );

  it("is not accepted as a login: a transfer, a cancel, an answer, a terminal's login", async ({ expect }) => {
    const pos = await Pos.create();
    const { account } = pos;
    const transfer = pos.body("sale", { nonce: "a nonce", transData: { transAmt: "1.00", paymentMethod: "bankCard" } });
    const { transType: _none, ...cancel } = transfer;
    for (const members of [transfer, cancel, { ...transfer, statusCode: "00" }]) {
      expect((await send(signedLogin(account, members))).status).toBe(400);
    }
    const terminal = await enrolTerminal();
    expect((await send({ ...loginMessage(terminal), posId: account.posId, nonce: "a nonce" })).status).toBe(400);
  });

  it("is not a login, and a login is not a transfer, a cancel or a terminal's login", async ({ expect }) => {
    const account: Account = await createAccount();
    const { access } = await login(account);
    for (const path of ["/api/transfer", "/api/transfer/cancel", "/terminal/login"]) {
      const { status } = await call("POST", path, { token: access.token, body: signedLogin(account) });
      expect([path, status]).toEqual([path, 400]);
    }
  });
});
