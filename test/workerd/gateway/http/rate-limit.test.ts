/** Which limit counts what. Counting is the platform's task, tested here once. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it, vi } from "vitest";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  type Account,
  bindMessage,
  call,
  createAccount,
  createAccountWithPassword,
  type EnrolledTerminal,
  enrolTerminal,
  type ErrorBody,
  login,
  loginMessage,
  loginTerminal,
  OPERATOR_TOKEN,
  signedLogin,
  uniqueAddress,
  uniqueId,
} from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";

const LIMITERS = [
  "LOGIN_PER_ACCOUNT_AND_ADDRESS",
  "LOGIN_PER_ADDRESS",
  "BIND_PER_TERMINAL",
  "CONNECT_PER_TERMINAL_AND_ADDRESS",
  "REQUESTS_PER_ACCOUNT",
  "REQUESTS_PER_SESSION",
  "EVENTS_PER_ACCOUNT",
  "REQUESTS_PER_ADDRESS",
] as const;

type Limiter = (typeof LIMITERS)[number];

const { DATABASE } = env;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

let account: Account;
let terminal: EnrolledTerminal;
let token: string;
let terminalToken: string;

beforeAll(async () => {
  [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
  [token, terminalToken] = await Promise.all([accessToken(account), loginTerminal(terminal)]);
});

/**
 * A request to a gateway without a database, unless one is given, whose limiters note what they count; `full` ones
 * refuse.
 */
async function counted(
  full: Limiter | ((key: string) => boolean) | null,
  method: string,
  path: string,
  options: { token?: string; body?: object; address?: string; headers?: Record<string, string> },
  database: { DATABASE: D1Database | null } = { DATABASE: null },
) {
  const keys: Partial<Record<Limiter, string>> = {};
  const limiters = LIMITERS.map((name) => [
    name,
    {
      limit: async ({ key }: { key: string }) => {
        keys[name] = key;
        return { success: typeof full === "function" ? !full(key) : name !== full };
      },
    },
  ]);
  const answer = await callWith<ErrorBody>(
    { ...database, ...(Object.fromEntries(limiters) as Partial<Record<Limiter, unknown>>) },
    method,
    path,
    { address: "192.0.2.7", ...options },
  );
  return { keys, status: answer.status, headers: answer.headers, body: answer.body };
}

async function networkOf(address: string): Promise<string | undefined> {
  return (await counted("REQUESTS_PER_ADDRESS", "GET", "/operator/audit", { address })).keys.REQUESTS_PER_ADDRESS;
}

async function networkOfLogin(address: string): Promise<string | undefined> {
  const body = { posId: account.posId, password: "x" };
  return (await counted(null, "POST", "/auth/login", { body, address })).keys.LOGIN_PER_ADDRESS;
}

/** The session that a token belongs to. */
function sessionOf(held: string): string {
  return (JSON.parse(atob(held.split(".")[1] ?? "")) as { sid: string }).sid;
}

function bind(body: object, full: Limiter | null, address: string) {
  return counted(full, "POST", "/terminal/bind", { token: terminalToken, body, address }, { DATABASE });
}

