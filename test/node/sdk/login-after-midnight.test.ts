/** A POS's client logs in by itself after midnight, when tokens end, at a time of its own. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { PosClient, type TokenPair, type TokenStore } from "../../../src/sdk/client/pos.ts";
import { LOGIN_SPREAD } from "../../../src/sdk/client/pos/session.ts";

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21, 16);

beforeEach(() => {
  vi.useFakeTimers({ now: MIDNIGHT - HOUR });
});

afterEach(() => {
  vi.useRealTimers();
});

function pairUntil(ends: number): TokenPair {
  const expiresAt = new Date(ends).toISOString();
  return { access: { token: `access-${ends}`, expiresAt }, refresh: { token: `refresh-${ends}`, expiresAt } };
}

/**
 * A client whose gateway hands out tokens until the next midnight, and accepts no others; `calls` are the paths that it was
 * asked.
 *
 * @param ahead milliseconds by which the client's clock is ahead
 */
function pos(random: number, tokens?: TokenStore, ahead = 0) {
  const calls: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    calls.push(pathname);
    const midnight = MIDNIGHT + (Date.now() < MIDNIGHT ? 0 : 24 * HOUR);
    if (!pathname.startsWith("/auth/")) {
      const isValid = request.headers.get("Authorization") === `Bearer access-${midnight}`;
      return isValid
        ? Response.json({ data: [] })
        : Response.json({ code: 40100, message: "expired", traceId: "a trace" }, { status: 401 });
    }
    return pathname === "/auth/logout"
      ? Response.json({ code: 20_000, message: "done" })
      : Response.json(pairUntil(midnight));
  };
  const account = { posId: "POS-1", merchantId: "M-1", signingKey: "a key", password: "a password" };
  const stored = tokens === undefined ? {} : { tokens };
  const now = (): number => Date.now() + ahead;
  const options = { baseUrl: "https://gateway.test", ...account, fetch, now, random: () => random, ...stored };
  const client = new PosClient(options);
  return { client, calls };
}

/** Timers that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

describe("a POS's client", () => {
  it("logs in daily, if idle, at a random time soon after midnight", async ({ expect }) => {
    for (const random of [0.2, 0.8]) {
      vi.setSystemTime(MIDNIGHT - HOUR);
      const { client, calls } = pos(random);
      await client.login();
      await vi.advanceTimersByTimeAsync(HOUR + random * LOGIN_SPREAD - 1_000);
      expect(calls).toEqual(["/auth/login"]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(calls).toEqual(["/auth/login", "/auth/login"]);
      await client.terminals();
      expect(calls.slice(2)).toEqual(["/api/terminals"]);
      await vi.advanceTimersByTimeAsync(23 * HOUR);
      expect(calls).toHaveLength(3);
      await client.logout();
    }
  });

  it("logs in once if used right after midnight", async ({ expect }) => {
    const { client, calls } = pos(1);
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR + 1_000);
    await client.terminals();
    expect(calls).toEqual(["/auth/login", "/auth/login", "/api/terminals"]);
    await vi.advanceTimersByTimeAsync(2 * LOGIN_SPREAD);
    expect(calls).toHaveLength(3);
  });

  it("logs in once for all calls in the last seconds before midnight", async ({ expect }) => {
    const { client, calls } = pos(1);
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR - 20_000);
    for (let time = 0; time < 3; time++) await client.terminals();
    expect(calls.splice(0)).toEqual(["/auth/login", "/auth/login", ...Array<string>(3).fill("/api/terminals")]);
    await vi.advanceTimersByTimeAsync(21_000);
    for (let time = 0; time < 2; time++) await client.terminals();
    expect(calls).toEqual(["/auth/login", "/api/terminals", "/api/terminals"]);
    await client.logout();
  });

  it("uses yesterday's tokens, if its clock is ahead, until they are refused", async ({ expect }) => {
    const { client, calls } = pos(1, undefined, 5 * 60_000);
    await client.login();
    await vi.advanceTimersByTimeAsync(HOUR - 2 * 60_000);
    for (let time = 0; time < 3; time++) await client.terminals();
    expect(calls.splice(0)).toEqual(["/auth/login", "/auth/login", ...Array<string>(3).fill("/api/terminals")]);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    for (let time = 0; time < 2; time++) await client.terminals();
    expect(calls).toEqual(["/api/terminals", "/auth/login", "/api/terminals", "/api/terminals"]);
    await client.logout();
  });

  it("stays logged out after a logout", async ({ expect }) => {
    const { client, calls } = pos(0.5);
    await client.login();
    await client.logout();
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(calls).toEqual(["/auth/login", "/auth/logout"]);
  });

  it("does not log in repeatedly with tokens for years", async ({ expect }) => {
    let logins = 0;
    const fetch = async ({ url }: Request): Promise<Response> => {
      if (url.endsWith("/logout")) return Response.json({ code: 20_000, message: "done" });
      logins += 1;
      return Response.json(pairUntil(MIDNIGHT + 70 * 365 * 24 * HOUR));
    };
    const account = { posId: "POS-1", merchantId: "M-1", signingKey: "a key", password: "a password" };
    const client = new PosClient({ baseUrl: "https://gateway.test", ...account, fetch });
    await client.login();
    await vi.advanceTimersByTimeAsync(100);
    expect(logins).toBe(1);
    await client.logout();
  });

  it("logs in by itself also after a session from before it started", async ({ expect }) => {
    const { client, calls } = pos(0.5, { load: async () => pairUntil(MIDNIGHT), save: async () => {} });
    await client.terminals();
    expect(calls).toEqual(["/api/terminals"]);
    await vi.advanceTimersByTimeAsync(HOUR + LOGIN_SPREAD);
    expect(calls).toEqual(["/api/terminals", "/auth/login"]);
  });

  it("has no timer where timers block the program's end, except in pages", async ({ expect }) => {
    const { setTimeout: set } = globalThis;
    vi.stubGlobal("setTimeout", (work: () => void, delay: number) => Number(set(work, delay)));
    for (const [page, logins] of [
      [undefined, 1],
      [{}, 2],
    ] as const) {
      vi.setSystemTime(MIDNIGHT - HOUR);
      if (page !== undefined) vi.stubGlobal("document", page);
      const { client, calls } = pos(0.5);
      await client.login();
      await vi.advanceTimersByTimeAsync(2 * HOUR);
      expect(calls).toHaveLength(logins);
      await client.logout();
    }
    vi.unstubAllGlobals();
  });

  it("keeps no process alive for that login", async ({ expect }) => {
    vi.useRealTimers();
    const before = timers();
    const { client } = pos(0.5, { load: async () => pairUntil(Date.now() + HOUR), save: async () => {} });
    await client.terminals();
    expect(timers()).toBe(before);
    await client.logout();
  });
});
