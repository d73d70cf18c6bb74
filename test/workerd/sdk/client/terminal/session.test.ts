/** A terminal's token, what the machine's clock means for it, and what a terminal makes of each answer. */
import { afterEach, describe, it, vi } from "vitest";
import {
  activateTerminal,
  TerminalSession,
  TERMINAL_HTTP_WITHIN,
  TERMINAL_TOKEN_MARGIN,
} from "../../../../../src/sdk/client/terminal/session.ts";
import { formatDatetime } from "../../../../../src/protocol/time/datetime.ts";

const MINUTE = 60_000;
const LIFE = 5 * MINUTE;

afterEach(() => {
  vi.useRealTimers();
});

/** Two machines whose clocks differ, and what the gateway was sent. */
function machine({ isAheadBy = 0, expiresAt }: { isAheadBy?: number; expiresAt?: string } = {}) {
  const gateway = { now: Date.UTC(2026, 0, 1) };
  const logins: string[] = [];
  const session = new TerminalSession(
    { address: "https://gateway.test", terminalId: "T-1", secret: "a secret" },
    async (request) => {
      const { datetime }: { datetime: string } = await request.json();
      logins.push(datetime);
      if (datetime !== formatDatetime(gateway.now)) {
        return said(400, { message: "too far off", serverTime: gateway.now });
      }
      const ends = expiresAt ?? new Date(gateway.now + LIFE).toISOString();
      return Response.json({ token: `token-${logins.length}`, expiresAt: ends, serverTime: gateway.now });
    },
    { wall: () => gateway.now + isAheadBy, monotonic: () => gateway.now },
  );
  const token = async (): Promise<string> => {
    const got = await session.token();
    if (!got.ok) throw new Error(JSON.stringify(got.error));
    return got.value;
  };
  return { gateway, logins, session, token };
}

describe("a terminal's token", () => {
  it.for([0, 26 * 60 * MINUTE, -26 * 60 * MINUTE])(
    "is used until shortly before it expires, clocks %i ms apart",
    async (isAheadBy, { expect }) => {
      const { gateway, logins, token } = machine({ isAheadBy });
      const first = await token();
      const tries = isAheadBy === 0 ? 1 : 2;
      expect(logins).toHaveLength(tries);
      gateway.now += LIFE - TERMINAL_TOKEN_MARGIN - 1;
      expect(await token()).toBe(first);
      gateway.now += 1;
      expect(await token()).not.toBe(first);
      // The gateway's time is known by now.
      expect(logins).toHaveLength(tries + 1);
    },
  );

  it("is used once if its end is unreadable", async ({ expect }) => {
    const { session, token } = machine();
    const first = await token();
    session.dropToken();
    expect(await token()).not.toBe(first);
    const unreadable = machine({ expiresAt: "soon" });
    expect(await unreadable.token()).not.toBe(await unreadable.token());
  });
});

const serverTime = Date.UTC(2026, 0, 1);
const LOGIN = { token: "token-1", expiresAt: new Date(serverTime + LIFE).toISOString(), serverTime };
const BOUND = { posId: "POS-1", merchantId: "M-1" };

/** A terminal whose calls are answered so; each call is its path and its token. */
function answeredWith(...answers: Response[]) {
  const calls: string[] = [];
  const session = new TerminalSession(
    { address: "https://gateway.test", terminalId: "T-1", secret: "a secret" },
    async (request) => {
      const { method, headers, redirect } = request;
      expectJson(method, headers);
      if (redirect !== "manual") throw new Error("it would follow a redirect");
      calls.push(`${new URL(request.url).pathname} ${headers.get("Authorization") ?? "-"}`);
      return answers.shift() ?? Response.error();
    },
    { wall: () => Date.UTC(2026, 0, 1), monotonic: () => 0 },
  );
  return { session, calls };
}

function expectJson(method: string, headers: Headers): void {
  if (method !== "POST" || headers.get("Content-Type") !== "application/json") throw new Error("not a POST of JSON");
}

