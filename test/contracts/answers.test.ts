/** The gateway's answers match the OpenAPI document: status, headers and body, without additional members. */
import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect as assert, it } from "vitest";
import type { JsonSchema } from "../../src/contracts/json-schema.ts";
import { type Answer, type Header, OTHER_TYPES, type Operation } from "../../src/http/openapi/document.ts";
import { openApi, type OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { useFakeClock } from "../support/clock.ts";
import { callWith } from "../support/environment.ts";
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
  uniqueId,
} from "../support/gateway.ts";
import { eventually } from "../support/patience.ts";
import { type Members, Pos } from "../support/pos.ts";
import { Receivers } from "../support/receiver.ts";
import { AT_ONCE, setChannel } from "../support/scene.ts";
import { ScriptedTerminal } from "../support/scripted-terminal.ts";
import { noteSecrets } from "../support/secrets.ts";
import { StageStream } from "../support/stage-stream.ts";
import { signedCallBody } from "../support/webhooks.ts";

/** One answer, as it came. */
interface Answered {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: Headers;
  /** The JSON of the body; undefined if it is not JSON. */
  body: unknown;
}

/** The published OpenAPI document, as a judge of what the gateway really answers. */
class Contract {
  readonly document: OpenApiDocument;
  /** `METHOD template status` of every answer that was judged. */
  readonly seen = new Set<string>();
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument = openApi()) {
    this.document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(this.#ajv);
    const { components } = this.document;
    this.#ajv.addSchema({ $id: "answers:", ...closed({ components }) });
    this.#ajv.addSchema({ $id: "requests:", components });
  }

  /** What is wrong with a request's body by the document; empty if it may be sent. */
  requestProblems(method: string, path: string, body: unknown): string[] {
    const operation = this.#operationOf(method, path);
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    return schema === undefined ? [`${method} ${path} takes no body`] : this.#judge("requests:", schema, body);
  }

  #operationOf(method: string, path: string): Operation | undefined {
    const template = this.#templateOf(path);
    return template === null ? undefined : this.document.paths[template]?.[method.toLowerCase() as "get"];
  }

  /** What the document does not say of the answer, or says otherwise; empty when all is as published. */
  problemsOf({ method, path, status, headers, body }: Answered): string[] {
    const template = this.#templateOf(path);
    const item = template === null ? undefined : this.document.paths[template];
    // A method that the path has not is answered 405 as its other ones say.
    const operation = this.#operationOf(method, path) ?? (status === 405 ? Object.values(item ?? {})[0] : undefined);
    if (operation === undefined || template === null) return [`${method} ${path} is not there`];
    const response = this.#responseOf(operation, status);
    if (response === undefined) return [`${method} ${template} has no ${status}`];
    this.seen.add(`${method} ${template} ${status}`);
    return [...this.#headerProblems(response, headers), ...this.#bodyProblems(response, headers, body)].map(
      (problem) => `${method} ${template} ${status}: ${problem}`,
    );
  }

  #templateOf(path: string): string | null {
    const fitting = Object.keys(this.document.paths).filter((template) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path),
    );
    // The one with the fewest parameters is the most particular.
    return fitting.toSorted((one, other) => one.split("{").length - other.split("{").length)[0] ?? null;
  }

  #responseOf(operation: Operation, status: number): Answer | undefined {
    const response = operation.responses[status];
    if (response === undefined || !("$ref" in response)) return response;
    return this.document.components.responses[response.$ref.split("/").at(-1) ?? ""];
  }

  #headerProblems(response: Answer, headers: Headers): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const { required, schema } = this.#headerOf(header);
      const value = headers.get(name);
      // What is said beside a reference narrows it: then the header comes with some answers only.
      const always = required === true && !("$ref" in header && header.description !== undefined);
      if (value === null) return always ? [`${name} is missing`] : [];
      return this.#judge("answers:", schema, value).map((problem) => `${name} ${problem}`);
    });
  }

  #headerOf(header: Header | { $ref: string }): Header {
    const named = "$ref" in header ? this.document.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
    if (named === undefined) throw new Error("The document refers to a header that is not there.");
    return named;
  }

  #bodyProblems(response: Answer, headers: Headers, body: unknown): string[] {
    if (response.content === undefined) return body === undefined ? [] : ["there is a body"];
    const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
    const media = response.content[type] ?? response[OTHER_TYPES]?.[type];
    if (media === undefined) return [`Content-Type ${type} is not there`];
    return type === "application/json" ? this.#judge("answers:", media.schema, body) : [];
  }

  /** Schemas of answers are closed: a member that nobody described is found. Requests may have any. */
  #judge(base: "answers:" | "requests:", schema: JsonSchema, value: unknown): string[] {
    const written = JSON.stringify(base === "answers:" ? closed(schema) : schema).replaceAll('"#/', `"${base}#/`);
    const validate = this.#validators.get(written) ?? this.#ajv.compile(JSON.parse(written) as JsonSchema);
    this.#validators.set(written, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`.trim(),
    );
  }
}

