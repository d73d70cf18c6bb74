/** Tokens end at midnight: a POS's client logs in again with its next call. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { PosClient, type TokenPair } from "../../../src/sdk/client/pos.ts";

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
function pos(ahead = 0) {
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
  const now = (): number => Date.now() + ahead;
  const options = { baseUrl: "https://gateway.test", ...account, fetch, now };
  const client = new PosClient(options);
  return { client, calls };
}

describe("a POS's client", () => {
  it("logs in once for all calls in the last seconds before midnight", async ({ expect }) => {
    const { client, calls } = pos();
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
    const { client, calls } = pos(5 * 60_000);
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
    const { client, calls } = pos();
    await client.login();
    await client.logout();
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(calls).toEqual(["/auth/login", "/auth/logout"]);
  });
});
