/** How the POS client logs in, and keeps its session. */
import { describe, it, vi } from "vitest";
import type { TokenPair, TokenStore } from "../../../../../src/sdk/client/pos.ts";
import { operator } from "../../../../support/gateway.ts";
import { ANSWER_LOST, answered, diskFull, ScenePos } from "./open-pos.ts";
import { failureOf } from "./scripted.ts";

/** The members of a signed login. */
const LOGIN = ["posId", "datetime", "nonce", "signature"];

describe("a POS client's session", () => {
  it("begins with the first call and serves the next ones", async ({ expect }) => {
    const pos = await ScenePos.create();
    await pos.client.terminals();
    await pos.client.prebound();
    expect(pos.paths()).toEqual(["/auth/login", "/api/terminals", "/api/prebind-terminals"]);
  });

  it("is refreshed once, however many calls meet a 401 together", async ({ expect }) => {
    const pos = await ScenePos.create();
    await pos.client.login();
    pos.onTheWayTo("/api/terminals", answered(401), answered(401), answered(401));
    await Promise.all([pos.client.terminals(), pos.client.terminals(), pos.client.terminals()]);
    expect(pos.paths().filter((path) => path.startsWith("/auth"))).toEqual(["/auth/login", "/auth/refresh"]);
  });

  it("starts again with the next call after a logout", async ({ expect }) => {
    const pos = await ScenePos.create();
    await pos.client.login();
    await pos.client.logout();
    await pos.client.terminals();
    expect(pos.paths()).toEqual(["/auth/login", "/auth/logout", "/auth/login", "/api/terminals"]);
  });

  it("can be logged out of after the gateway ended it", async ({ expect }) => {
    const pos = await ScenePos.create();
    await pos.client.login();
    pos.onTheWayTo("/auth/logout", ANSWER_LOST);
    await pos.client.logout();
    expect(pos.paths()).toEqual(["/auth/login", "/auth/logout", "/auth/logout"]);
  });

  it("continues in another client with the same store, until the logout", async ({ expect }) => {
    const kept: (TokenPair | null)[] = [];
    const tokens: TokenStore = {
      load: async () => kept.at(-1) ?? null,
      save: async (pair) => void kept.push(pair),
    };
    const pos = await ScenePos.create({ tokens });
    await pos.client.terminals();
    const again = new ScenePos(pos.account, pos.terminal, { tokens });
    await again.client.terminals();
    await again.client.refresh();
    await again.client.logout();
    expect(again.paths()).toEqual(["/api/terminals", "/auth/refresh", "/auth/logout"]);
    expect(kept.map((pair) => pair !== null)).toEqual([true, true, false]);
  });

  it("begins with a login if its store fails", async ({ expect }) => {
    const pos = await ScenePos.create({ tokens: { load: diskFull, save: diskFull } });
    await pos.client.terminals();
    await pos.client.terminals();
    expect(pos.paths()).toEqual(["/auth/login", "/api/terminals", "/api/terminals"]);
  });

  it("does not block a caller who gives up waiting", async ({ expect }) => {
    const pos = await ScenePos.create();
    const stopping = new AbortController();
    pos.onTheWayTo("/auth/login", async () => {
      stopping.abort();
      return new Promise<never>(() => undefined);
    });
    const error = await failureOf(pos.client.sale(pos.sale(), { signal: stopping.signal }));
    expect(error).toMatchObject({ kind: "aborted", outcomeUnknown: false });
  });

  it("fails at once with a wrong password, and takes no payment", async ({ expect }) => {
    const pos = await ScenePos.create({ password: "not the password" });
    const error = await failureOf(pos.client.sale(pos.sale()));
    expect(error).toMatchObject({ kind: "unauthorized", outcomeUnknown: false });
  });

  it("is forbidden for a suspended account", async ({ expect }) => {
    const pos = await ScenePos.create();
    await operator("PATCH", `/operator/accounts/${pos.account.posId}`, { status: "suspended" });
    expect(await failureOf(pos.client.login())).toMatchObject({ kind: "forbidden" });
  });
});

describe("a login", () => {
  it("is signed without a password, and again after a lost answer", async ({ expect }) => {
    const pos = await ScenePos.create({ password: undefined, random: () => 0 });
    pos.onTheWayTo("/auth/login", ANSWER_LOST);
    expect(await pos.client.terminals()).toHaveLength(1);
    const logins = pos.bodies("/auth/login");
    expect(logins.map((body) => Object.keys(body))).toEqual([LOGIN, LOGIN]);
    expect(new Set(logins.map(({ nonce }) => nonce)).size).toBe(2);
  });

  it("is refused if it is not signed with the account's key", async ({ expect }) => {
    const pos = await ScenePos.create({ password: undefined, signingKey: "another key" });
    const error = await failureOf(pos.client.login());
    expect(error).toMatchObject({ kind: "unauthorized" });
    expect(error.message).toBe("posId or signingKey is wrong: the gateway refused the login.");
  });

  it("retries somewhat later than Retry-After asks, spread over time", async ({ expect }) => {
    for (const random of [0, 0.5, 1]) {
      const pos = await ScenePos.create({ password: undefined, random: () => random });
      pos.onTheWayTo("/auth/login", answered(429, { "Retry-After": "1" }));
      const timers = vi.spyOn(globalThis, "setTimeout");
      await pos.client.login();
      expect(timers.mock.calls.map(([, delay]) => delay)).toContain(1_000 + 500 * random);
      timers.mockRestore();
    }
  });
});
