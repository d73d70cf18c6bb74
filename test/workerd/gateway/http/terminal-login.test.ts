import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { UsedLogins } from "../../../../src/gateway/terminal/storage/stored-reports.ts";
import { CLOCK_TOLERANCE, TERMINAL_TOKEN_LIFE } from "../../../../src/protocol/limits.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../src/protocol/time/datetime.ts";
import {
  type Answer,
  bindMessage,
  call,
  enrolTerminal,
  type ErrorBody,
  loginMessage,
  loginTerminal,
  operator,
  withoutForm,
} from "../../../support/gateway.ts";
import { LOGIN_MEMORY, LOGINS_REMEMBERED } from "../../../../src/gateway/terminal/secret.ts";

interface LoginAnswer extends ErrorBody {
  token: string;
  expiresAt: string;
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function login(body: object): Promise<Answer<LoginAnswer>> {
  return call<LoginAnswer>("POST", "/terminal/login", { body });
}

describe("a terminal's login", () => {
  it("returns a token for five minutes", async ({ expect }) => {
    const { status, body } = await login(loginMessage(await enrolTerminal()));
    expect(status).toBe(200);
    expect(body.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+00:00$/);
    const life = Date.parse(body.expiresAt) - Date.now();
    expect(life).toBeLessThanOrEqual(TERMINAL_TOKEN_LIFE);
    expect(life).toBeGreaterThan(TERMINAL_TOKEN_LIFE - 60_000);
  });

  it("covers unknown fields with its signature", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const message = { terminalId, datetime: formatDatetime(Date.now()), firmware: { major: 7 } };
    expect((await login(withSignature(message, secret))).status).toBe(200);
    expect((await login({ ...withSignature(message, secret), firmware: { major: 8 } })).status).toBe(401);
  });

  it("gives the same answer to unknown terminals, retired ones and wrong signatures", async ({ expect }) => {
    const [terminal, retired] = await Promise.all([enrolTerminal(), enrolTerminal()]);
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    const answers = await Promise.all([
      login(loginMessage({ terminalId: "nobody", secret: terminal.secret })),
      login(loginMessage(retired)),
      login(loginMessage({ ...terminal, secret: retired.secret })),
      login({ ...loginMessage(terminal), signature: "no hexadecimal at all" }),
      login({ ...loginMessage(terminal), signature: "0".repeat(64) }),
    ]);
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(headers.get("WWW-Authenticate")).toBe("Bearer");
      expect(withoutForm(body)).toEqual(withoutForm(answers[0]?.body));
      expect(body.message).toMatch(/a form of [0-9]+ bytes with SHA-256 [0-9a-f]{64}\.$/u);
    }
  });

  it("returns the time to every terminal whose clock is wrong", async ({ expect }) => {
    const terminal = await enrolTerminal();
    for (const identity of [terminal, { terminalId: "nobody", secret: "none" }]) {
      for (const skew of [-CLOCK_TOLERANCE - 2_000, CLOCK_TOLERANCE + 2_000, -40 * 365 * 86_400_000]) {
        const before = Date.now();
        const { status, body } = await login(loginMessage(identity, before + skew));
        expect(status).toBe(400);
        expect(body.details?.map(({ path }) => path)).toEqual(["datetime"]);
        expect(body.serverTime).toBeGreaterThanOrEqual(before);
        expect(body.serverTime).toBeLessThanOrEqual(Date.now());
      }
    }
    expect((await login(loginMessage(terminal, Date.now() - CLOCK_TOLERANCE + 60_000))).status).toBe(200);
  });

