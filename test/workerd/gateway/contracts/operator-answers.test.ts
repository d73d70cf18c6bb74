/** What the gateway answers operators matches the OpenAPI document. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { CARD_RESULT } from "../../../cost/card-result.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import { OPERATOR_TOKEN, createAccount, login, uniqueId } from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { type Members, Pos } from "../../../support/pos.ts";
import { Receivers } from "../../../support/receiver.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { signedCallBody } from "../../../support/webhooks.ts";
import { Contract, type Judged } from "./contract.ts";

useFakeClock();

const contract = new Contract();
let pos: Pos;
let terminal: ScriptedTerminal;

beforeAll(async () => {
  pos = await Pos.create();
  terminal = await ScriptedTerminal.connect(pos.terminal);
});

function operator(method: string, path: string, body?: unknown): Promise<Judged> {
  return contract.call(method, `/operator${path}`, { token: OPERATOR_TOKEN, body });
}

type Call = readonly [method: string, path: string, status: number, body?: object];

/** One call after the other. @returns a line for each that is answered with another status */
async function otherwise(calls: readonly Call[]): Promise<string[]> {
  const lines: string[] = [];
  for (const [method, path, status, body] of calls) {
    const answer = await operator(method, path, body);
    if (answer.status !== status) lines.push(`${method} ${path}: ${answer.status}, not ${status}`);
  }
  return lines;
}

function transfer(body: Members): Promise<Judged> {
  return contract.call("POST", "/api/transfer", { token: pos.token, body: pos.sign(body) });
}

