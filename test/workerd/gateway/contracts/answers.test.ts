/** The gateway's answers to tills and terminals match the OpenAPI document. Those to operators: `operator-answers.test.ts`. */
import { afterAll, beforeAll, describe, expect as assert, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import {
  type CallOptions,
  OPERATOR_TOKEN,
  bindMessage,
  createAccount,
  enrolTerminal,
  login,
  loginMessage,
  send,
  signedLogin,
} from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { type Members, Pos } from "../../../support/pos.ts";
import { Receivers } from "../../../support/receiver.ts";
import { AT_ONCE, setChannel } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { StageStream } from "../../../support/stage-stream.ts";
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

function transfer(body: Members, options: CallOptions = {}): Promise<Judged> {
  return contract.call("POST", "/api/transfer", { token: pos.token, body: pos.sign(body), ...options });
}

function cancel(referenceId: unknown): Promise<Judged> {
  const { posId, deviceId, datetime } = pos.body("sale");
  const body = pos.sign({ posId, deviceId, referenceId, datetime });
  return contract.call("POST", "/api/transfer/cancel", { token: pos.token, body });
}

/** The problems of a transfer, as the gateway names them. */
async function problemsTold(body: Members): Promise<unknown> {
  return (await transfer(body)).body["details"];
}

async function codeOf(body: Members): Promise<unknown> {
  return (await transfer(body)).body["code"];
}

/** A transaction that the terminal ends with `statusCode`. */
async function ended(body: Members, statusCode: "00" | "11" | "22", members: object = {}): Promise<Judged> {
  const answer = transfer(body);
  terminal.result(await terminal.acceptNext(), statusCode, members);
  const { status, body: told } = await answer;
  assert([status, told["statusCode"]]).toEqual([200, statusCode]);
  return { status, body: told };
}

const CARD = {
  paymentChannel: "VISA",
  cardNo: "4111111111111111",
  invNo: "000001",
  batchNo: "",
  tid: "10000001",
  mid: "1000",
  entryMode: "contactless",
  rrn: "632410000042",
  apprCode: "A1B2C3",
  tvr: "0000008000",
  appCrypt: "9F2608A1B2C3D4E5",
  aid: "A0000000031010",
  cvmType: "00",
  cardLabel: "VISA CREDIT",
  cardHoldersName: "A CARDHOLDER",
};

describe("an answer of the gateway", () => {
  it("matches the contract about webhooks", async ({ expect }) => {
    Receivers.start(() => 500);
    const account = await createAccount();
    const { access } = await login(account);
    const { token } = access;
    const signed = (method: string, path: string, members: object = {}) =>
      contract.call(method, path, { token, body: signedCallBody(account, method, path, members) });
    const url = "https://books.example.com/hooks/payment";
    expect((await signed("POST", "/api/webhooks", { url })).status).toBe(201);
    expect((await signed("POST", "/api/webhooks", { url: "https://localhost/" })).status).toBe(400);
    expect((await contract.call("POST", "/api/webhooks/wh_1/test", { token })).status).toBe(200);
    expect((await contract.call("POST", "/api/webhooks/wh_1/test", { token })).status).toBe(429);
    expect((await signed("POST", "/api/webhooks/wh_1/secret")).status).toBe(200);
    expect((await signed("POST", "/api/webhooks/wh_1/replay", { after: 0 })).status).toBe(200);
    expect((await signed("POST", "/api/webhooks/wh_1/replay", { after: 7 })).status).toBe(400);
    expect((await signed("PATCH", "/api/webhooks/wh_1", { enabled: true })).status).toBe(200);
    expect((await contract.call("GET", "/api/webhooks", { token })).status).toBe(200);
    expect((await contract.call("GET", "/api/webhooks/wh_1", { token })).status).toBe(200);
    expect((await signed("DELETE", "/api/webhooks/wh_1")).status).toBe(200);
    expect((await contract.call("GET", "/api/webhooks/wh_1", { token })).status).toBe(404);
  });

  it("matches the contract for login, refresh and logout, and their refusals", async ({ expect }) => {
    const account = await createAccount();
    const { posId, password } = account;
    const good = await contract.call("POST", "/auth/login", { body: { posId, password } });
    const { access, refresh } = good.body as { access: { token: string }; refresh: { token: string } };
    expect((await contract.call("POST", "/auth/refresh", { token: refresh.token })).status).toBe(200);
    expect((await contract.call("POST", "/auth/logout", { token: access.token })).status).toBe(200);
    expect((await contract.call("POST", "/auth/refresh", { token: refresh.token })).status).toBe(401);
    expect((await contract.call("POST", "/auth/login", { body: { posId, password: "somebody else" } })).status).toBe(
      401,
    );
    expect((await contract.call("POST", "/auth/login", { body: { posId } })).status).toBe(400);
    expect((await contract.call("POST", "/auth/login", { body: signedLogin(account) })).status).toBe(200);
    const late = signedLogin(account, {}, Date.now() - 3_600_000);
    expect((await contract.call("POST", "/auth/login", { body: late })).status).toBe(400);
    await contract.call("PATCH", `/operator/accounts/${posId}`, {
      token: OPERATOR_TOKEN,
      body: { status: "suspended" },
    });
    expect((await contract.call("POST", "/auth/login", { body: { posId, password } })).status).toBe(403);
    expect((await contract.call("GET", "/auth/login")).status).toBe(405);
  });

  it("matches the contract as a stream that names every stage", async ({ expect }) => {
    const stream = await StageStream.open(pos, pos.saleBody(), AT_ONCE);
    const { headers } = stream.response;
    const asked = { method: "POST", path: "/api/transfer", status: 200 };
    expect(contract.problemsOf({ ...asked, headers, body: undefined })).toEqual([]);
    const { stages, answer } = await stream.outcome();
    const json = new Headers(headers);
    json.set("Content-Type", "application/json");
    expect(contract.problemsOf({ ...asked, headers: json, body: answer })).toEqual([]);
    const { description } = contract.document.paths["/api/transfer"]?.post ?? {};
    for (const stage of stages) expect(description).toContain(`\`${stage}\``);
    terminal.result(await terminal.acceptNext(), "11");
    await terminal.next("ack");
  });

  it("matches the contract about terminals and wallets", async ({ expect }) => {
    const { token } = pos;
    const { terminalId } = pos.terminal;
    await setChannel("Published Pay", 1);
    for (const path of [
      "/api/bind-terminal-key",
      "/api/bind-terminal-key?option=image",
      "/api/prebind-terminals",
      "/api/terminals",
      `/api/terminals/${terminalId}`,
      "/api/ewallet-channels",
      "/api/ewallet-channels?currency=myr",
      "/healthz",
    ]) {
      expect((await contract.call("GET", path, { token })).status).toBe(200);
    }
    const uniqueIds = ["T-1", "T-1", "T-2"];
    expect((await contract.call("POST", "/api/prebind-terminals", { token, body: { uniqueIds } })).status).toBe(200);
    expect((await contract.call("GET", "/api/terminals/nobody", { token })).status).toBe(404);
    expect((await contract.call("GET", "/api/ewallet-channels?currency=ringgit", { token })).status).toBe(400);
    const other = await Pos.create();
    const path = `/api/terminals/${other.terminal.terminalId}`;
    expect((await contract.call("GET", path, { token: other.token })).status).toBe(200);
    expect((await contract.call("DELETE", path, { token: other.token })).status).toBe(200);
  });

  it("matches the contract for a terminal's login, bind and connect", async ({ expect }) => {
    const enrolled = await enrolTerminal();
    const good = await contract.call("POST", "/terminal/login", { body: loginMessage(enrolled) });
    const { token } = good.body as { token: string };
    const late = loginMessage(enrolled, Date.now() - 3_600_000);
    const clock = await contract.call("POST", "/terminal/login", { body: late });
    expect([clock.status, clock.body["serverTime"]]).toEqual([400, Date.now()]);
    const forged = { ...loginMessage(enrolled), signature: "0".repeat(64) };
    expect((await contract.call("POST", "/terminal/login", { body: forged })).status).toBe(401);
    const { body } = await contract.call("GET", "/api/bind-terminal-key", { token: pos.token });
    const key = String(body["key"]);
    const bind = (message: object) => contract.call("POST", "/terminal/bind", { token, body: message });
    expect((await bind(bindMessage(enrolled, key))).status).toBe(200);
    expect((await bind(bindMessage(enrolled, "ZZZZ-ZZZZ"))).status).toBe(400);
    expect((await bind({ ...bindMessage(enrolled, key), signature: "0".repeat(64) })).status).toBe(400);
    const slow = await bind(bindMessage(enrolled, key, Date.now() - 3_600_000));
    expect([slow.status, slow.body["serverTime"]]).toEqual([400, Date.now()]);
    expect((await contract.call("GET", "/terminal/connect", { token })).status).toBe(400);
    expect((await contract.call("GET", "/terminal/connect")).status).toBe(401);
    const headers = { Upgrade: "websocket", Origin: "https://elsewhere.test" };
    expect((await contract.call("GET", "/terminal/connect", { token, headers })).status).toBe(403);
    const Upgraded = { Upgrade: "websocket", "Sec-WebSocket-Protocol": `pos-terminal.v1, ${token}` };
    const upgrade = await send("GET", "/terminal/connect", { headers: Upgraded });
    const answered = { method: "GET", path: "/terminal/connect", status: upgrade.status, headers: upgrade.headers };
    expect(contract.problemsOf({ ...answered, body: undefined })).toEqual([]);
    upgrade.webSocket?.accept();
    upgrade.webSocket?.close(1000);
    expect(upgrade.status).toBe(101);
  });

  it("matches the contract for transactions of every outcome", async ({ expect }) => {
    const first = pos.saleBody({ referenceLabel: "Table 7" }, { note: "No onions", metadata: "basket", printCount: 1 });
    const sale = await ended(first, "00", { responseText: "Approved", transData: CARD });
    const { transId } = sale.body["transData"] as { transId: string };
    expect((await transfer(first)).body).toEqual(sale.body);
    expect(contract.seen.has("POST /api/transfer 200")).toBe(true);
    await ended(pos.saleBody(), "11");
    const open = pos.saleBody();
    await ended(open, "22");
    const cash = { transData: { transAmt: "12.50", cashAmt: "50.00", paymentMethod: "bankCard" } };
    await ended(pos.body("cashOut", cash), "00", { transData: CARD });

    await ended(pos.body("void", { transData: { transId: Number(transId), invNo: "" } }), "00", { transData: CARD });
    const voided = await transfer(pos.body("inquiry", { transData: { transId } }));
    expect(voided.body).toMatchObject({ statusCode: "00", voidStatus: "00", originalTransType: "sale" });
    const twice = await transfer(pos.body("void", { transData: { transId } }));
    expect(twice.body["responseCode"]).toBe("ALREADY_VOIDED");
    expect((await transfer(pos.body("getLast", { transData: null }))).status).toBe(200);

    const running = pos.saleBody({}, { transAmt: "1.00" });
    const early = await transfer(running, AT_ONCE);
    expect(early.body["responseCode"]).toBe("IN_PROGRESS");
    const request = await terminal.acceptNext();
    const about = await transfer(pos.body("inquiry", { transData: { referenceId: running["referenceId"] } }), AT_ONCE);
    expect(about.body["responseCode"]).toBe("IN_PROGRESS");
    const cancelled = cancel(running["referenceId"]);
    await terminal.next("cancel");
    terminal.result(request, "11", { responseCode: "CUSTOMER" });
    expect((await cancelled).body).toMatchObject({ statusCode: "11", responseCode: "CUSTOMER" });
    const never = pos.reference();
    expect((await cancel(never)).body).toMatchObject({ transType: "cancel", responseCode: "CANCELLED" });
    const unheard = await transfer(pos.body("inquiry", { transData: { referenceId: pos.reference() } }));
    expect(unheard.body).toMatchObject({ transType: "inquiry", responseCode: "CANCELLED" });
    expect(unheard.body).not.toHaveProperty("originalTransType");

    const wallet = { transData: { transAmt: "1.00", paymentMethod: "qrCustScan", paymentChannel: "Published Pay" } };
    const paid = await ended(pos.body("sale", wallet), "00", { transData: { paymentChannel: "Published Pay" } });
    expect(paid.body["transData"]).not.toHaveProperty("cardNo");
    const late = cancel(open["referenceId"]);
    const { requestId } = await terminal.next("cancel");
    terminal.result({ requestId: String(requestId) }, "11");
    expect((await late).body["statusCode"]).toBe("11");
  });

  it("matches the contract about events: the list, one event, and refusals", async ({ expect }) => {
    const own = await Pos.create();
    const connection = await ScriptedTerminal.connect(own.terminal);
    const token = own.token;
    const answer = contract.call("POST", "/api/transfer", { token, body: own.sign(own.saleBody()) });
    connection.result(await connection.acceptNext(), "00", { transData: CARD });
    const { transId } = (await answer).body["transData"] as { transId: string };
    const undo = own.sign(own.body("void", { transData: { transId } }));
    const undone = contract.call("POST", "/api/transfer", { token, body: undo });
    connection.result(await connection.acceptNext(), "00", { transData: CARD });
    await undone;
    const open = contract.call("POST", "/api/transfer", { token, body: own.sign(own.saleBody()) });
    connection.result(await connection.acceptNext(), "22");
    await open;
    const events = (after: string, headers = {}) => contract.call("GET", `/api/events${after}`, { token, headers });
    const types: unknown[] = [];
    for (let after = 0; types.length < 4;) {
      const { body } = await events(`?after=${after}`, { Prefer: "wait=60" });
      types.push(...(body["data"] as { type: string }[]).map(({ type }) => type));
      after = Number(body["next"]);
    }
    expect(types).toEqual([
      "transaction.completed",
      "transaction.completed",
      "transaction.updated",
      "transaction.pending",
    ]);
    expect((await events("")).body).toEqual({ data: [], next: 4 });
    expect((await events("?after=5")).status).toBe(400);
    for (const number of [1, 2, 3, 4]) {
      const path = `/api/events/evt_${own.account.posId}_${number}`;
      expect((await contract.call("GET", path, { token })).status).toBe(200);
    }
    expect((await contract.call("GET", "/api/events/evt_nobody_1", { token })).status).toBe(404);
  });

  it("matches the contract about transactions and days", async ({ expect }) => {
    const { token } = pos;
    const { terminalId } = pos.terminal;
    await ended(pos.saleBody(), "00", { responseText: "Approved", transData: CARD });
    await ended(pos.saleBody(), "22");
    const listed = await eventually(async () => {
      const { body } = await contract.call("GET", "/api/transactions?limit=2", { token });
      const data = body["data"] as { requestId: string; statusCode: string }[];
      expect(data.map(({ statusCode }) => statusCode)).toEqual(["22", "00"]);
      return data;
    });
    for (const { requestId } of listed) {
      const path = `/api/terminals/${terminalId}/transactions/${requestId}`;
      expect((await contract.call("GET", path, { token })).status).toBe(200);
    }
    const accept = { token, headers: { Accept: "text/csv" } };
    for (const path of ["/api/transactions?limit=1", "/api/totals", `/api/totals?deviceId=${terminalId}`]) {
      expect((await contract.call("GET", path, accept)).status).toBe(200);
      expect((await contract.call("GET", path, { token })).status).toBe(200);
    }
    expect((await contract.call("GET", "/api/totals?day=2026-01-01", { token })).body["closed"]).toBe(true);
    expect((await contract.call("GET", "/api/totals?day=2026-13-01", { token })).status).toBe(400);
    expect((await contract.call("GET", "/api/transactions?limit=0", { token })).status).toBe(400);
    const nobody = `/api/terminals/${terminalId}/transactions/9999999999`;
    expect((await contract.call("GET", nobody, { token })).status).toBe(404);
  });

  it("matches the contract for every refused transfer, each with its code", async ({ expect }) => {
    expect(await codeOf(pos.saleBody({ apiVersion: "v9" }, { transAmt: "1" }))).toBe(40000);
    expect(await codeOf(pos.body("inquiry", { transData: { transId: "9999999999" } }))).toBe(40004);
    const sale = pos.saleBody();
    await ended(sale, "11");
    expect(await codeOf(pos.saleBody({ referenceId: sale["referenceId"] }, { transAmt: "99.00" }))).toBe(40009);
    const unsigned = await contract.call("POST", "/api/transfer", {
      token: pos.token,
      body: { ...sale, signature: "0" },
    });
    expect(unsigned.status).toBe(400);
    expect((await contract.call("POST", "/api/transfer", { body: sale })).status).toBe(401);
  });

  it("matches the contract under rate limits and when the service fails", async ({ expect }) => {
    const limit = { limit: async () => ({ success: false }) };
    const { token } = pos;
    for (const [changes, status] of [
      [{ REQUESTS_PER_SESSION: limit }, 429],
      [{ DATABASE: null }, 500],
    ] as const) {
      const { headers, body, ...answer } = await callWith(changes, "GET", "/api/terminals", { token });
      expect(contract.problemsOf({ method: "GET", path: "/api/terminals", ...answer, headers, body })).toEqual([]);
      expect(answer.status).toBe(status);
    }
  });
});

describe("an error that the document shows", () => {
  it("is returned by the gateway in these words", async ({ expect }) => {
    const refused = contract.document.paths["/api/transfer"]?.post?.responses[400];
    const media = refused !== undefined && "content" in refused ? refused.content?.["application/json"] : undefined;
    const shown = (name: string): unknown =>
      (media?.examples?.[name]?.value as { details: unknown } | undefined)?.details;
    expect(await problemsTold(pos.body("inquiry", { transData: { transId: "9999999999" } }))).toEqual(shown("unknown"));
    expect(await problemsTold(pos.saleBody({ deviceId: "nobody" }))).toEqual(shown("device"));
    const sale = pos.saleBody();
    const { transId } = (await ended(sale, "00")).body["transData"] as { transId: string };
    const { referenceId } = sale;
    const used = JSON.stringify(await problemsTold(pos.saleBody({ referenceId }, { transAmt: "99.00" })));
    expect(JSON.parse(used.replace(transId, "1000000042"))).toEqual(shown("used"));
    const token = pos.token;
    const other = await enrolTerminal();
    const { body } = await contract.call("GET", "/api/bind-terminal-key", { token });
    const session = await contract.call("POST", "/terminal/login", { body: loginMessage(other) });
    const bind = { token: String(session.body["token"]), body: bindMessage(other, String(body["key"])) };
    expect((await contract.call("POST", "/terminal/bind", bind)).status).toBe(200);
    const elsewhere = JSON.stringify(await problemsTold(pos.saleBody({ referenceId, deviceId: other.terminalId })));
    expect(JSON.parse(elsewhere.replace(pos.terminal.terminalId, "T-0001"))).toEqual(shown("elsewhere"));
  });
});

describe("an unpublished member, header or status", () => {
  it("is detected", async ({ expect }) => {
    const headers = new Headers({ "Content-Type": "application/json", "X-Request-Id": crypto.randomUUID() });
    headers.set("Cache-Control", "no-store");
    const good = { method: "GET", path: "/healthz", status: 200, headers, body: { status: "ok" } };
    expect(contract.problemsOf(good)).toEqual([]);
    expect(contract.problemsOf({ ...good, body: { status: "ok", more: 1 } })).toHaveLength(1);
    expect(contract.problemsOf({ ...good, status: 204 })).toHaveLength(1);
    expect(contract.problemsOf({ ...good, headers: new Headers() })).not.toEqual([]);
    expect(contract.problemsOf({ ...good, path: "/health" })).toHaveLength(1);
    const { access } = await login(pos.account);
    expect(contract.requestProblems("POST", "/auth/login", { posId: access.token, password: "x" })).not.toEqual([]);
    expect(contract.requestProblems("POST", "/auth/login", { posId: "P", password: "x" })).toEqual([]);
    expect(contract.requestProblems("POST", "/auth/login", signedLogin(pos.account))).toEqual([]);
  });
});

afterAll(() => {
  contract.mustHaveSeen((path) => !path.startsWith("/operator"));
});