  it("does not accept a message of another kind, even if correctly signed", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const datetime = formatDatetime(Date.now());
    const frame = await login(withSignature({ terminalId, datetime, type: "hello" }, secret));
    expect(frame.body.details?.map(({ path }) => path)).toEqual(["type"]);
    const response = await login(withSignature({ terminalId, datetime, statusCode: "00" }, secret));
    expect(response.body.details?.map(({ path }) => path)).toEqual(["statusCode"]);
  });

  it("is valid once, and then refused as used", async ({ expect }) => {
    const log = vi.spyOn(console, "log");
    const terminal = await enrolTerminal();
    const message = loginMessage(terminal);
    expect((await login(message)).status).toBe(200);
    const again = await login(message);
    const forgery = { ...loginMessage(terminal), signature: "0".repeat(64) };
    const forged = await login(forgery);
    // A wrong one is not remembered.
    await login(forgery);
    expect(again.status).toBe(401);
    expect([again.body.code, again.body.message]).toEqual([forged.body.code, expect.stringContaining("used before")]);
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as { terminal?: string; reason?: string });
    const about = lines.filter((line) => line.terminal === terminal.terminalId);
    expect(about.map(({ reason }) => reason)).toEqual([
      undefined,
      "login used before",
      "wrong signature",
      "wrong signature",
    ]);
  });

  it("is valid once even if the object has lost its memory", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const message = loginMessage(terminal);
    expect((await login(message)).status).toBe(200);
    await evictDurableObject(env.TERMINAL.getByName(terminal.terminalId));
    expect((await login(message)).status).toBe(401);
    await abortAllDurableObjects();
    expect((await login(message)).status).toBe(401);
  });

  it("may have a nonce, a text of at most 64 characters", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const datetime = formatDatetime(Date.now());
    for (const nonce of ["n".repeat(65), 7, ["n"]]) {
      const { status, body } = await login(withSignature({ terminalId, datetime, nonce }, secret));
      expect([status, body.details?.map(({ path }) => path)]).toEqual([400, ["nonce"]]);
    }
  });

  it("is refused by the object if older than what it remembers", async ({ expect }) => {
    const now = Math.floor(Date.now() / 1_000) * 1_000;
    vi.useFakeTimers({ toFake: ["Date"], now });
    const terminal = await enrolTerminal();
    const stub = terminalStub(env, terminal.terminalId);
    const [older, oldest] = [1_000, 0].map((more) => loginMessage(terminal, now - LOGIN_MEMORY - more));
    const verdicts: unknown[] = [];
    for (const message of [older, oldest, oldest]) verdicts.push(await stub.verifyLogin(message ?? {}));
    expect(verdicts).toMatchObject([{ kind: "used" }, { kind: "accepted" }, { kind: "used" }]);
  });

  it("is one of at most a thousand remembered, while others wait", async ({ expect }) => {
    const begun = Date.now();
    const terminal = await enrolTerminal();
    const stub = env.TERMINAL.getByName(terminal.terminalId);
    expect((await login(loginMessage(terminal))).status).toBe(200);
    await runInDurableObject(stub, (_object, { storage }) => {
      const logins = new UsedLogins(storage.sql);
      for (let number = logins.count; number < LOGINS_REMEMBERED; number++) logins.add(`login ${number}`, begun);
    });
    const full = await login(loginMessage(terminal));
    expect([full.status, full.headers.get("Retry-After")]).toEqual([429, "60"]);
    vi.useFakeTimers({ toFake: ["Date"], now: begun + LOGIN_MEMORY + 2_000 });
    expect((await login(loginMessage(terminal))).status).toBe(200);
    const left = await runInDurableObject(stub, (_object, { storage }) => new UsedLogins(storage.sql).count);
    expect(left).toBe(1);
  });

  it("names every field that is wrong", async ({ expect }) => {
    const { status, body } = await login({ terminalId: "", datetime: "20261301T000000" });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path)).toEqual(["terminalId", "datetime", "signature"]);
  });

  it("works with the new secret, and not with the previous one", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const { status, body } = await operator<{ secret: string }>(
      "POST",
      `/operator/terminals/${terminal.terminalId}/secret`,
      { revokePrevious: true },
    );
    expect(status).toBe(200);
    expect((await login(loginMessage(terminal))).status).toBe(401);
    expect((await login(loginMessage({ ...terminal, secret: body.secret }))).status).toBe(200);
  });

  it("gives a token that ends with its five minutes", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const token = await loginTerminal(terminal);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TERMINAL_TOKEN_LIFE });
    expect((await call("POST", "/terminal/bind", { token, body: bindMessage(terminal, "00000000") })).status).toBe(401);
  });
});
