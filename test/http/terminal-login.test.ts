import { afterEach, describe, it, vi } from "vitest";
import { CLOCK_TOLERANCE } from "../../src/protocol/limits/messages.ts";
import { TERMINAL_TOKEN_LIFE } from "../../src/protocol/limits/keys.ts";
import { withSignature } from "../../src/signing/signature.ts";
import { formatDatetime } from "../../src/time/datetime.ts";
import {
  type Answer,
  call,
  enrolTerminal,
  type ErrorBody,
  loginMessage,
  loginTerminal,
  operator,
} from "../support/gateway.ts";

interface LoginAnswer extends ErrorBody {
  token: string;
  expiresAt: string;
}

afterEach(() => {
  vi.useRealTimers();
});

function login(body: object): Promise<Answer<LoginAnswer>> {
  return call<LoginAnswer>("POST", "/terminal/login", { body });
}

describe("a terminal's login", () => {
  it("answers a token for five minutes", async ({ expect }) => {
    const { status, body } = await login(loginMessage(await enrolTerminal()));
    expect(status).toBe(200);
    expect(body.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+00:00$/);
    const life = Date.parse(body.expiresAt) - Date.now();
    expect(life).toBeLessThanOrEqual(TERMINAL_TOKEN_LIFE);
    expect(life).toBeGreaterThan(TERMINAL_TOKEN_LIFE - 60_000);
  });

  it("takes the datetime without the T", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const datetime = formatDatetime(Date.now()).replace("T", "");
    expect((await login(withSignature({ terminalId, datetime }, secret))).status).toBe(200);
  });

  it("covers unknown fields with its signature", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const message = { terminalId, datetime: formatDatetime(Date.now()), firmware: { major: 7 } };
    expect((await login(withSignature(message, secret))).status).toBe(200);
    expect((await login({ ...withSignature(message, secret), firmware: { major: 8 } })).status).toBe(401);
  });

  it("answers unknown terminals, retired ones and wrong signatures alike", async ({ expect }) => {
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
      expect({ ...body, requestId: "" }).toEqual({ ...answers[0]?.body, requestId: "" });
    }
  });

  it("tells a terminal whose clock is off the time, whoever it is", async ({ expect }) => {
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

  it("does not take a message of another kind, however well signed", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const datetime = formatDatetime(Date.now());
    const frame = await login(withSignature({ terminalId, datetime, type: "hello" }, secret));
    expect(frame.body.details?.map(({ path }) => path)).toEqual(["type"]);
    const response = await login(withSignature({ terminalId, datetime, statusCode: "00" }, secret));
    expect(response.body.details?.map(({ path }) => path)).toEqual(["statusCode"]);
  });

  it("names every field that is wrong", async ({ expect }) => {
    const { status, body } = await login({ terminalId: "", datetime: "20261301T000000" });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path)).toEqual(["terminalId", "datetime", "signature"]);
  });

  it("goes on with the new secret, and not with the one before", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const { status, body } = await operator<{ secret: string }>(
      "POST",
      `/operator/terminals/${terminal.terminalId}/secret`,
    );
    expect(status).toBe(200);
    expect((await login(loginMessage(terminal))).status).toBe(401);
    expect((await login(loginMessage({ ...terminal, secret: body.secret }))).status).toBe(200);
  });

  it("gives a token that ends with its five minutes", async ({ expect }) => {
    const token = await loginTerminal(await enrolTerminal());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TERMINAL_TOKEN_LIFE });
    expect((await call("POST", "/terminal/bind", { token, body: { key: "00000000" } })).status).toBe(401);
  });
});
