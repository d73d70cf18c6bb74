/** What deleting an account does, and when it is refused. */
import { afterEach, describe, it, vi } from "vitest";
import { accountsWith, callWith, objectsWith } from "../../../support/environment.ts";
import {
  accessToken,
  bindTerminal,
  boundPair,
  boundTo,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  operator,
  OPERATOR_TOKEN,
} from "../../../support/gateway.ts";
import { Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { eventually } from "../../../support/patience.ts";
import { ring } from "../../../support/gateway/account/books.ts";

const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("deleting an account", () => {
  it("keeps it as deleted, unbinds its terminals, and ends its sessions", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const second = await enrolTerminal();
    await bindTerminal(account, second);
    const token = await accessToken(account);
    const path = `/operator/accounts/${account.posId}`;
    expect((await operator("DELETE", path)).status).toBe(200);
    expect((await operator("GET", path)).body).toMatchObject({ status: "deleted" });
    for (const { terminalId } of [terminal, second]) {
      expect(await boundTo(terminalId)).toBeNull();
    }
    expect((await call("GET", "/api/terminals", { token })).status).toBe(403);
  });

  it("is refused while a payment is queued, in progress or pending", async ({ expect }) => {
    const pos = await Pos.create();
    const { terminalId } = pos.terminal;
    const path = `/operator/accounts/${pos.account.posId}`;
    const terminal = await ScriptedTerminal.connect(pos.terminal);
    const first = pos.sale();
    const pending = await terminal.acceptNext();
    terminal.result(pending, "22");
    const { referenceId } = (await first).body;
    const running = pos.sale();
    const request = await terminal.acceptNext();
    const refused = await operator<ErrorBody>("DELETE", path);
    expect([refused.status, refused.body.code]).toEqual([409, 40900]);
    expect(refused.body.message).toMatch(/^Do not delete this account yet: /u);
    expect(refused.body.message).toContain(
      `sale ${pending.requestId} (reference ${referenceId}) at ${terminalId}, pending`,
    );
    expect(refused.body.message).toMatch(
      new RegExp(`sale ${request.requestId} \\(reference [^)]+\\) at ${terminalId}, in progress`, "u"),
    );
    expect((await operator("DELETE", `${path}?force=false`)).status).toBe(409);
    expect((await operator("GET", path)).body["status"]).toBe("active");
    terminal.result(request, "00");
    expect((await running).body).toMatchObject({ statusCode: "00" });
    const afterwards = await operator<ErrorBody>("DELETE", path);
    expect([afterwards.status, afterwards.body.message.includes(request.requestId)]).toEqual([409, false]);
    const resolve = `/operator/terminals/${terminalId}/transactions/${pending.requestId}/resolve`;
    expect((await operator("POST", resolve, { statusCode: "11", reason: "Not at the host." })).status).toBe(200);
    await eventually(async () => expect((await operator("DELETE", path)).status).toBe(200));
    terminal.drop();
  });

  it("is refused if a terminal cannot be asked, unless it is forced", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const path = `/operator/accounts/${account.posId}`;
    const TERMINAL = objectsWith({
      [terminal.terminalId]: { transactions: () => Promise.reject(new Error("gone")) },
    });
    const token = OPERATOR_TOKEN;
    const refused = await callWith<ErrorBody>({ TERMINAL }, "DELETE", path, { token });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(terminal.terminalId)]);
    expect((await callWith({ TERMINAL }, "DELETE", `${path}?force=true`, { token })).status).toBe(200);
  });

  it("lets a terminal finish its transaction first if it is forced", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await ScriptedTerminal.connect(pos.terminal);
    const running = pos.sale();
    const request = await terminal.acceptNext();
    expect((await operator("DELETE", `/operator/accounts/${pos.account.posId}?force=true`)).status).toBe(200);
    const { terminalId } = pos.terminal;
    expect(await boundTo(terminalId)).toBe(pos.account.posId);
    terminal.result(request, "00");
    expect((await running).body).toMatchObject({ statusCode: "00" });
    // The terminal was busy: its object is called again, by an alarm.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + MINUTE });
    await ring(pos.account);
    await eventually(async () => expect(await boundTo(terminalId)).toBeNull());
    terminal.drop();
  });

  it("cannot be undone: every later change answers 409", async ({ expect }) => {
    const { posId } = await createAccount();
    const path = `/operator/accounts/${posId}`;
    await operator("DELETE", path);
    expect((await operator("PATCH", path, { status: "active" })).status).toBe(409);
    expect((await operator("DELETE", path)).status).toBe(409);
    expect((await operator("POST", `${path}/signing-key`)).status).toBe(409);
    expect((await operator("DELETE", "/operator/accounts/nobody")).status).toBe(404);
  });
});

describe("an account that was deleted, or is not there, although D1 has it", () => {
  it.for([
    ["deleted", 409, "The account is deleted."],
    ["unknown", 404, "There is no such account."],
  ] as const)("is refused every change by its object: %s", async ([kind, status, message], { expect }) => {
    const { posId } = await createAccount();
    const refused = async () => ({ kind }) as never;
    const ACCOUNT = accountsWith({ [posId]: { change: refused, remove: refused, rotateKey: refused } });
    const path = `/operator/accounts/${posId}`;
    for (const [method, at, sent] of [
      ["PATCH", path, { name: "x" }],
      ["POST", `${path}/password`, undefined],
      ["POST", `${path}/signing-key`, undefined],
      ["DELETE", path, undefined],
    ] as const) {
      const answer = await callWith<ErrorBody>({ ACCOUNT }, method, at, { token: OPERATOR_TOKEN, body: sent });
      expect([method, at, answer.status, answer.body.message]).toEqual([method, at, status, message]);
    }
  });
});
