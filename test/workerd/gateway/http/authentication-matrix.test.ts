/**
 * Every route against every kind of bad credentials. A new route joins by one line in `ROUTES` of `support/routes.ts`; the
 * last test fails until it has.
 */
import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { deriveKey, type MasterKeys } from "../../../../src/gateway/secrets/master-keys.ts";
import { signToken, type TokenClaims } from "../../../../src/gateway/secrets/tokens.ts";
import { keysFrom } from "../../../support/master-keys.ts";
import { type Route, ROUTES, WEBHOOK } from "../../../support/routes.ts";
import { callWith } from "../../../support/environment.ts";
import {
  type Account,
  type Answer,
  call,
  createAccount,
  type EnrolledTerminal,
  enrolTerminal,
  type ErrorBody,
  bindTerminal,
  login,
  loginTerminal,
  operator,
  OPERATOR_TOKEN,
  type Tokens,
} from "../../../support/gateway.ts";

/** The setting for all routes: two accounts, each with a bound terminal. */
interface World {
  account: Account;
  terminal: EnrolledTerminal;
  tokens: Tokens;
  terminalToken: string;
}

async function makeWorld(): Promise<World> {
  const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
  await bindTerminal(account, terminal);
  const [tokens, terminalToken] = await Promise.all([login(account), loginTerminal(terminal)]);
  return { account, terminal, tokens, terminalToken };
}

let own: World;
let other: World;
let keys: MasterKeys;

beforeAll(async () => {
  [own, other] = await Promise.all([makeWorld(), makeWorld()]);
  keys = keysFrom(env.MASTER_KEYS);
});

function attempt(
  { method, path, body }: Route,
  token: string | null,
  of: World = own,
  query = "",
): Promise<Answer<ErrorBody>> {
  const filled = path
    .replace(":terminalId", of.terminal.terminalId)
    .replace(":posId", of.account.posId)
    .replace(":requestId", "1000000000")
    .replace(":name", "Boost")
    .replace(":id", `evt_${of.account.posId}_1`)
    .replace(":webhookId", WEBHOOK);
  return call<ErrorBody>(method, filled + query, {
    ...(token === null ? {} : { token }),
    ...(body === undefined ? {} : { body: body(of.account, of.terminal) }),
    headers: path === "/terminal/connect" ? { Upgrade: "websocket" } : {},
  });
}

/** A token of the kind that the route accepts. */
function rightToken({ audience }: Route, world: World): string {
  switch (audience) {
    case "refresh":
      return world.tokens.refresh.token;
    case "terminal":
      return world.terminalToken;
    case "operator":
      return OPERATOR_TOKEN;
    case "anybody":
    case "access":
    case "session":
      return world.tokens.access.token;
    default:
      return audience satisfies never;
  }
}

/** Claims that the route would accept if they were signed and not expired. */
function rightClaims(entry: Route): TokenClaims {
  const payload = rightToken(entry, own).split(".")[1] ?? "";
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as TokenClaims;
}

function jwt(header: object, claims: object, key: Uint8Array | null): string {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = key === null ? "" : createHmac("sha256", key).update(input).digest("base64url");
  return `${input}.${signature}`;
}

const forAccounts = ROUTES.filter(({ audience }) => ["access", "refresh", "session"].includes(audience));
const withTokens = ROUTES.filter(
  ({ audience }) => audience === "terminal" || forAccounts.some((r) => r.audience === audience),
);
const forOperators = ROUTES.filter(({ audience }) => audience === "operator");
const named = (routes: Route[]) => routes.map((entry) => [`${entry.method} ${entry.path}`, entry] as const);

const UNAUTHORIZED = { code: 40100, error: "unauthorized" };