describe("the limits", () => {
  it("count only failed logins, per account and network and per network", async ({ expect }) => {
    const { posId, password } = account;
    // Each from a network without failures: beyond the limit, a wrong password is not even looked at.
    let subnet = 10;
    for (const full of ["LOGIN_PER_ACCOUNT_AND_ADDRESS", "LOGIN_PER_ADDRESS"] as const) {
      for (const name of [posId, uniqueId("pos")]) {
        for (const body of [
          { posId: name, password: `${password}x` },
          signedLogin({ posId: name, signingKey: "another key" }),
        ]) {
          const refused = await counted(full, "POST", "/auth/login", { body, address: `192.0.${subnet}.7` });
          expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
          expect(refused.body).toMatchObject({ code: 42900, error: "rate_limit_exceeded" });
          expect(refused.keys).toEqual({
            LOGIN_PER_ACCOUNT_AND_ADDRESS: `account ${name} 192.0.${subnet}.0`,
            LOGIN_PER_ADDRESS: `account 192.0.${subnet}.0`,
          });
          subnet++;
        }
      }
    }
    expect((await counted(null, "POST", "/auth/login", { body: { posId, password: "x" } })).status).toBe(401);
  });

  it("never refuse a right login with a drawn password or a signature", async ({ expect }) => {
    const { posId, password } = account;
    const address = uniqueAddress();
    const attempt = (body: object) =>
      counted("LOGIN_PER_ACCOUNT_AND_ADDRESS", "POST", "/auth/login", { body, address });
    expect((await attempt({ posId, password: `${password}x` })).status).toBe(429);
    for (const right of [{ posId, password }, signedLogin(account)]) {
      const passed = await attempt(right);
      expect([passed.status, passed.keys]).toEqual([200, {}]);
    }
  });

  it("count guesses of a chosen password: then even the right one waits", async ({ expect }) => {
    const { posId, password } = await createAccountWithPassword();
    const [guesser, shop] = [uniqueAddress(), uniqueAddress()];
    const full = (key: string): boolean => key.startsWith(`account ${posId} `);
    const attempt = (sent: string, address: string) =>
      counted(full, "POST", "/auth/login", { body: { posId, password: sent }, address });
    vi.useFakeTimers({ toFake: ["Date"] });
    expect((await attempt(password, guesser)).status).toBe(200);
    expect((await attempt("a wrong password", guesser)).status).toBe(429);
    const refused = await attempt(password, guesser);
    expect([refused.status, refused.keys]).toEqual([429, {}]);
    expect((await attempt(password, shop)).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await attempt(password, guesser)).status).toBe(200);
  });

  it("let other shops log in while one network floods the gateway", async ({ expect }) => {
    const shops = await Promise.all([createAccount(), createAccountWithPassword(), createAccount()]);
    const forge = (index: number) => {
      const address = `2001:db8:77:${index.toString(16)}::1`;
      const body = signedLogin({ posId: shops[index % 3]?.posId ?? "", signingKey: "another key" });
      return call("POST", "/auth/login", { body, address });
    };
    const forged = await Promise.all(Array.from({ length: 400 }, (_, index) => forge(index)));
    expect(new Set(forged.map(({ status }) => status))).toEqual(new Set([401, 429]));
    for (const { posId, password } of shops) {
      for (const address of [uniqueAddress(), "2001:db8:78::1"]) {
        expect((await call("POST", "/auth/login", { body: { posId, password }, address })).status).toBe(200);
      }
    }
  });

  it("count only failures of terminals' logins, separately from accounts'", async ({ expect }) => {
    for (const full of ["LOGIN_PER_ACCOUNT_AND_ADDRESS", "LOGIN_PER_ADDRESS"] as const) {
      const attempt = async (body: object) => counted(full, "POST", "/terminal/login", { body });
      const { terminalId } = terminal;
      const refused = await attempt(loginMessage({ terminalId, secret: "another secret" }));
      expect([refused.status, refused.keys]).toEqual([
        429,
        {
          LOGIN_PER_ACCOUNT_AND_ADDRESS: `terminal ${terminalId} 192.0.2.0`,
          LOGIN_PER_ADDRESS: "terminal 192.0.2.0",
        },
      ]);
      const passed = await attempt(loginMessage(terminal));
      expect([passed.status, passed.keys]).toEqual([200, {}]);
    }
  });

  it("count malformed logins per address before anything of them is read", async ({ expect }) => {
    for (const [path, right] of [
      ["/auth/login", { posId: account.posId, password: account.password }],
      ["/terminal/login", loginMessage(terminal)],
    ] as const) {
      const [stranger, shop] = [uniqueAddress(), uniqueAddress()];
      const malformed = async (address: string, query: string, body: object | string): Promise<number> =>
        (await call("POST", `${path}${query}`, { address, body })).status;
      // More than two windows allow, because one may end meanwhile.
      const answers = Array.from({ length: 70 }, () => malformed(stranger, "?x=1", {}));
      expect(new Set(await Promise.all(answers))).toContain(400);
      expect(await malformed(stranger, "?x=1", right)).toBe(429);
      expect(await malformed(stranger, "", { ...right, padding: "x".repeat(2_048) })).toBe(429);
      // Strangers behind its address do not lock out a shop.
      expect((await call("POST", path, { address: stranger, body: right })).status).toBe(200);
      expect(await malformed(shop, "?x=1", {})).toBe(400);
    }
  });

  it("count wrongly signed binds by token and address, others per terminal", async ({ expect }) => {
    const { terminalId } = terminal;
    const [thief, shop] = [uniqueAddress(), uniqueAddress()];
    const message = bindMessage(terminal, "7K3Q-9ZXM");
    const forged = await bind({ ...message, signature: "0".repeat(64) }, "BIND_PER_TERMINAL", thief);
    expect(forged.status).toBe(429);
    expect(forged.keys.BIND_PER_TERMINAL).toMatch(new RegExp(`^unsigned ${terminalId} [0-9a-f-]{36} ${thief}$`, "u"));
    const right = await bind(message, null, shop);
    expect([right.status, right.keys]).toEqual([400, { BIND_PER_TERMINAL: terminalId }]);
    expect((await bind(message, "BIND_PER_TERMINAL", shop)).status).toBe(429);
  });

  it("count connecting per terminal and address", async ({ expect }) => {
    const full = "CONNECT_PER_TERMINAL_AND_ADDRESS";
    const { keys, status, headers } = await counted(full, "GET", "/terminal/connect", { token: terminalToken });
    expect([status, headers.get("Retry-After")]).toEqual([429, "60"]);
    expect(keys).toEqual({ [full]: `${terminal.terminalId} 192.0.2.7` });
  });

  it("count everything else per session, never per address", async ({ expect }) => {
    const session = `${account.posId} ${sessionOf(token)}`;
    for (const [method, path, kind] of [
      ["GET", "/api/terminals", "read"],
      ["GET", "/api/bind-terminal-key", "read"],
      ["POST", "/api/transfer", "transfer"],
      ["POST", "/api/transfer/cancel", "transfer"],
      ["POST", "/auth/logout", "session"],
    ] as const) {
      const { keys, status } = await counted("REQUESTS_PER_SESSION", method, path, { token });
      expect([path, status]).toEqual([path, 429]);
      expect(keys).toEqual({ REQUESTS_PER_SESSION: `${kind} ${session}` });
    }
    const asOperator = await counted("REQUESTS_PER_ACCOUNT", "GET", "/operator/audit", { token: OPERATOR_TOKEN });
    expect([asOperator.status, asOperator.keys]).toEqual([429, { REQUESTS_PER_ACCOUNT: "operator tester" }]);
  });

  it("let other sessions pay while one has used up its share", async ({ expect }) => {
    const shop = await createAccount();
    const [loud, quiet] = await Promise.all([login(shop), login(shop)]);
    const full = (key: string): boolean => key.endsWith(` ${shop.posId} ${sessionOf(loud.access.token)}`);
    const pay = (held: string) => counted(full, "POST", "/api/transfer", { token: held, body: {} }, { DATABASE });
    expect((await pay(loud.access.token)).status).toBe(429);
    expect((await pay(quiet.access.token)).status).toBe(400);
  });

  it("count a call for its account only while its session is open", async ({ expect }) => {
    const shop = await createAccount();
    const [ended, open] = await Promise.all([login(shop), login(shop)]);
    expect((await call("POST", "/auth/logout", { token: ended.refresh.token })).status).toBe(200);
    const ofAccount = (key: string): boolean => key === `read ${shop.posId}`;
    const dead = ["/auth/refresh", "/auth/logout"].map((path) => ["POST", path, ended.refresh.token] as const);
    for (const [method, path, held] of [...dead, ["GET", "/api/terminals", ended.access.token] as const]) {
      const refused = await counted(ofAccount, method, path, { token: held }, { DATABASE });
      expect([path, refused.status]).toEqual([path, 401]);
      expect(refused.keys).toEqual({
        REQUESTS_PER_SESSION: expect.stringMatching(` ${shop.posId} ${sessionOf(ended.access.token)}$`) as string,
      });
    }
    const { token: held } = open.access;
    vi.useFakeTimers({ toFake: ["Date"] });
    // The call that finds the limit used up is the last that passes.
    expect((await counted(ofAccount, "GET", "/api/terminals", { token: held }, { DATABASE })).status).toBe(200);
    const next = await counted(null, "GET", "/api/terminals", { token: held }, { DATABASE });
    expect([next.status, next.keys]).toEqual([429, {}]);
    for (const [later, status] of [
      [4_999, 429],
      [1, 200],
    ] as const) {
      vi.setSystemTime(Date.now() + later);
      expect((await counted(null, "GET", "/api/terminals", { token: held }, { DATABASE })).status).toBe(status);
    }
  });

  it("count a reader of events per session, apart from POS calls", async ({ expect }) => {
    const key = `${account.posId} ${sessionOf(token)}`;
    for (const path of ["/api/events?after=0", `/api/events/evt_${account.posId}_1`]) {
      const { keys, status } = await counted("EVENTS_PER_ACCOUNT", "GET", path, { token });
      expect([path, status]).toEqual([path, 429]);
      expect(keys).toEqual({ EVENTS_PER_ACCOUNT: key });
    }
  });

  it("count guesses of an operator's token per address", async ({ expect }) => {
    for (const full of ["LOGIN_PER_ACCOUNT_AND_ADDRESS", "LOGIN_PER_ADDRESS", "REQUESTS_PER_ADDRESS"] as const) {
      const { keys, status } = await counted(full, "GET", "/operator/audit", { token: "guess" });
      expect(status).toBe(429);
      expect(keys).toEqual({
        LOGIN_PER_ACCOUNT_AND_ADDRESS: "operator - 192.0.2.0",
        LOGIN_PER_ADDRESS: "operator 192.0.2.0",
        REQUESTS_PER_ADDRESS: "192.0.2.7",
      });
    }
  });

  it("let requests pass if the limiter fails", async ({ expect }) => {
    const broken = { limit: () => Promise.reject(new Error("no answer")) };
    const changes = { REQUESTS_PER_ACCOUNT: broken, REQUESTS_PER_ADDRESS: broken };
    expect((await callWith(changes, "GET", "/api/terminals", { token })).status).toBe(200);
  });

  it("count an IPv6 network as one address", async ({ expect }) => {
    expect(await networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2");
    expect(await networkOf("2001:DB8:1:2::6")).toBe("2001:db8:1:2");
    expect(await networkOf("2001:db8::6")).toBe("2001:db8:0:0");
    expect(await networkOf("::1")).toBe("0:0:0:0");
    expect(await networkOf("2001:db8:1:2:3::")).toBe("2001:db8:1:2");
    expect(await networkOf("2001:db8:1::4:5:6")).toBe("2001:db8:1:0");
    expect(await networkOf("::2:3:4:5:6:7")).toBe("0:0:2:3");
    expect(await networkOf("2001::4:5:6:7:8")).toBe("2001:0:0:4");
    expect(await networkOf("192.0.2.7")).toBe("192.0.2.7");
  });

  it("count failed logins of an IPv6 /48 or IPv4 /24 together", async ({ expect }) => {
    expect(await networkOfLogin("2001:db8:1:2:3:4:5:6")).toBe("account 2001:db8:1");
    expect(await networkOfLogin("2001:DB8::6")).toBe("account 2001:db8:0");
    expect(await networkOfLogin("198.51.100.255")).toBe("account 198.51.100.0");
  });

  it("admit only the right password after thirty failures in a minute", async ({ expect }) => {
    const { posId, password } = account;
    const wrong = { posId, password: "x" };
    // From another address, if the minute has ended between two attempts.
    const address = await eventually(async () => {
      const from = uniqueAddress();
      const attempts = Array.from({ length: 31 }, () => call("POST", "/auth/login", { body: wrong, address: from }));
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([...Array<number>(30).fill(401), 429]);
      return from;
    });
    expect((await call("POST", "/auth/login", { body: wrong })).status).toBe(401);
    expect((await call("POST", "/auth/login", { body: { posId, password }, address })).status).toBe(200);
    expect((await call("POST", "/auth/login", { body: signedLogin(account), address })).status).toBe(200);
  });
});
