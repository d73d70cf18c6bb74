/** How long a POS's client uses its tokens, which stored ones it believes, and when it gets others. */
import { describe, it, vi } from "vitest";
import type { TokenPair } from "../../../../../src/sdk/client/pos.ts";
import { failureOf, refused, ScriptedPos, tokens, useStoppedClock } from "./scripted.ts";
import { RENEW_BEFORE } from "../../../../../src/sdk/client/pos/session.ts";

const MINUTE = 60_000;
const EMPTY = { data: [] };

useStoppedClock(Date.UTC(2026, 10, 20, 10));

/** A store with this in it. */
function storing(stored: unknown) {
  const saved: unknown[] = [];
  const store = {
    load: async () => stored as TokenPair | null,
    save: async (pair: TokenPair | null) => void saved.push(pair),
  };
  return { store, saved };
}

/** Makes a call, and returns the paths that it needed. */
async function pathsOf(pos: ScriptedPos): Promise<string[]> {
  const from = pos.paths.length;
  const calling = pos.client.terminals();
  await pos.answers(Response.json(EMPTY));
  await calling;
  return pos.paths.slice(from, -1);
}

describe("an access token", () => {
  it("is used until half a minute before its end, and then refreshed", async ({ expect }) => {
    const pos = new ScriptedPos();
    expect(await pathsOf(pos)).toEqual(["/auth/login"]);
    vi.setSystemTime(Date.now() + 15 * MINUTE - RENEW_BEFORE - 1);
    expect(await pathsOf(pos)).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect(await pathsOf(pos)).toEqual(["/auth/refresh"]);
  });

  it.for([
    ["is used until its end if it lives no longer", RENEW_BEFORE, RENEW_BEFORE - 1, []],
    ["is not used at its end if it lives no longer", RENEW_BEFORE, RENEW_BEFORE, ["/auth/refresh"]],
    ["is used until refused if it ends now by this clock", 0, 60 * MINUTE, []],
    ["is used until refused if it has ended by this clock", -1, 60 * MINUTE, []],
  ] as [string, number, number, string[]][])("%s", async ([, life, later, paths], { expect }) => {
    const pos = new ScriptedPos({}, { answersLogins: false });
    const login = pos.client.login();
    await pos.answers(Response.json(tokens("1", life)));
    await login;
    vi.setSystemTime(Date.now() + later);
    const calling = pos.client.terminals();
    if (paths.length > 0) await pos.answers(Response.json(tokens("2")));
    await pos.answers(Response.json(EMPTY));
    await calling;
    expect(pos.paths).toEqual(["/auth/login", ...paths, "/api/terminals"]);
  });

  it("is replaced once after a refusal, even by others", async ({ expect }) => {
    const pos = new ScriptedPos();
    await pos.client.login();
    const both = Promise.all([pos.client.terminals(), pos.client.prebound()]);
    const [first, second] = [await pos.call(), await pos.call()];
    first.answer(refused(401));
    await pos.answers(Response.json(EMPTY));
    second.answer(refused(401));
    const [again] = await pos.answers(Response.json(EMPTY));
    await both;
    expect(again?.headers.get("Authorization")).toBe("Bearer access-2");
    expect(pos.paths.filter((path) => path.startsWith("/auth/"))).toEqual(["/auth/login", "/auth/refresh"]);
  });
});

describe("a refresh token", () => {
  it("is its own bearer, and unused in its last half minute", async ({ expect }) => {
    const pos = new ScriptedPos({}, { answersLogins: false });
    const login = pos.client.login();
    const [first] = await pos.answers(Response.json(tokens("1", 15 * MINUTE, 60 * MINUTE)));
    await login;
    expect([first?.body, first?.headers.get("Authorization")]).toEqual([
      { posId: "POS-1", password: "password" },
      null,
    ]);
    vi.setSystemTime(Date.now() + 60 * MINUTE - RENEW_BEFORE - 1);
    const refresh = pos.client.refresh();
    const [second] = await pos.answers(Response.json(tokens("2", 15 * MINUTE, RENEW_BEFORE)));
    await refresh;
    expect([second?.path, second?.body, second?.headers.get("Authorization")]).toEqual([
      "/auth/refresh",
      null,
      "Bearer refresh-1",
    ]);
    const third = pos.client.refresh();
    await pos.answers(Response.json(tokens("3")));
    await third;
    expect(pos.paths.at(-1)).toBe("/auth/login");
  });

  it("is forgotten when refused, and the client logs in", async ({ expect }) => {
    const { store, saved } = storing(tokens("0"));
    const pos = new ScriptedPos({ tokens: store }, { answersLogins: false });
    const refresh = pos.client.refresh();
    await pos.answers(refused(401), Response.json(tokens("1")));
    await refresh;
    expect(pos.paths).toEqual(["/auth/refresh", "/auth/login"]);
    expect(saved).toEqual([null, tokens("1")]);
    const failure = failureOf(pos.client.refresh());
    await pos.answers(refused(403));
    expect(await failure).toMatchObject({ kind: "forbidden", message: "No." });
    expect(pos.paths).toHaveLength(3);
  });
});

const pair = () => tokens("0");