/** In the gateway's form. */
function said(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json({ code: status * 100, traceId: "T", ...body }, { status, headers });
}

const refusedLogin = { kind: "login-refused", message: "No." };
const unreachable = { kind: "unreachable", message: "The gateway at https://gateway.test cannot be reached." };

describe("a bind", () => {
  it.for<[string, Response[], object, string[]]>([
    [
      "is made with the token of a login",
      [said(200, LOGIN), said(200, { ...BOUND, more: 1 })],
      BOUND,
      ["login", "bind 1"],
    ],
    [
      "is made again with another token if the first one is refused",
      [said(200, LOGIN), said(401, {}), said(200, { ...LOGIN, token: "token-2" }), said(200, BOUND)],
      BOUND,
      ["login", "bind 1", "login", "bind 2"],
    ],
    [
      "fails if the second token is refused, too",
      [said(200, LOGIN), said(401, {}), said(200, LOGIN), said(401, { message: "No." })],
      refusedLogin,
      ["login", "bind 1", "login", "bind 1"],
    ],
    [
      "fails with its login",
      [said(401, { message: "No." }), said(401, { message: "No." })],
      refusedLogin,
      ["login", "login"],
    ],
    [
      "fails with the seconds of a 429",
      [said(429, {}, { "Retry-After": "7" })],
      { kind: "rate-limited", retryAfterSeconds: 7 },
      ["login"],
    ],
    [
      "fails with a minute if a 429 says nothing",
      [said(429, {})],
      { kind: "rate-limited", retryAfterSeconds: 60 },
      ["login"],
    ],
    [
      "fails with a minute if a 429 says no number",
      [said(429, {}, { "Retry-After": "soon" })],
      { kind: "rate-limited", retryAfterSeconds: 60 },
      ["login"],
    ],
    [
      "fails with a minute if a 429 says none",
      [said(429, {}, { "Retry-After": "0" })],
      { kind: "rate-limited", retryAfterSeconds: 60 },
      ["login"],
    ],
    ["cannot reach a gateway that is down", [said(500, { message: "No." })], unreachable, ["login"]],
    ["cannot reach a gateway behind a page", [new Response("<html>")], unreachable, ["login"]],
    [
      "fails with the gateway's words",
      [said(499, { message: "No." })],
      { kind: "rejected", status: 499, message: "No." },
      ["login"],
    ],
    [
      "fails with the message about a member first",
      [said(400, { message: "No.", details: [{ message: "Send b." }] })],
      { kind: "rejected", status: 400, message: "Send b." },
      ["login"],
    ],
    [
      "fails with the general message if none is about a member",
      [said(400, { message: "No.", details: [{ message: 7 }] })],
      { kind: "rejected", status: 400, message: "No." },
      ["login"],
    ],
    [
      "fails with the general message if the details are none",
      [said(400, { message: "No.", details: [null] })],
      { kind: "rejected", status: 400, message: "No." },
      ["login"],
    ],
    [
      "fails with the general ones if the details are a text",
      [said(400, { message: "No.", details: "x" })],
      { kind: "rejected", status: 400, message: "No." },
      ["login"],
    ],
    [
      "fails with the status if nothing is said",
      [said(404, { message: 7 })],
      { kind: "rejected", status: 404, message: "HTTP status 404" },
      ["login"],
    ],
    ["is not refused by a proxy's 401", [Response.json({ message: "No." }, { status: 401 })], unreachable, ["login"]],
    ["is not refused by a JSON null", [Response.json(null, { status: 403 })], unreachable, ["login"]],
    ["is not refused by another code", [said(403, { code: 1015 })], unreachable, ["login"]],
    ["is not refused without a trace", [said(403, { traceId: 7 })], unreachable, ["login"]],
    ["does not wait for a proxy's 429", [said(429, { code: 1 }, { "Retry-After": "900" })], unreachable, ["login"]],
    ["follows no redirect", [new Response(null, { status: 307, headers: { Location: "/" } })], unreachable, ["login"]],
    [
      "is not made again for a time that is no time",
      [said(400, { message: "No.", serverTime: "now" })],
      { kind: "rejected", status: 400, message: "No." },
      ["login"],
    ],
    [
      "is signed again for the gateway's time only once",
      [said(400, { serverTime: 7 }), said(400, { message: "No.", serverTime: 7 })],
      { kind: "rejected", status: 400, message: "No." },
      ["login", "login"],
    ],
    [
      "is not signed again for the time of a gateway that is down",
      [said(503, { serverTime: 7 })],
      unreachable,
      ["login"],
    ],
    ["fails if there is no token", [said(200, { ...LOGIN, token: null })], unreachable, ["login"]],
    ["fails if the gateway's time is missing", [said(200, { ...LOGIN, serverTime: null })], unreachable, ["login"]],
    ["fails if the token has no end", [said(200, { ...LOGIN, expiresAt: null })], unreachable, ["login"]],
    ["fails if nobody is bound", [said(200, LOGIN), said(200, { posId: "POS-1" })], unreachable, ["login", "bind 1"]],
    [
      "fails if it is bound to nobody",
      [said(200, LOGIN), said(200, { merchantId: "M-1" })],
      unreachable,
      ["login", "bind 1"],
    ],
  ])("%s", async ([, answers, outcome, paths], { expect }) => {
    const { session, calls } = answeredWith(...answers);
    const bound = await session.bind("7K3M-9QXT");
    expect(bound).toEqual(outcome === BOUND ? { ok: true, value: outcome } : expect.objectContaining({ ok: false }));
    if (!bound.ok) {
      const { cause: _cause, ...error } = { cause: null, ...bound.error };
      expect(error).toEqual(outcome);
    }
    expect(calls).toEqual(
      paths.map((path) => (path === "login" ? "/terminal/login -" : `/terminal/bind Bearer token-${path.slice(-1)}`)),
    );
  });

  it("gives up a gateway that does not answer, and its connection", async ({ expect }) => {
    vi.useFakeTimers();
    const asked = Promise.withResolvers<AbortSignal>();
    const session = new TerminalSession(
      { address: "https://gateway.test", terminalId: "T-1", secret: "a secret" },
      async (request) => {
        asked.resolve(request.signal);
        return new Promise<never>(() => undefined);
      },
      { wall: () => 0, monotonic: () => 0 },
    );
    const binding = session.bind("7K3M-9QXT");
    const signal = await asked.promise;
    await vi.advanceTimersByTimeAsync(TERMINAL_HTTP_WITHIN - 1);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal.aborted).toBe(true);
    expect(await binding).toMatchObject({ ok: false, error: unreachable });
  });
});