/** The same schema, with no further members than it names. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, closed(member)]);
  const copy = Object.fromEntries(entries) as JsonSchema;
  const names = Object.keys(copy.properties ?? {});
  const isWhole = copy.type !== undefined && names.length > 0;
  if (isWhole && copy["additionalProperties"] === undefined) copy["additionalProperties"] = false;
  return copy as Value;
}

useFakeClock();

const contract = new Contract();
let pos: Pos;
let terminal: ScriptedTerminal;

beforeAll(async () => {
  pos = await Pos.create();
  terminal = await ScriptedTerminal.connect(pos.terminal);
});

interface Judged {
  status: number;
  body: Members;
}

/** One call, checked against the document. An accepted body is checked against the request's schema. */
async function judged(method: string, path: string, options: CallOptions = {}): Promise<Judged> {
  const response = await send(method, path, options);
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  const bytes = await response.arrayBuffer();
  const body = (isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined) as Members;
  noteSecrets(body);
  const { status, headers } = response;
  const [bare = ""] = path.split("?");
  assert(contract.problemsOf({ method, path: bare, status, headers, body })).toEqual([]);
  if (status < 300 && options.body !== undefined) {
    assert(contract.requestProblems(method, bare, options.body), JSON.stringify(options.body)).toEqual([]);
  }
  return { status, body };
}

function operator(method: string, path: string, body?: unknown): Promise<Judged> {
  return judged(method, `/operator${path}`, { token: OPERATOR_TOKEN, body });
}

function transfer(body: Members, options: CallOptions = {}): Promise<Judged> {
  return judged("POST", "/api/transfer", { token: pos.token, body: pos.sign(body), ...options });
}

