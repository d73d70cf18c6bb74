import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { BIND_KEY_LIFE } from "../../src/protocol/limits/keys.ts";
import { callWith, objectsWith } from "../support/environment.ts";
import {
  accessToken,
  type Answer,
  bindKey,
  bindTerminal,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  loginTerminal,
  operator,
} from "../support/gateway.ts";

interface Bound {
  posId: string;
  merchantId: string;
}

afterEach(() => {
  vi.useRealTimers();
});

function bind(token: string, key: string): Promise<Answer<Bound & ErrorBody>> {
  return call<Bound & ErrorBody>("POST", "/terminal/bind", { token, body: { key } });
}

async function boundTo(terminalId: string): Promise<unknown> {
  return (await operator("GET", `/operator/terminals/${terminalId}`)).body["posId"];
}

function objectIsGone(): Promise<never> {
  return Promise.reject(new Error("the object is gone"));
}

describe("bind", () => {
  it("binds the terminal to the key's account, which then lists it", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal({ isVT: 1 })]);
    const token = await accessToken(account);
    const answer = await bind(await loginTerminal(terminal), await bindKey(token));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ posId: account.posId, merchantId: account.merchantId });
    const { body } = await call("GET", "/api/terminals", { token });
    expect(body).toEqual({ data: [{ terminalId: terminal.terminalId, connected: false, isVT: 1 }] });
  });

  it("takes the key in any case, with dashes, and with the letters that look like digits", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const token = await accessToken(account);
    const terminalToken = await loginTerminal(terminal);
    for (const spell of [
      (key: string) => key.toLowerCase(),
      (key: string) => `${key.slice(0, 4)}-${key.slice(4)}`,
      (key: string) => key.replaceAll("1", "I").replaceAll("0", "O"),
      (key: string) => key.replaceAll("1", "l").replaceAll("0", "o"),
    ]) {
      expect((await bind(terminalToken, spell(await bindKey(token)))).status).toBe(200);
    }
  });

  it("lets exactly one of two terminals have a key", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const terminals = await Promise.all([enrolTerminal(), enrolTerminal()]);
    const tokens = await Promise.all(terminals.map(loginTerminal));
    const key = await bindKey(token);
    const answers = await Promise.all(tokens.map((terminalToken) => bind(terminalToken, key)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    const { body } = await call<{ data: unknown[] }>("GET", "/api/terminals", { token });
    expect(body.data).toHaveLength(1);
  });

  it("answers the same terminal's repetition of its key alike, many at once included, and binds once", async ({
    expect,
  }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const key = await bindKey(await accessToken(account));
    const terminalToken = await loginTerminal(terminal);
    const answers = await Promise.all(Array.from({ length: 5 }, () => bind(terminalToken, key)));
    for (const { status, body } of [...answers, await bind(terminalToken, key)]) {
      expect(status).toBe(200);
      expect(body).toEqual({ posId: account.posId, merchantId: account.merchantId });
    }
    // Moved on since: the repetition does not bind it back.
    const other = await createAccount();
    await bindTerminal(other, terminal);
    expect((await bind(terminalToken, key)).body).toEqual({ posId: account.posId, merchantId: account.merchantId });
    expect(await boundTo(terminal.terminalId)).toBe(other.posId);
  });

  it("completes a bind that the Worker did not finish", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const key = await bindKey(await accessToken(account));
    const token = await loginTerminal(terminal);
    const TERMINAL = objectsWith({ [terminal.terminalId]: { bind: objectIsGone } });
    expect((await callWith({ TERMINAL }, "POST", "/terminal/bind", { token, body: { key } })).status).toBe(500);
    // It is claimed: nobody else can have it.
    expect((await bind(await loginTerminal(await enrolTerminal()), key)).status).toBe(400);
    expect((await bind(token, key)).status).toBe(200);
    expect(await boundTo(terminal.terminalId)).toBe(account.posId);
  });

  it("gives the key back where a transaction is running, and says so", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const key = await bindKey(await accessToken(account));
    const token = await loginTerminal(terminal);
    const TERMINAL = objectsWith({ [terminal.terminalId]: { bind: async () => ({ kind: "busy" }) } });
    const busy = await callWith<ErrorBody>({ TERMINAL }, "POST", "/terminal/bind", { token, body: { key } });
    expect(busy.status).toBe(400);
    expect(busy.body.message).toContain("transaction running");
    expect((await bind(await loginTerminal(await enrolTerminal()), key)).status).toBe(200);
  });

  it("refuses a key that is wrong, used by another, expired, of a suspended account, or no key at all", async ({
    expect,
  }) => {
    const [account, terminal, other] = await Promise.all([createAccount(), enrolTerminal(), enrolTerminal()]);
    const token = await accessToken(account);
    const terminalToken = await loginTerminal(terminal);
    const used = await bindKey(token);
    await bind(await loginTerminal(other), used);
    const suspended = await createAccount();
    const ofSuspended = await bindKey(await accessToken(suspended));
    await operator("PATCH", `/operator/accounts/${suspended.posId}`, { status: "suspended" });
    for (const key of ["ZZZZZZZZ", used, ofSuspended, "short", "UUUUUUUU", "", "ZZZZ ZZZZ"]) {
      const { status, body } = await bind(terminalToken, key);
      expect(status).toBe(400);
      expect(body.details?.[0]?.path).toBe("key");
    }
    const expired = await bindKey(token);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + BIND_KEY_LIFE });
    expect((await bind(await loginTerminal(terminal), expired)).status).toBe(400);
  });

  it("refuses a terminal that the operator assigned to another merchant, and leaves the key open", async ({
    expect,
  }) => {
    const [account, assigned, free] = await Promise.all([
      createAccount(),
      enrolTerminal({ merchantId: "somebody-else" }),
      enrolTerminal(),
    ]);
    const key = await bindKey(await accessToken(account));
    const refused = await bind(await loginTerminal(assigned), key);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("another merchant");
    expect((await bind(await loginTerminal(free), key)).status).toBe(200);
  });

  it("moves a bound terminal, and takes it off the prebind list of the account that it leaves", async ({ expect }) => {
    const merchantId = `shop-${crypto.randomUUID()}`;
    const [from, to, terminal] = await Promise.all([
      createAccount({ merchantId }),
      createAccount({ merchantId }),
      enrolTerminal({ merchantId }),
    ]);
    const token = await accessToken(from);
    await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [terminal.terminalId] } });
    expect(await boundTo(terminal.terminalId)).toBe(from.posId);
    await bindTerminal(to, terminal);
    expect(await boundTo(terminal.terminalId)).toBe(to.posId);
    expect((await call("GET", "/api/prebind-terminals", { token })).body).toEqual({ data: [] });
  });

  it("leaves the terminal unbound where the account is deleted in between", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const key = await bindKey(await accessToken(account));
    const token = await loginTerminal(terminal);
    const TERMINAL = objectsWith({
      [terminal.terminalId]: {
        bind: async (binding, mode) => {
          await operator("DELETE", `/operator/accounts/${account.posId}`);
          return env.TERMINAL.getByName(terminal.terminalId).bind(binding, mode);
        },
      },
    });
    expect((await callWith({ TERMINAL }, "POST", "/terminal/bind", { token, body: { key } })).status).toBe(400);
    expect(await boundTo(terminal.terminalId)).toBeNull();
  });

  it("does not take a token of a secret that was replaced", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const key = await bindKey(await accessToken(account));
    const before = await loginTerminal(terminal);
    const renewed = await operator<{ secret: string }>("POST", `/operator/terminals/${terminal.terminalId}/secret`);
    expect((await bind(before, key)).status).toBe(401);
    const after = await loginTerminal({ ...terminal, secret: renewed.body.secret });
    expect((await bind(before, key)).status).toBe(401);
    expect((await bind(after, key)).status).toBe(200);
  });

  it("stores keys as digests only", async ({ expect }) => {
    const account = await createAccount();
    const key = await bindKey(await accessToken(account));
    const row = await env.DATABASE.prepare("SELECT * FROM bind_keys WHERE pos_id = ?").bind(account.posId).first();
    expect(JSON.stringify(row).toUpperCase()).not.toContain(key);
  });
});