describe("an operator's answer", () => {
  it("matches the contract about accounts", async ({ expect }) => {
    const posId = uniqueId("pos");
    const path = `/accounts/${posId}`;
    const account = { posId, password: "a password of some length", merchantId: "M-9", currency: "myr" };
    const calls: Call[] = [
      ["POST", "/accounts", 201, { ...account, timezone: "Asia/Kuala_Lumpur" }],
      ["POST", "/accounts", 409, { ...account, timezone: "Asia/Kuala_Lumpur" }],
      ["POST", "/accounts", 400, { ...account, timezone: "Mars" }],
      ["DELETE", "/accounts", 405],
      ["GET", path, 200],
      ["GET", "/accounts/nobody", 404],
      ["PATCH", path, 200, { name: "Till 9", currency: "" }],
      ["PATCH", path, 400, { currency: "" }],
      ["PATCH", path, 200, { name: null }],
      ["POST", `${path}/password`, 200],
      ["POST", `${path}/signing-key`, 200],
      ["POST", `${path}/signing-key`, 200, { revokePrevious: true }],
      ["DELETE", path, 200],
    ];
    expect(await otherwise(calls)).toEqual([]);
    expect((await operator("GET", "/accounts?limit=1")).body["next"]).not.toBeNull();
  });

  it("matches the contract about terminals", async ({ expect }) => {
    const terminalId = uniqueId("term");
    const path = `/terminals/${terminalId}`;
    const bound = await Pos.create();
    const filters = "connected=false&status=enrolled&offlineSince=2026-11-20T10:15:00%2B08:00&boundTo=nobody&name=C";
    const calls: Call[] = [
      ["POST", "/terminals", 201, { terminalId, isVT: 1, merchantId: null }],
      ["POST", "/terminals", 409, { terminalId, isVT: "1" }],
      ["GET", "/terminals?limit=1", 200],
      ["GET", path, 200],
      ["PATCH", path, 200, { name: "Counter 3", merchantId: "" }],
      ["PATCH", path, 400, { merchantId: "" }],
      ["PATCH", path, 200, { name: "" }],
      ["GET", `/terminals?${filters}`, 200],
      ["POST", `${path}/secret`, 200],
      ["DELETE", `${path}/binding`, 404],
      ["DELETE", `/terminals/${bound.terminal.terminalId}/binding`, 200],
      ["DELETE", path, 200],
      ["DELETE", path, 409],
    ];
    expect(await otherwise(calls)).toEqual([]);
    expect((await operator("GET", `/terminals/${pos.terminal.terminalId}`)).body["connected"]).toBe(true);
  });

  it("matches the contract about shops and wallets", async ({ expect }) => {
    const shop = { name: "Corner shop", timezone: "Asia/Kuala_Lumpur" };
    const channel = { status: "1", currency: ["myr", "SGD"], logoUrl3: "https://logos.test/wallet.png" };
    const name = encodeURIComponent("Touch 'n Go 支付宝");
    const calls: Call[] = [
      ["PUT", "/shops/M-9", 201, shop],
      ["PUT", "/shops/M-9", 200, shop],
      ["GET", "/shops?merchantId=M-", 200],
      ["GET", "/shops/M-9", 200],
      ["DELETE", "/shops/M-9", 200],
      ["GET", "/shops/M-9", 404],
      ["PUT", `/channels/${name}`, 201, channel],
      ["PUT", `/channels/${name}`, 200, channel],
      ["GET", "/channels", 200],
      ["DELETE", `/channels/${name}`, 200],
    ];
    expect(await otherwise(calls)).toEqual([]);
  });

  it("matches the contract about an account's webhooks", async ({ expect }) => {
    Receivers.start(() => 500);
    const account = await createAccount();
    const { token } = (await login(account)).access;
    const signed = (method: string, path: string, members: object) =>
      contract.call(method, path, { token, body: signedCallBody(account, method, path, members) });
    expect((await signed("POST", "/api/webhooks", { url: "https://books.example.com/hooks/payment" })).status).toBe(
      201,
    );
    const path = `/accounts/${account.posId}/webhooks`;
    const stops: Call[] = [
      ["PATCH", `${path}/wh_1`, 200, { enabled: false }],
      ["PATCH", `${path}/wh_1`, 400, { enabled: 1 }],
    ];
    expect(await otherwise(stops)).toEqual([]);
    expect((await signed("PATCH", "/api/webhooks/wh_1", { enabled: true })).status).toBe(400);
    const starts: Call[] = [
      ["PATCH", `${path}/wh_1`, 200, { enabled: true }],
      ["GET", path, 200],
      ["GET", "/accounts/nobody/webhooks", 404],
    ];
    expect(await otherwise(starts)).toEqual([]);
    expect((await signed("PATCH", "/api/webhooks/wh_1", { enabled: true })).status).toBe(200);
  });

  it("matches the contract about transactions: found, counted, resolved and closed", async ({ expect }) => {
    const contradicted = pos.saleBody();
    const answer = transfer(contradicted);
    const request = await terminal.acceptNext();
    const reported = { ...CARD_RESULT.transData, batchNo: "", transAmt: "1.11", currency: "USD" };
    terminal.result(request, "00", { transData: reported });
    expect((await answer).body["responseCode"]).toBe("UNCONFIRMED");
    const { terminalId } = pos.terminal;
    const journal = `/terminals/${terminalId}/transactions`;
    const own = pos.account.posId;
    const reads: Call[] = [
      ["GET", `${journal}?limit=100`, 200],
      ["GET", `/transactions?transId=${request.requestId}`, 200],
      ["GET", "/transactions?transId=9999999999", 404],
      ["GET", `/accounts/${own}/transactions?limit=5`, 200],
      ["GET", "/accounts/nobody/transactions", 404],
      ["GET", `/transactions?posId=${own}&referenceId=${String(contradicted["referenceId"])}`, 200],
      ["GET", "/overview", 200],
      ["GET", "/metrics", 200],
      ...["hour", "day", "account", "responseCode"].map((by): Call => ["GET", `/statistics?by=${by}`, 200]),
      ["GET", `/statistics?terminalId=${terminalId}`, 200],
      ["GET", "/statistics?terminalId=nobody", 404],
      ["GET", "/statistics?by=week", 400],
    ];
    expect(await otherwise(reads)).toEqual([]);
    await eventually(async () => {
      const { status, body } = await operator("GET", "/pending?limit=5");
      expect([status, (body["data"] as unknown[]).length > 0]).toEqual([200, true]);
    });

    const resolution = { statusCode: "11", reason: "The host has no such payment." };
    const resolve = `${journal}/${request.requestId}/resolve`;
    const asked = { token: OPERATOR_TOKEN, body: resolution };
    const proposed = await callWith({ RESOLVE_NEEDS_TWO: "on" }, "POST", `/operator${resolve}`, asked);
    expect(proposed.status).toBe(202);
    expect(contract.problemsOf({ method: "POST", path: `/operator${resolve}`, ...proposed })).toEqual([]);
    const resolves: Call[] = [
      ["POST", resolve, 200, resolution],
      ["POST", resolve, 409, resolution],
    ];
    expect(await otherwise(resolves)).toEqual([]);
    terminal.result(request, "00");
    expect((await transfer(contradicted)).body).toMatchObject({ responseCode: "RESOLVED", statusCode: "11" });
    const { body } = await operator("GET", journal);
    expect(JSON.stringify(body)).toMatch(/"conflicts":\[\{/u);
    await eventually(async () => {
      const conflict = await operator("GET", `/pending?conflict=true&posId=${own}`);
      expect([conflict.status, (conflict.body["data"] as unknown[]).length]).toEqual([200, 1]);
    });
    const close = `/accounts/${own}/transactions/${request.requestId}/close`;
    const closes: Call[] = [
      ["POST", close, 400, { reason: "" }],
      ["POST", close, 200, { reason: "Refunded." }],
      ["POST", close, 409, { reason: "Refunded." }],
      ["POST", "/accounts/nobody/transactions/1000000000/close", 404, resolution],
    ];
    expect(await otherwise(closes)).toEqual([]);
  });

  it("matches the contract about the service and its refusals", async ({ expect }) => {
    const calls: Call[] = [
      ["POST", "/master-keys/reseal", 200],
      ["POST", "/resync", 200, { id: pos.terminal.terminalId }],
      ["POST", "/resync", 404, { id: "nobody" }],
      ["POST", "/resync", 400, { id: 5 }],
      ["GET", "/resync", 200],
      ["DELETE", "/resync", 200],
      ["GET", "/audit?limit=100", 200],
      ["GET", "/audit?limit=0", 400],
    ];
    expect(await otherwise(calls)).toEqual([]);
    expect((await contract.call("GET", "/operator/audit")).status).toBe(401);
    const path = "/operator/channels/nothing";
    const token = "v".repeat(24);
    const full = { limit: () => Promise.resolve({ success: false }) };
    for (const [changes, status] of [
      [{ OPERATOR_TOKENS: `vera:viewer:${token}` }, 403],
      [{ OPERATOR_TOKENS: `vera:admin:${token}`, REQUESTS_PER_ACCOUNT: full }, 429],
      [{ OPERATOR_TOKENS: `vera:admin:${token}`, DATABASE: null }, 500],
    ] as const) {
      const answer = await callWith(changes, "DELETE", path, { token });
      expect(contract.problemsOf({ method: "DELETE", path, ...answer })).toEqual([]);
      expect(answer.status).toBe(status);
    }
  });
});

afterAll(() => {
  contract.mustHaveSeen((path) => path.startsWith("/operator"));
});
