/** Answers to callers who may be attackers are vague. What the log says of each: who it was, and what was wrong. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it, vi } from "vitest";
import { signToken } from "../../../../src/gateway/secrets/tokens.ts";
import { keysFrom } from "../../../support/master-keys.ts";
import { AccessTeam, type Changes } from "../../../support/access-team.ts";
import { callWith } from "../../../support/environment.ts";
import {
  type Account,
  call,
  type CallOptions,
  createAccount,
  createAccountWithPassword,
  enrolTerminal,
  type EnrolledTerminal,
  login,
  loginMessage,
  loginTerminal,
  operator,
  OPERATOR_TOKEN,
  signedLogin,
  type Tokens,
} from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { signedCallBody } from "../../../support/webhooks.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

let account: Account;
let tokens: Tokens;
let terminal: EnrolledTerminal;

beforeAll(async () => {
  [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
  tokens = await login(account);
});

interface Line {
  status: number;
  reason?: string;
  account?: string;
  terminal?: string;
  operator?: string;
}

/** What the log says of the last request. */
async function told(asking: Promise<unknown>): Promise<Line> {
  const before = lines.length;
  await asking;
  const { status, reason, account: of, terminal: at, operator: by } = logged("request_answered", before).at(-1) as Line;
  return {
    status,
    ...Object.fromEntries(
      Object.entries({ reason, account: of, terminal: at, operator: by }).filter(([, value]) => value !== undefined),
    ),
  };
}

/** Of the session's own account, unless another subject is named. */
async function forged(claims: { sub?: string; exp?: number }, under = env.MASTER_KEYS): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000) - 1_000;
  const sid = JSON.parse(atob(tokens.access.token.split(".")[1] ?? "")) as { sid: string };
  return signToken(keysFrom(under), {
    sub: account.posId,
    sid: sid.sid,
    use: "access",
    jti: "J",
    iat,
    exp: iat + 2_000,
    ...claims,
  });
}

const get = (options: CallOptions, path = "/api/terminals") => call("GET", path, options);
const enter = (body: object) => call("POST", "/auth/login", { body });
const enterTerminal = (body: object) => call("POST", "/terminal/login", { body });

describe("the log of a refused token", () => {
  it("says what is wrong, and whose it is if real", async ({ expect }) => {
    const { posId } = account;
    const other = `other:${btoa("another master key, 32 bytes long".slice(0, 32))}`;
    expect(await told(get({}))).toEqual({ status: 401, reason: "no token" });
    expect(await told(get({ token: "a.b.c" }))).toEqual({ status: 401, reason: "token: malformed" });
    expect(await told(get({ token: await forged({}, other) }))).toEqual({ status: 401, reason: "token: signature" });
    expect(await told(get({ token: tokens.refresh.token }))).toEqual({ status: 401, reason: "token: use" });
    expect(await told(get({ token: await forged({ exp: 1 }) }))).toEqual({ status: 401, reason: "token: expired" });
    expect(await told(get({ token: await forged({}) }))).toEqual({ status: 200, account: posId });
    const connect = get({ token: await loginTerminal(terminal) }, "/terminal/connect");
    expect(await told(connect)).toEqual({ status: 400, terminal: terminal.terminalId });
    const bind = call("POST", "/terminal/bind", { token: tokens.access.token });
    expect(await told(bind)).toEqual({ status: 401, reason: "token: use" });
  });

  it("says what is wrong with its account or session", async ({ expect }) => {
    const shop = await createAccount();
    const { posId } = shop;
    const { access, refresh } = await login(shop);
    const body = signedCallBody(shop, "POST", "/api/webhooks", { url: "https://books.example.com/" });
    const calls = (token: string) => [
      () => get({ token }),
      () => get({ token }, "/api/events"),
      () => call("POST", "/api/webhooks", { token, body }),
      () => call("POST", "/auth/logout", { token }),
    ];
    const reasons = async (token: string): Promise<Line[]> => {
      const found: Line[] = [];
      for (const ask of calls(token)) found.push(await told(ask()));
      return found;
    };
    const each = (line: Line): Line[] => calls("").map(() => line);
    await call("POST", "/auth/logout", { token: access.token });
    expect(await reasons(access.token)).toEqual(each({ status: 401, reason: "session ended", account: posId }));
    expect(await told(call("POST", "/auth/refresh", { token: refresh.token }))).toMatchObject({
      reason: "session ended",
    });
    const nobody = await forged({ sub: "nobody" });
    expect(await reasons(nobody)).toEqual(each({ status: 401, reason: "account unknown", account: "nobody" }));
    for (const [change, status] of [
      [{ method: "PATCH", body: { status: "suspended" } }, "suspended"],
      [{ method: "DELETE", body: undefined }, "deleted"],
    ] as const) {
      await operator(change.method, `/operator/accounts/${posId}`, change.body);
      const line = { status: 403, reason: `account ${status}`, account: posId };
      expect(await reasons(access.token)).toEqual(each(line));
    }
  });

  it("says that a refresh token was used again", async ({ expect }) => {
    const { posId } = account;
    const { refresh } = await login(account);
    const again = () => call<Tokens>("POST", "/auth/refresh", { token: refresh.token });
    const next = (await again()).body.refresh.token;
    await call("POST", "/auth/refresh", { token: next });
    const reason = "refresh token used again: session revoked";
    expect(await told(again())).toEqual({ status: 401, reason, account: posId });
  });
});

