/** What a token alone can do to an account's terminals: it leaves traces, and the operator can demand a signature. */
import { describe, it } from "vitest";
import type { AccountEvent } from "../../../../src/protocol/events.ts";
import {
  accessToken,
  type Account,
  bindTerminal,
  boundPair,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  login,
  operator,
} from "../../../support/gateway.ts";
import { signedCallBody } from "../../../support/webhooks.ts";
import { withCheckDigit } from "../../../support/card-numbers.ts";

const PREBIND = "/api/prebind-terminals";
const ADDRESS = "203.0.113.9";

interface AuditRow {
  actor: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

async function feed(token: string): Promise<AccountEvent[]> {
  return (await call<{ data: AccountEvent[] }>("GET", "/api/events?after=0", { token })).body.data;
}

async function audited(target: string, action: string): Promise<AuditRow[]> {
  return (await operator<{ data: AuditRow[] }>("GET", `/operator/audit?target=${target}&action=${action}`)).body.data;
}

/** An account that must sign, with a terminal. */
async function strictShop(): Promise<{ account: Account; path: string; token: string }> {
  const { account, terminal } = await boundPair();
  const { body } = await operator("PATCH", `/operator/accounts/${account.posId}`, { signedChanges: true });
  if (body["signedChanges"] !== true) throw new Error(JSON.stringify(body));
  return { account, path: `/api/terminals/${terminal.terminalId}`, token: await accessToken(account) };
}

describe("an unbound terminal", () => {
  it("is in the audit log and in the account's feed", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const { terminalId } = terminal;
    const token = await accessToken(account);
    await call("DELETE", `/api/terminals/${terminalId}`, { token, address: ADDRESS });
    const [row] = await audited(terminalId, "terminal.unbind");
    expect(row).toMatchObject({
      actor: `account:${account.posId}`,
      details: { posId: account.posId, session: expect.any(String) as string, address: ADDRESS },
      before: { posId: account.posId },
      after: { posId: null },
    });
    const events = await feed(token);
    expect(events).toMatchObject([{ type: "terminal.unbound", data: { terminalId, unboundBy: "account" } }]);
  });

  it("names who unbound it, or nobody after rebinding to the account", async ({ expect }) => {
    const account = await createAccount();
    const [unbound, retired, moved] = await Promise.all([enrolTerminal(), enrolTerminal(), enrolTerminal()]);
    for (const terminal of [unbound, retired, moved]) await bindTerminal(account, terminal);
    await bindTerminal(account, moved);
    await operator("DELETE", `/operator/terminals/${unbound.terminalId}/binding`);
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    await bindTerminal(await createAccount(), moved);
    const events = await feed(await accessToken(account));
    expect(events.map(({ type, data }) => ({ type, ...data }))).toEqual([
      { type: "terminal.unbound", terminalId: unbound.terminalId, unboundBy: "operator" },
      { type: "terminal.unbound", terminalId: retired.terminalId, unboundBy: "operator" },
      { type: "terminal.unbound", terminalId: moved.terminalId, unboundBy: "terminal" },
    ]);
  });
});

describe("a replaced prebind list", () => {
  it("is in audit log and feed, without a card number", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const uniqueIds = ["T-1", withCheckDigit("412345678901234")];
    await call("POST", PREBIND, { token, address: ADDRESS, body: { uniqueIds } });
    const shown = { uniqueIds: ["T-1", expect.stringMatching(/^[^0-9]+[0-9]{4}$/u) as string] };
    expect(await audited(account.posId, "prebind.replace")).toMatchObject([
      {
        actor: `account:${account.posId}`,
        details: { session: expect.any(String) as string, address: ADDRESS },
        after: shown,
      },
    ]);
    expect(await feed(token)).toMatchObject([{ type: "prebind.replaced", data: shown }]);
  });
});

describe("an account that must sign its changes", () => {
  it("cannot unbind or prebind with a token alone", async ({ expect }) => {
    const { account, path, token } = await strictShop();
    for (const [method, where, body] of [
      ["DELETE", path, undefined],
      ["POST", PREBIND, { uniqueIds: ["T-1"] }],
    ] as const) {
      const refused = await call<ErrorBody>(method, where, { token, body });
      expect(refused.status).toBe(400);
      expect(refused.body.details).toEqual([
        { path: "signature", message: expect.stringContaining(`call (${method} ${where}) and signature`) as string },
      ]);
    }
    expect((await call("GET", path, { token })).status).toBe(200);
    expect((await call("GET", PREBIND, { token })).body["data"]).toEqual([]);
    expect(await feed(token)).toEqual([]);
    expect(await audited(account.posId, "prebind.replace")).toEqual([]);
  });

  it("can change with a signature, once, for the named call", async ({ expect }) => {
    const { account, path, token } = await strictShop();
    const list = signedCallBody(account, "POST", PREBIND, { uniqueIds: ["T-1"] });
    expect((await call("POST", PREBIND, { token, body: list })).status).toBe(200);
    const again = await call<ErrorBody>("POST", PREBIND, { token, body: list });
    expect(again.body.details).toMatchObject([{ path: "nonce" }]);
    const other = await call<ErrorBody>("DELETE", path, { token, body: list });
    expect(other.body.details).toMatchObject([{ path: "call" }]);
    const unbinding = signedCallBody(account, "DELETE", path);
    expect((await call("DELETE", path, { token, body: unbinding })).status).toBe(200);
    expect((await feed(token)).map(({ type }) => type)).toEqual(["prebind.replaced", "terminal.unbound"]);
  });

  it("needs no signature any more when the operator says so", async ({ expect }) => {
    const { account, path, token } = await strictShop();
    await operator("PATCH", `/operator/accounts/${account.posId}`, { signedChanges: false });
    const { body } = await operator("GET", `/operator/accounts/${account.posId}`);
    expect(body["signedChanges"]).toBe(false);
    expect((await call("DELETE", path, { token })).status).toBe(200);
    expect(await audited(account.posId, "account.change")).toMatchObject([
      { after: { signedChanges: false } },
      { after: { signedChanges: true } },
    ]);
  });
});

describe("an account that need not sign", () => {
  it("is refused a wrong signature all the same", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const token = (await login(account)).access.token;
    const path = `/api/terminals/${terminal.terminalId}`;
    const forged = { ...signedCallBody(account, "DELETE", path), signature: "0".repeat(64) };
    const refused = await call<ErrorBody>("DELETE", path, { token, body: forged });
    expect([refused.status, refused.body.details?.map((detail) => detail.path)]).toEqual([400, ["signature"]]);
    expect((await call("GET", path, { token })).status).toBe(200);
  });
});