const problem = (error: object) => ({ ok: false, error });

describe("an activation", () => {
  const ACTIVATED = { terminalId: "T-1", secret: "a secret", serverTime };

  it.for<[string, Response, object]>([
    ["gives the terminal's id and secret", said(200, { ...ACTIVATED, more: 1 }), { ok: true, value: ACTIVATED }],
    [
      "fails with the gateway's words",
      said(401, { message: "It was used." }),
      problem({ ...refusedLogin, message: "It was used." }),
    ],
    [
      "fails with the seconds of a 429",
      said(429, {}, { "Retry-After": "7" }),
      problem({ kind: "rate-limited", retryAfterSeconds: 7 }),
    ],
    ["is not refused by a proxy", Response.json({ message: "No." }, { status: 401 }), problem(unreachable)],
    ["fails without a secret", said(200, { ...ACTIVATED, secret: null }), problem(unreachable)],
  ])("%s", async ([, response, outcome], { expect }) => {
    const sent: object[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      expectJson(request.method, request.headers);
      sent.push({ path: new URL(request.url).pathname, body: await request.json() });
      return response;
    };
    const activated = await activateTerminal({ baseUrl: "https://gateway.test/", activationCode: "7k3q", fetch });
    expect(activated).toEqual(outcome);
    expect(sent).toEqual([{ path: "/terminal/activate", body: { activationCode: "7k3q" } }]);
  });
});
