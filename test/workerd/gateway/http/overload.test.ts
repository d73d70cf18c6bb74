/** Objects with too much to do: their callers are told when to come back. Transfers: test/workerd/gateway/transfer/failures. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { cutLongWaitsShort } from "../../../support/clock.ts";
import { accountsWith, callWith } from "../../../support/environment.ts";
import {
  BASE_URL,
  bindMessage,
  boundPair,
  type CallOptions,
  createAccount,
  login,
  loginMessage,
  loginTerminal,
  OPERATOR_TOKEN,
  requestOf,
  uniqueId,
} from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { signedCallBody } from "../../../support/webhooks.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** As the platform refuses every call of every object. */
const overloaded = {
  getByName: () =>
    new Proxy(
      {},
      {
        get: () => () =>
          Promise.reject(Object.assign(new Error("Durable Object is overloaded."), { overloaded: true })),
      },
    ),
};

describe("a call of an overloaded object", () => {
  it("gets a 429 that says when to retry, at every route", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const { access, refresh } = await login(account);
    const { posId, merchantId, currency, timezone } = account;
    const { terminalId } = terminal;
    const pos = { token: access.token };
    const ofTerminal = { token: await loginTerminal(terminal) };
    const byOperator = { token: OPERATOR_TOKEN };
    const change = signedCallBody(account, "POST", "/api/webhooks", { url: "https://books.example.com/" });
    const attempts: [method: string, path: string, options: CallOptions][] = [
      ["POST", "/auth/login", { body: { posId, password: account.password } }],
      ["POST", "/auth/refresh", { token: refresh.token }],
      ["POST", "/auth/logout", pos],
      ["GET", "/api/terminals", pos],
      ["DELETE", `/api/terminals/${terminalId}`, pos],
      ["GET", "/api/bind-terminal-key", pos],
      ["GET", "/api/transactions", pos],
      ["GET", "/api/events", pos],
      ["GET", "/api/events?after=0", pos],
      ["GET", "/api/events?after=0", { ...pos, headers: { Prefer: "wait=60" } }],
      ["GET", `/api/events/evt_${posId}_1`, pos],
      ["GET", "/api/webhooks", pos],
      ["POST", "/api/webhooks", { ...pos, body: change }],
      ["POST", "/terminal/login", { body: loginMessage(terminal) }],
      ["POST", "/terminal/bind", { ...ofTerminal, body: bindMessage(terminal, "00000000") }],
      ["GET", "/terminal/connect", { ...ofTerminal, headers: { Upgrade: "websocket" } }],
      [
        "POST",
        "/operator/accounts",
        { ...byOperator, body: { posId: uniqueId("pos"), merchantId, currency, timezone } },
      ],
      ["PATCH", `/operator/accounts/${posId}`, { ...byOperator, body: { name: "x" } }],
      ["DELETE", `/operator/accounts/${posId}`, byOperator],
      ["POST", `/operator/accounts/${posId}/password`, byOperator],
      ["POST", `/operator/accounts/${posId}/signing-key`, byOperator],
      ["GET", `/operator/accounts/${posId}/webhooks`, byOperator],
      ["GET", `/operator/accounts/${posId}/transactions`, byOperator],
      ["POST", "/operator/terminals", { ...byOperator, body: { terminalId: uniqueId("term"), isVT: 0 } }],
      ["DELETE", `/operator/terminals/${terminalId}`, byOperator],
      ["POST", `/operator/terminals/${terminalId}/secret`, byOperator],
      ["DELETE", `/operator/terminals/${terminalId}/binding`, byOperator],
      ["GET", `/operator/terminals/${terminalId}/transactions`, byOperator],
    ];
    const objects = { ACCOUNT: overloaded, TERMINAL: overloaded, COORDINATOR: overloaded };
    const answers: unknown[] = [];
    const before = lines.length;
    for (const [method, path, options] of attempts) {
      const { status, body, headers } = await callWith(objects, method, path, options);
      answers.push([method, path, status, body["code"], headers.get("Retry-After")]);
    }
    expect(answers).toEqual(attempts.map(([method, path]) => [method, path, 429, 42900, "3"]));
    // Nothing has failed that an operator must look at.
    expect(logged("request_failed", before)).toEqual([]);
  });
});

const never = () => new Promise<never>(() => undefined);

describe("an account's object that does not answer in time", () => {
  it("counts as overloaded for its readers and its sessions", async ({ expect }) => {
    const account = await createAccount();
    const { access, refresh } = await login(account);
    const pos = { token: access.token };
    const silent = { standing: never, events: never, event: never, fetch: never, refresh: never };
    const ACCOUNT = accountsWith({ [account.posId]: silent });
    // Before the limit of a whole call, which would be a 500.
    cutLongWaitsShort(7_000, 8_000);
    const attempts: [method: string, path: string, options: CallOptions][] = [
      ["GET", "/api/transactions", pos],
      ["GET", "/api/events", pos],
      ["GET", "/api/events?after=0", { ...pos, headers: { Prefer: "wait=60" } }],
      ["GET", `/api/events/evt_${account.posId}_1`, pos],
      ["POST", "/auth/refresh", { token: refresh.token }],
    ];
    for (const [method, path, options] of attempts) {
      const { status, headers } = await callWith({ ACCOUNT }, method, path, options);
      expect([method, path, status, headers.get("Retry-After")]).toEqual([method, path, 429, "3"]);
    }
    expect((await callWith({ ACCOUNT: env.ACCOUNT }, "GET", "/api/events", pos)).status).toBe(200);
  });
});

describe("a coordinator that does not answer in time", () => {
  it("counts as overloaded when an account is created, and creates none", async ({ expect }) => {
    const COORDINATOR = { getByName: () => ({ reservePosId: never }) };
    cutLongWaitsShort(7_000, 8_000);
    const body = { posId: uniqueId("pos"), merchantId: "M-1", currency: "MYR", timezone: "UTC" };
    const options = { token: OPERATOR_TOKEN, body };
    const { status, headers } = await callWith({ COORDINATOR }, "POST", "/operator/accounts", options);
    expect([status, headers.get("Retry-After")]).toEqual([429, "3"]);
    expect((await callWith({}, "POST", "/operator/accounts", options)).status).toBe(201);
  });
});

describe("a read whose time is over", () => {
  it("is a 500, unless its reader waits for events", async ({ expect }) => {
    const { access } = await login(await createAccount());
    const original = scheduler;
    vi.stubGlobal("scheduler", {
      wait: async (milliseconds: number) => (milliseconds === 8_000 ? undefined : original.wait(milliseconds)),
    });
    const work: Promise<unknown>[] = [];
    const context = { ...createExecutionContext(), waitUntil: (one: Promise<unknown>) => void work.push(one) };
    const statusOf = async (path: string): Promise<number> =>
      (await app.fetch(requestOf(BASE_URL, "GET", path, { token: access.token }), env, context)).status;
    expect([await statusOf("/api/events?after=0"), work.length]).toEqual([200, 0]);
    expect([await statusOf("/api/terminals"), work.length]).toEqual([500, 1]);
    await Promise.all(work);
  });
});