describe("stored tokens", () => {
  it.for<[string, () => unknown]>([
    ["nothing", () => null],
    ["nothing at all", () => undefined],
    ["a text", () => "access-0"],
    ["half a pair", () => ({ access: pair().access })],
    ["the other half", () => ({ refresh: pair().refresh })],
    ["a token that is null", () => ({ ...pair(), access: null })],
    ["a token that is a text", () => ({ ...pair(), refresh: "refresh-0" })],
    ["a token without an end", () => ({ ...pair(), access: { token: "a" } })],
    ["an end without a token", () => ({ ...pair(), access: { expiresAt: pair().access.expiresAt } })],
    ["a token that no header can carry", () => ({ ...pair(), access: { ...pair().access, token: "a b" } })],
    ["an empty token", () => ({ ...pair(), access: { ...pair().access, token: "" } })],
    ["a token that is a number", () => ({ ...pair(), refresh: { ...pair().refresh, token: 7 } })],
    ["an end that is no time", () => ({ ...pair(), refresh: { ...pair().refresh, expiresAt: "soon" } })],
    ["an end that is a number", () => ({ ...pair(), refresh: { ...pair().refresh, expiresAt: 7 } })],
    ["tokens that have ended", () => tokens("0", 0, 0)],
  ])("are replaced by a login if they cannot be used (%s)", async ([, stored], { expect }) => {
    const { store, saved } = storing(stored());
    expect(await pathsOf(new ScriptedPos({ tokens: store }))).toEqual(["/auth/login"]);
    expect(saved).toEqual([tokens("1")]);
  });

  it("are used until half a minute before their end", async ({ expect }) => {
    const { store } = storing({ ...tokens("0", RENEW_BEFORE + 1), more: 1 });
    const pos = new ScriptedPos({ tokens: store });
    expect(await pathsOf(pos)).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect(await pathsOf(pos)).toEqual(["/auth/refresh"]);
  });

  it("do not replace a login's, and end with the logout", async ({ expect }) => {
    const { store, saved } = storing(tokens("0"));
    const pos = new ScriptedPos({ tokens: store });
    await pos.client.login();
    expect(await pathsOf(pos)).toEqual([]);
    const logout = pos.client.logout();
    const [call] = await pos.answers(refused(401));
    await logout;
    expect([call?.method, call?.path, call?.headers.get("Authorization")]).toEqual([
      "POST",
      "/auth/logout",
      "Bearer refresh-1",
    ]);
    await pos.client.logout();
    expect(pos.paths).toEqual(["/auth/login", "/api/terminals", "/auth/logout"]);
    expect(saved).toEqual([tokens("1"), null, null]);
  });

  it("are forgotten by a refused logout, whose caller gets the error", async ({ expect }) => {
    const { store } = storing(tokens("0"));
    const pos = new ScriptedPos({ tokens: store });
    const failure = failureOf(pos.client.logout());
    await pos.answers(refused(403));
    expect(await failure).toMatchObject({ kind: "forbidden", next: "none" });
    expect(await pathsOf(pos)).toEqual(["/auth/login"]);
  });
});

describe("a login", () => {
  it.for([
    ["password", "password", 401, "unauthorized", "posId or password is wrong: the gateway refused the login."],
    ["signingKey", undefined, 401, "unauthorized", "posId or signingKey is wrong: the gateway refused the login."],
    ["nothing", "password", 403, "forbidden", "No."],
  ] as const)("fails at once if its %s is wrong, for every caller", async (given, { expect }) => {
    const [, password, status, kind, message] = given;
    for (const name of ["login", "terminals"] as const) {
      const pos = new ScriptedPos({ password }, { answersLogins: false });
      const failure = failureOf(pos.client[name]());
      await pos.answers(refused(status));
      expect(await failure).toMatchObject({ kind, message, next: "none" });
      expect(pos.paths).toEqual(["/auth/login"]);
    }
  });

  it("leaves no payment pending when it cannot be made", async ({ expect }) => {
    const sale = { deviceId: "T-1", referenceId: "R-1", transAmt: "1.00", paymentMethod: "bankCard" } as const;
    for (const answer of [null, refused(500)]) {
      const pos = new ScriptedPos({}, { answersLogins: false });
      const failure = failureOf(pos.client.sale(sale, { within: 100 }));
      await pos.answers(answer);
      expect(await failure).toMatchObject({ kind: "unreachable", next: "none" });
    }
  });

  it("repeats after a lost answer and after a foreign one", async ({ expect }) => {
    const pos = new ScriptedPos({}, { answersLogins: false });
    const failure = failureOf(pos.client.login({ within: 1_500 }));
    await pos.answers(null);
    await vi.advanceTimersByTimeAsync(250);
    await pos.answers(refused(401, "<html>"));
    await vi.advanceTimersByTimeAsync(500);
    await pos.answers(new Response("{}"));
    expect(pos.paths).toEqual(["/auth/login", "/auth/login", "/auth/login"]);
    const { kind, message } = await failure;
    expect([kind, message]).toEqual([
      "unexpected_answer",
      "What answered at https://gateway.test is not the gateway: the answer is text/plain;charset=UTF-8. Check baseUrl, " +
        "and whether the network wants you to log in.",
    ]);
  });

  it.for<[string, string]>([
    ["application/json", "The answer from https://gateway.test does not match the interface."],
    ["", "What answered at https://gateway.test is not the gateway: the answer is of no type."],
  ])("says what is wrong when answered with other members as “%s”", async ([type, message], { expect }) => {
    const pos = new ScriptedPos({}, { answersLogins: false });
    const failure = failureOf(pos.client.login({ within: 100 }));
    const body = new TextEncoder().encode("{}");
    await pos.answers(new Response(body, { headers: type === "" ? {} : { "Content-Type": type } }));
    expect((await failure).message).toContain(message);
  });
});