describe("the log of a refused login", () => {
  it("says what was wrong, and names an account that exists", async ({ expect }) => {
    const { posId } = account;
    const chosen = await createAccountWithPassword();
    const used = signedLogin(account);
    await enter(used);
    expect(await told(enter({ posId, password: "x" }))).toEqual({
      status: 401,
      reason: "wrong password",
      account: posId,
    });
    const wrong = { status: 401, reason: "wrong password", account: chosen.posId };
    expect(await told(enter({ posId: chosen.posId, password: "x" }))).toEqual(wrong);
    expect(await told(enter({ posId: "nobody", password: "x" }))).toEqual({ status: 401, reason: "no such account" });
    expect(await told(enter(used))).toEqual({ status: 401, reason: "login used before", account: posId });
    const unsigned = signedLogin({ posId, signingKey: "another key" });
    expect(await told(enter(unsigned))).toEqual({ status: 401, reason: "wrong signature", account: posId });
    await operator("PATCH", `/operator/accounts/${chosen.posId}`, { status: "suspended" });
    const suspended = { status: 403, reason: "account suspended", account: chosen.posId };
    expect(await told(enter({ posId: chosen.posId, password: chosen.password }))).toEqual(suspended);
    expect(await told(enter(signedLogin(chosen)))).toEqual(suspended);
  });

  it("says what was wrong, and names a terminal that exists", async ({ expect }) => {
    const { terminalId } = terminal;
    const retired = await enrolTerminal();
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    const used = loginMessage(terminal);
    expect(await told(enterTerminal(used))).toEqual({ status: 200, terminal: terminalId });
    const said = async (message: object) => told(enterTerminal(message));
    expect(await said(used)).toEqual({ status: 401, reason: "login used before", terminal: terminalId });
    const wrong = loginMessage({ terminalId, secret: "another secret" });
    expect(await said(wrong)).toEqual({ status: 401, reason: "wrong signature", terminal: terminalId });
    expect(await said(loginMessage({ ...terminal, terminalId: "nobody" }))).toEqual({
      status: 401,
      reason: "no such terminal",
    });
    expect(await said(loginMessage(retired))).toEqual({ status: 401, reason: "retired", terminal: retired.terminalId });
  });
});

function crossSite(reason: string): Line {
  return { status: 403, reason: `cross-site: ${reason}` };
}

describe("the log of an operator's call", () => {
  it("says who made it, and which role was not enough", async ({ expect }) => {
    const path = "/operator/channels";
    expect(await told(get({ token: OPERATOR_TOKEN }, path))).toEqual({ status: 200, operator: "tester" });
    expect(await told(get({ token: "guess" }, path))).toEqual({ status: 401 });
    const settings = { OPERATOR_TOKENS: `vera:viewer:${"v".repeat(24)}` };
    const remove = callWith(settings, "DELETE", `${path}/x`, { token: "v".repeat(24) });
    expect(await told(remove)).toEqual({ status: 403, operator: "vera", reason: "role: viewer" });
  });

  it("says what was wrong with a call through Cloudflare Access", async ({ expect }) => {
    const team = await AccessTeam.create();
    team.answerFetches();
    const ask = async (changes: Changes, headers: Record<string, string> = {}, method = "GET") => {
      const assertion = { "Cf-Access-Jwt-Assertion": await team.assertion(changes) };
      return told(callWith(team.settings, method, "/operator/channels", { headers: { ...assertion, ...headers } }));
    };
    expect(await ask({})).toEqual({ status: 200, operator: "anna@example.com" });
    expect(await ask({ claims: { email: "no address" } })).toEqual({ status: 401, reason: "access: names nobody" });
    expect(await ask({ expiresIn: -10 })).toEqual({ status: 401, reason: "access: ERR_JWT_EXPIRED" });
    expect(await ask({ header: { kid: "x" } })).toEqual({ status: 401, reason: "access: ERR_JWKS_NO_MATCHING_KEY" });
    expect(await ask({}, { "Sec-Fetch-Site": "cross-site" })).toEqual(crossSite("Sec-Fetch-Site: cross-site"));
    expect(await ask({}, { "Sec-Fetch-Site": "Card 4111" })).toEqual(crossSite("Sec-Fetch-Site: unknown"));
    expect(await ask({}, { Origin: "https://evil.test" })).toEqual(crossSite("another Origin"));
    expect(await ask({}, {}, "POST")).toEqual(crossSite("a POST that is not JSON"));
  });
});