describe.for(named(withTokens))("%s", ([, entry]) => {
  it("answers 401 without a token", async ({ expect }) => {
    const answer = await attempt(entry, null);
    expect(answer.body).toMatchObject(UNAUTHORIZED);
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(answer.headers.get("X-Request-Id")).toBe(answer.body.traceId);
  });

  it("answers 401 to a text that is not a token", async ({ expect }) => {
    for (const token of ["x", "a.b.c", "..", OPERATOR_TOKEN]) {
      expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });

  it("answers 401 to an expired token", async ({ expect }) => {
    const claims = rightClaims(entry);
    const expired = await signToken(keys, { ...claims, iat: claims.iat - 90_000, exp: claims.iat });
    expect((await attempt(entry, expired)).body).toMatchObject(UNAUTHORIZED);
  });

  it("answers 401 to every other kind of token", async ({ expect }) => {
    const { access, refresh } = own.tokens;
    const takes = entry.audience === "session" ? ["access", "refresh"] : [entry.audience];
    const others = { access: access.token, refresh: refresh.token, terminal: own.terminalToken };
    for (const [use, token] of Object.entries(others)) {
      if (!takes.includes(use)) expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });

  it("answers 401 to a token with another key, purpose or kid", async ({ expect }) => {
    const claims = rightClaims(entry);
    const header = { alg: "HS256", typ: "JWT", kid: keys.current.kid };
    const right = rightToken(entry, own).split(".");
    const swapped = Buffer.from(JSON.stringify({ ...claims, sub: "somebody" })).toString("base64url");
    for (const token of [
      jwt(header, claims, new Uint8Array(32)),
      jwt(header, claims, keys.current.bytes),
      jwt(header, claims, deriveKey(keys.current, "sealing")),
      jwt({ ...header, kid: "other" }, claims, deriveKey(keys.current, "tokens")),
      `${right[0]}.${swapped}.${right[2]}`,
    ]) {
      expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });

  it("answers 401 to a token with no signature or another algorithm", async ({ expect }) => {
    const claims = rightClaims(entry);
    for (const alg of ["none", "None", "HS512", "RS256"]) {
      const header = { alg, typ: "JWT", kid: keys.current.kid };
      expect((await attempt(entry, jwt(header, claims, null))).body).toMatchObject(UNAUTHORIZED);
      const signed = jwt(header, claims, deriveKey(keys.current, "tokens"));
      expect((await attempt(entry, signed)).body).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe.for(named(forAccounts))("%s", ([, entry]) => {
  it("answers 401 when the session has ended", async ({ expect }) => {
    const tokens = await login(own.account);
    await call("POST", "/auth/logout", { token: tokens.access.token });
    const answer = await attempt(entry, rightToken(entry, { ...own, tokens }));
    expect(answer.body).toMatchObject(UNAUTHORIZED);
  });
});

describe("suspended and deleted accounts", () => {
  it("get 403 on every route, even though their sessions have also ended", async ({ expect }) => {
    for (const [method, body] of [
      ["PATCH", { status: "suspended" }],
      ["DELETE", undefined],
    ] as const) {
      const world = await makeWorld();
      await operator(method, `/operator/accounts/${world.account.posId}`, body);
      for (const entry of forAccounts) {
        const answer = await attempt(entry, rightToken(entry, world), world);
        expect([entry.path, answer.body.code, answer.body.error]).toEqual([entry.path, 40300, "forbidden"]);
      }
    }
  });

  it("get 403 for a valid token, and 401 for an invalid one", async ({ expect }) => {
    const world = await makeWorld();
    await operator("PATCH", `/operator/accounts/${world.account.posId}`, { status: "suspended" });
    for (const entry of forAccounts) {
      const forged = rightToken(entry, world).slice(0, -4);
      expect((await attempt(entry, forged, world)).body).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe("an account that never existed", () => {
  it("gets 401 even with a valid token", async ({ expect }) => {
    for (const entry of forAccounts) {
      const token = await signToken(keys, { ...rightClaims(entry), sub: "nobody" });
      expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });

  it("gets 401 with another account's session", async ({ expect }) => {
    for (const entry of forAccounts) {
      const token = await signToken(keys, { ...rightClaims(entry), sub: other.account.posId });
      expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe("a terminal that was retired", () => {
  it("gets 401 on every route of terminals", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const world = { ...own, terminal, terminalToken: await loginTerminal(terminal) };
    await operator("DELETE", `/operator/terminals/${terminal.terminalId}`);
    for (const entry of ROUTES.filter(({ audience }) => audience === "terminal")) {
      expect((await attempt(entry, world.terminalToken, world)).body).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe.for(named(forOperators))("%s", ([, entry]) => {
  it("answers 401 to everybody but operators", async ({ expect }) => {
    const { access, refresh } = own.tokens;
    const nearly = [OPERATOR_TOKEN.slice(1), `${OPERATOR_TOKEN}x`, `tester:${OPERATOR_TOKEN}`, "tester"];
    for (const token of [null, "x", access.token, refresh.token, own.terminalToken, ...nearly]) {
      expect((await attempt(entry, token)).body).toMatchObject(UNAUTHORIZED);
    }
  });

  it("does not exist if no operators are configured", async ({ expect }) => {
    for (const OPERATOR_TOKENS of ["", " ", undefined]) {
      const answer = await callWith<ErrorBody>({ OPERATOR_TOKENS }, entry.method, entry.path, {
        token: OPERATOR_TOKEN,
      });
      expect(answer.body).toMatchObject({ code: 40400, error: "not_found" });
    }
  });
});

/** Pages for people and probes: they ignore unknown query parameters, such as a cache buster. */
const TOLERANT = ["/healthz", "/console/*", "/operator/console/*", "/docs/demo.json"];

/** The interface's own reads, too: clients that were written before this gateway add what they like. */
const INTERFACE_READS = ["/api/bind-terminal-key", "/api/prebind-terminals", "/api/terminals", "/api/ewallet-channels"];

const isTolerant = ({ method, path }: { method: string; path: string }): boolean =>
  TOLERANT.includes(path) || (method === "GET" && INTERFACE_READS.includes(path));

describe.for(named(ROUTES.filter((entry) => !isTolerant(entry))))("%s", ([, entry]) => {
  it("refuses an unknown query parameter, after it has checked the token", async ({ expect }) => {
    const known = await attempt(entry, rightToken(entry, own), own, "?unknown=false");
    expect([known.status, known.body.code]).toEqual([400, 40000]);
    // Missing mandatory parameters are named, too.
    const [problem, ...further] = known.body.details?.filter(({ path }) => path !== "transId") ?? [];
    expect([problem?.path, further]).toEqual(["", []]);
    expect(problem?.message).toMatch(/^Unknown query parameter\. (?:Use: |This call has no query parameters\.$)/);
    if (entry.audience === "anybody") return;
    expect((await attempt(entry, null, own, "?unknown=false")).body).toMatchObject(UNAUTHORIZED);
    expect((await attempt(entry, "a.b.c", own, "?unknown=false")).body).toMatchObject(UNAUTHORIZED);
  });
});

describe("this matrix", () => {
  it("contains every route that is mounted, and no other", ({ expect }) => {
    const mounted = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
    const listed = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(listed.toSorted()).toEqual([...new Set(mounted)].toSorted());
  });
});