function cancel(referenceId: unknown): Promise<Judged> {
  const { posId, deviceId, datetime } = pos.body("sale");
  const body = pos.sign({ posId, deviceId, referenceId, datetime });
  return judged("POST", "/api/transfer/cancel", { token: pos.token, body });
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

describe("an answer matches the published contract", () => {
  it("about the operators' own webhooks", async ({ expect }) => {
    Receivers.start();
    const { body } = await operator("POST", "/webhooks", { url: "https://pager.example.com/" });
    const path = `/webhooks/${String(body["id"])}`;
    expect((await operator("POST", "/webhooks", { url: "https://localhost/" })).status).toBe(400);
    for (const [method, end = "", members] of [
      ["GET"],
      ["PATCH", "", { alerts: { "declines.many": null } }],
      ["POST", "/secret"],
      ["POST", "/replay", { after: 0 }],
      ["POST", "/test"],
      ["DELETE"],
    ] as const) {
      expect([method, end, (await operator(method, `${path}${end}`, members)).status]).toEqual([method, end, 200]);
    }
    expect((await operator("GET", "/webhooks")).status).toBe(200);
    expect((await operator("GET", path)).status).toBe(404);
  });

  it("about webhooks, which the operator sees and stops", async ({ expect }) => {
    Receivers.start(() => 500);
    const account = await createAccount();
    const { access } = await login(account);
    const { token } = access;
    const signed = (method: string, path: string, members: object = {}) =>
      judged(method, path, { token, body: signedCallBody(account, method, path, members) });
    const url = "https://books.example.com/hooks/payment";
    expect((await signed("POST", "/api/webhooks", { url })).status).toBe(201);
    expect((await signed("POST", "/api/webhooks", { url: "https://localhost/" })).status).toBe(400);
    expect((await judged("POST", "/api/webhooks/wh_1/test", { token })).status).toBe(200);
    expect((await judged("POST", "/api/webhooks/wh_1/test", { token })).status).toBe(429);
    expect((await signed("POST", "/api/webhooks/wh_1/secret")).status).toBe(200);
    expect((await signed("POST", "/api/webhooks/wh_1/replay", { after: 0 })).status).toBe(200);
    expect((await signed("POST", "/api/webhooks/wh_1/replay", { after: 7 })).status).toBe(400);
    const path = `/accounts/${account.posId}/webhooks`;
    expect((await operator("PATCH", `${path}/wh_1`, { enabled: false })).status).toBe(200);
    expect((await operator("PATCH", `${path}/wh_1`, { enabled: 1 })).status).toBe(400);
    expect((await signed("PATCH", "/api/webhooks/wh_1", { enabled: true })).status).toBe(400);
    expect((await operator("PATCH", `${path}/wh_1`, { enabled: true })).status).toBe(200);
    expect((await operator("GET", path)).status).toBe(200);
    expect((await operator("GET", "/accounts/nobody/webhooks")).status).toBe(404);
    expect((await signed("PATCH", "/api/webhooks/wh_1", { enabled: true })).status).toBe(200);
    expect((await judged("GET", "/api/webhooks", { token })).status).toBe(200);
    expect((await judged("GET", "/api/webhooks/wh_1", { token })).status).toBe(200);
    expect((await signed("DELETE", "/api/webhooks/wh_1")).status).toBe(200);
    expect((await judged("GET", "/api/webhooks/wh_1", { token })).status).toBe(404);
  });

  it("in a session: login, refresh and logout, and their refusals", async ({ expect }) => {
    const account = await createAccount();
    const { posId, password } = account;
    const good = await judged("POST", "/auth/login", { body: { posId, password } });
    const { access, refresh } = good.body as { access: { token: string }; refresh: { token: string } };
    expect((await judged("POST", "/auth/refresh", { token: refresh.token })).status).toBe(200);
    expect((await judged("POST", "/auth/logout", { token: access.token })).status).toBe(200);
    expect((await judged("POST", "/auth/refresh", { token: refresh.token })).status).toBe(401);
    expect((await judged("POST", "/auth/login", { body: { posId, password: "somebody else" } })).status).toBe(401);
    expect((await judged("POST", "/auth/login", { body: { posId } })).status).toBe(400);
    expect((await judged("POST", "/auth/login", { body: signedLogin(account) })).status).toBe(200);
    const late = signedLogin(account, {}, Date.now() - 3_600_000);
    expect((await judged("POST", "/auth/login", { body: late })).status).toBe(400);
    await operator("PATCH", `/accounts/${posId}`, { status: "suspended" });
    expect((await judged("POST", "/auth/login", { body: { posId, password } })).status).toBe(403);
    expect((await judged("GET", "/auth/login")).status).toBe(405);
  });

  it("to a transfer that is followed: a stream that ends with the answer, and names every stage", async ({
    expect,
  }) => {
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

  it("about terminals and wallets", async ({ expect }) => {
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
      expect((await judged("GET", path, { token })).status).toBe(200);
    }
    const uniqueIds = ["T-1", "T-1", "T-2"];
    expect((await judged("POST", "/api/prebind-terminals", { token, body: { uniqueIds } })).status).toBe(200);
    expect((await judged("GET", "/api/terminals/nobody", { token })).status).toBe(404);
    expect((await judged("GET", "/api/ewallet-channels?currency=ringgit", { token })).status).toBe(400);
    const other = await Pos.create();
    const path = `/api/terminals/${other.terminal.terminalId}`;
    expect((await judged("GET", path, { token: other.token })).status).toBe(200);
    expect((await judged("DELETE", path, { token: other.token })).status).toBe(200);
  });

  it("to a terminal: login, bind and connect, and their refusals", async ({ expect }) => {
    const enrolled = await enrolTerminal();
    const good = await judged("POST", "/terminal/login", { body: loginMessage(enrolled) });
    const { token } = good.body as { token: string };
    const late = loginMessage(enrolled, Date.now() - 3_600_000);
    const clock = await judged("POST", "/terminal/login", { body: late });
    expect([clock.status, clock.body["serverTime"]]).toEqual([400, Date.now()]);
    const forged = { ...loginMessage(enrolled), signature: "0".repeat(64) };
    expect((await judged("POST", "/terminal/login", { body: forged })).status).toBe(401);
    const { body } = await judged("GET", "/api/bind-terminal-key", { token: pos.token });
    const key = String(body["key"]);
    const bind = (message: object) => judged("POST", "/terminal/bind", { token, body: message });
    expect((await bind(bindMessage(enrolled, key))).status).toBe(200);
    expect((await bind(bindMessage(enrolled, "ZZZZ-ZZZZ"))).status).toBe(400);
    expect((await bind({ ...bindMessage(enrolled, key), signature: "0".repeat(64) })).status).toBe(400);
    const slow = await bind(bindMessage(enrolled, key, Date.now() - 3_600_000));
    expect([slow.status, slow.body["serverTime"]]).toEqual([400, Date.now()]);
    expect((await judged("GET", "/terminal/connect", { token })).status).toBe(400);
    expect((await judged("GET", "/terminal/connect")).status).toBe(401);
    const headers = { Upgrade: "websocket", Origin: "https://elsewhere.test" };
    expect((await judged("GET", "/terminal/connect", { token, headers })).status).toBe(403);
    const Upgraded = { Upgrade: "websocket", "Sec-WebSocket-Protocol": `pos-terminal.v1, ${token}` };
    const upgrade = await send("GET", "/terminal/connect", { headers: Upgraded });
    const answered = { method: "GET", path: "/terminal/connect", status: upgrade.status, headers: upgrade.headers };
    expect(contract.problemsOf({ ...answered, body: undefined })).toEqual([]);
    upgrade.webSocket?.accept();
    upgrade.webSocket?.close(1000);
    expect(upgrade.status).toBe(101);
  });

  it("to transactions: approved, declined, not known yet, repeated, voided, cancelled, asked about", async ({
    expect,
  }) => {
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

  it("about its events: the list, one event, and refusals", async ({ expect }) => {
    const own = await Pos.create();
    const connection = await ScriptedTerminal.connect(own.terminal);
    const token = own.token;
    const answer = judged("POST", "/api/transfer", { token, body: own.sign(own.saleBody()) });
    connection.result(await connection.acceptNext(), "00", { transData: CARD });
    const { transId } = (await answer).body["transData"] as { transId: string };
    const undo = own.sign(own.body("void", { transData: { transId } }));
    const undone = judged("POST", "/api/transfer", { token, body: undo });
    connection.result(await connection.acceptNext(), "00", { transData: CARD });
    await undone;
    const open = judged("POST", "/api/transfer", { token, body: own.sign(own.saleBody()) });
    connection.result(await connection.acceptNext(), "22");
    await open;
    const events = (after: string, headers = {}) => judged("GET", `/api/events${after}`, { token, headers });
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
      expect((await judged("GET", path, { token })).status).toBe(200);
    }
    expect((await judged("GET", "/api/events/evt_nobody_1", { token })).status).toBe(404);
  });

  it("about transactions and days", async ({ expect }) => {
    const { token } = pos;
    const { terminalId } = pos.terminal;
    await ended(pos.saleBody(), "00", { responseText: "Approved", transData: CARD });
    await ended(pos.saleBody(), "22");
    const listed = await eventually(async () => {
      const { body } = await judged("GET", "/api/transactions?limit=2", { token });
      const data = body["data"] as { requestId: string; statusCode: string }[];
      expect(data.map(({ statusCode }) => statusCode)).toEqual(["22", "00"]);
      return data;
    });
    for (const { requestId } of listed) {
      const path = `/api/terminals/${terminalId}/transactions/${requestId}`;
      expect((await judged("GET", path, { token })).status).toBe(200);
    }
    const accept = { token, headers: { Accept: "text/csv" } };
    for (const path of ["/api/transactions?limit=1", "/api/totals", `/api/totals?deviceId=${terminalId}`]) {
      expect((await judged("GET", path, accept)).status).toBe(200);
      expect((await judged("GET", path, { token })).status).toBe(200);
    }
    expect((await judged("GET", "/api/totals?day=2026-01-01", { token })).body["closed"]).toBe(true);
    expect((await judged("GET", "/api/totals?day=2026-13-01", { token })).status).toBe(400);
    expect((await judged("GET", "/api/transactions?limit=0", { token })).status).toBe(400);
    const nobody = `/api/terminals/${terminalId}/transactions/9999999999`;
    expect((await judged("GET", nobody, { token })).status).toBe(404);
  });

  it("to transfers that are refused, each with its code", async ({ expect }) => {
    expect(await codeOf(pos.saleBody({ apiVersion: "v9" }, { transAmt: "1" }))).toBe(40000);
    expect(await codeOf(pos.body("inquiry", { transData: { transId: "9999999999" } }))).toBe(40004);
    const sale = pos.saleBody();
    await ended(sale, "11");
    expect(await codeOf(pos.saleBody({ referenceId: sale["referenceId"] }, { transAmt: "99.00" }))).toBe(40009);
    const unsigned = await judged("POST", "/api/transfer", { token: pos.token, body: { ...sale, signature: "0" } });
    expect(unsigned.status).toBe(400);
    expect((await judged("POST", "/api/transfer", { body: sale })).status).toBe(401);
  });

  it("to the operator, on every path", async ({ expect }) => {
    const posId = uniqueId("pos");
    const account = { posId, password: "a password of some length", merchantId: "M-9", currency: "myr" };
    expect((await operator("POST", "/accounts", { ...account, timezone: "Asia/Kuala_Lumpur" })).status).toBe(201);
    expect((await operator("POST", "/accounts", { ...account, timezone: "Asia/Kuala_Lumpur" })).status).toBe(409);
    expect((await operator("POST", "/accounts", { ...account, timezone: "Mars" })).status).toBe(400);
    expect((await operator("GET", "/accounts?limit=1")).body["next"]).not.toBeNull();
    expect((await operator("GET", `/accounts/${posId}`)).status).toBe(200);
    expect((await operator("GET", "/accounts/nobody")).status).toBe(404);
    expect((await operator("PATCH", `/accounts/${posId}`, { name: "Till 9", currency: "" })).status).toBe(200);
    expect((await operator("PATCH", `/accounts/${posId}`, { currency: "" })).status).toBe(400);
    expect((await operator("PATCH", `/accounts/${posId}`, { name: null })).status).toBe(200);
    expect((await operator("POST", `/accounts/${posId}/password`)).status).toBe(200);
    expect((await operator("POST", `/accounts/${posId}/signing-key`)).status).toBe(200);
    expect((await operator("POST", `/accounts/${posId}/signing-key`, { revokePrevious: true })).status).toBe(200);
    expect((await operator("DELETE", `/accounts/${posId}`)).status).toBe(200);

    const terminalId = uniqueId("term");
    expect((await operator("POST", "/terminals", { terminalId, isVT: 1, merchantId: null })).status).toBe(201);
    expect((await operator("POST", "/terminals", { terminalId, isVT: "1" })).status).toBe(409);
    expect((await operator("GET", "/terminals?limit=1")).status).toBe(200);
    expect((await operator("GET", `/terminals/${terminalId}`)).status).toBe(200);
    expect((await operator("GET", `/terminals/${pos.terminal.terminalId}`)).body["connected"]).toBe(true);
    expect((await operator("PATCH", `/terminals/${terminalId}`, { name: "Counter 3", merchantId: "" })).status).toBe(
      200,
    );
    expect((await operator("PATCH", `/terminals/${terminalId}`, { merchantId: "" })).status).toBe(400);
    expect((await operator("PATCH", `/terminals/${terminalId}`, { name: "" })).status).toBe(200);
    const filters = "connected=false&status=enrolled&offlineSince=2026-11-20T10:15:00%2B08:00&boundTo=nobody&name=C";
    expect((await operator("GET", `/terminals?${filters}`)).status).toBe(200);
    expect((await operator("POST", `/terminals/${terminalId}/secret`)).status).toBe(200);
    expect((await operator("DELETE", `/terminals/${terminalId}/binding`)).status).toBe(404);
    const bound = await Pos.create();
    expect((await operator("DELETE", `/terminals/${bound.terminal.terminalId}/binding`)).status).toBe(200);
    expect((await operator("DELETE", `/terminals/${terminalId}`)).status).toBe(200);
    expect((await operator("DELETE", `/terminals/${terminalId}`)).status).toBe(409);

    const shop = { name: "Corner shop", timezone: "Asia/Kuala_Lumpur" };
    expect((await operator("PUT", "/shops/M-9", shop)).status).toBe(201);
    expect((await operator("PUT", "/shops/M-9", shop)).status).toBe(200);
    expect((await operator("GET", "/shops?merchantId=M-")).status).toBe(200);
    expect((await operator("GET", "/shops/M-9")).status).toBe(200);
    expect((await operator("DELETE", "/shops/M-9")).status).toBe(200);
    expect((await operator("GET", "/shops/M-9")).status).toBe(404);

    const channel = { status: "1", currency: ["myr", "SGD"], logoUrl3: "https://logos.test/wallet.png" };
    const name = encodeURIComponent("Touch 'n Go 支付宝");
    expect((await operator("PUT", `/channels/${name}`, channel)).status).toBe(201);
    expect((await operator("PUT", `/channels/${name}`, channel)).status).toBe(200);
    expect((await operator("GET", "/channels")).status).toBe(200);
    expect((await operator("DELETE", `/channels/${name}`)).status).toBe(200);

    const contradicted = pos.saleBody();
    const answer = transfer(contradicted);
    const request = await terminal.acceptNext();
    terminal.result(request, "00", { transData: { ...CARD, transAmt: "1.11", currency: "USD" } });
    expect((await answer).body["responseCode"]).toBe("UNCONFIRMED");
    const journal = `/terminals/${pos.terminal.terminalId}/transactions`;
    expect((await operator("GET", `${journal}?limit=100`)).status).toBe(200);
    expect((await operator("GET", `/transactions?transId=${request.requestId}`)).status).toBe(200);
    expect((await operator("GET", "/transactions?transId=9999999999")).status).toBe(404);
    const own = pos.account.posId;
    expect((await operator("GET", `/accounts/${own}/transactions?limit=5`)).status).toBe(200);
    expect((await operator("GET", "/accounts/nobody/transactions")).status).toBe(404);
    const reference = `posId=${own}&referenceId=${String(contradicted["referenceId"])}`;
    expect((await operator("GET", `/transactions?${reference}`)).status).toBe(200);
    await eventually(async () => {
      const { status, body } = await operator("GET", "/unresolved?limit=5");
      expect([status, (body["data"] as unknown[]).length > 0]).toEqual([200, true]);
    });
    expect((await operator("GET", "/overview")).status).toBe(200);
    expect((await operator("GET", "/metrics")).status).toBe(200);
    for (const by of ["hour", "day", "account", "responseCode"]) {
      expect((await operator("GET", `/statistics?by=${by}`)).status).toBe(200);
    }
    expect((await operator("GET", `/statistics?terminalId=${pos.terminal.terminalId}`)).status).toBe(200);
    expect((await operator("GET", "/statistics?terminalId=nobody")).status).toBe(404);
    expect((await operator("GET", "/statistics?by=week")).status).toBe(400);
    const resolution = { statusCode: "11", reason: "The host has no such payment." };
    const path = `/operator${journal}/${request.requestId}/resolve`;
    const needsTwo = { RESOLVE_NEEDS_TWO: "on" };
    const proposed = await callWith(needsTwo, "POST", path, { token: OPERATOR_TOKEN, body: resolution });
    expect(proposed.status).toBe(202);
    expect(contract.problemsOf({ method: "POST", path, ...proposed })).toEqual([]);
    expect((await operator("POST", `${journal}/${request.requestId}/resolve`, resolution)).status).toBe(200);
    expect((await operator("POST", `${journal}/${request.requestId}/resolve`, resolution)).status).toBe(409);
    terminal.result(request, "00");
    expect((await transfer(contradicted)).body).toMatchObject({ responseCode: "RESOLVED", statusCode: "11" });
    const { body } = await operator("GET", journal);
    expect(JSON.stringify(body)).toMatch(/"conflicts":\[\{/u);
    await eventually(async () => {
      const contrary = await operator("GET", `/unresolved?contrary=true&posId=${own}`);
      expect([contrary.status, (contrary.body["data"] as unknown[]).length]).toEqual([200, 1]);
    });
    const closing = `/accounts/${own}/transactions/${request.requestId}/close`;
    expect((await operator("POST", closing, { reason: "" })).status).toBe(400);
    expect((await operator("POST", closing, { reason: "Refunded." })).status).toBe(200);
    expect((await operator("POST", closing, { reason: "Refunded." })).status).toBe(409);
    expect((await operator("POST", "/accounts/nobody/transactions/1000000000/close", resolution)).status).toBe(404);

    expect((await operator("POST", "/master-keys/reseal")).status).toBe(200);
    expect((await operator("POST", "/retell", { id: pos.terminal.terminalId })).status).toBe(200);
    expect((await operator("POST", "/retell", { id: "nobody" })).status).toBe(404);
    expect((await operator("POST", "/retell", { id: 5 })).status).toBe(400);
    expect((await operator("GET", "/audit?limit=100")).status).toBe(200);
    expect((await operator("GET", "/audit?limit=0")).status).toBe(400);
    expect((await judged("GET", "/operator/audit")).status).toBe(401);
  });

  it("when there are too many requests, and when the service fails", async ({ expect }) => {
    const limit = { limit: async () => ({ success: false }) };
    const { token } = pos;
    for (const [changes, status] of [
      [{ REQUESTS_PER_ACCOUNT: limit }, 429],
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
    const { body } = await judged("GET", "/api/bind-terminal-key", { token });
    const session = await judged("POST", "/terminal/login", { body: loginMessage(other) });
    const bind = { token: String(session.body["token"]), body: bindMessage(other, String(body["key"])) };
    expect((await judged("POST", "/terminal/bind", bind)).status).toBe(200);
    const elsewhere = JSON.stringify(await problemsTold(pos.saleBody({ referenceId, deviceId: other.terminalId })));
    expect(JSON.parse(elsewhere.replace(pos.terminal.terminalId, "T-0001"))).toEqual(shown("elsewhere"));
  });
});

describe("a member, a header, a status that is not published", () => {
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
  // Every published success, and every kind of refusal, was checked.
  const published = Object.entries(contract.document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  const good = published.filter((answer) => / (?:1|2)\d\d$/u.test(answer));
  assert(good.filter((answer) => !contract.seen.has(answer))).toEqual([]);
  const kinds = statusesOf(published.filter((answer) => !answer.endsWith("default")));
  assert(statusesOf(contract.seen)).toEqual(kinds);
});

function statusesOf(answers: Iterable<string>): Set<string> {
  return new Set([...answers].map((answer) => answer.slice(-3)));
}
