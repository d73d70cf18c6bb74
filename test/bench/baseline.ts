/**
 * The baseline: what the platform costs when it carries a transfer the way the gateway does, with no logic at all. The same
 * calls to the objects of account and terminal, rows, alarm, frames, waiting socket and log lines; nothing is checked, signed
 * or decided. A transfer is one call to its account, which claims the reference, and one to its terminal; when the result is
 * there, the terminal's object calls the account once, which writes the outcome to the claim and records one event.
 *
 * It has what no such service can leave out: a caller that waits for an answer also waits for its client to hang up and for the
 * end of its time; one line is logged for each request and one for each payment.
 */
import { DurableObject } from "cloudflare:workers";

export interface Bindings {
  REQUESTS_PER_ACCOUNT: RateLimit;
  REQUESTS_PER_ADDRESS: RateLimit;
  ACCOUNT: DurableObjectNamespace;
  TERMINAL: DurableObjectNamespace;
}

/** As many bytes as the gateway's own messages of a sale. */
interface Transfer {
  posId: string;
  deviceId: string;
  referenceId: string;
}

interface AccountStub {
  admit(transfer: Transfer): Promise<object>;
  record(requestId: number, referenceId: string, event: string): Promise<void>;
}

const CALL = "X-Call";
const REPLY = "X-Reply";

const ALARM_AFTER = 80_000;
const WAIT = 95_000;
const LOGGED = 150;

const EVENT = 800;

/** As many bytes as the gateway's own answer: a sealed key, and the account's terms. */
const ADMITTED = {
  kind: "admitted",
  terms: { posId: "pos-1", merchantId: "shop-1", currency: "MYR", timezone: "UTC", version: 1 },
  key: { sealed: "x".repeat(110), kind: "account-signing-key" },
  recorded: false,
};

export class Account extends DurableObject<Bindings> implements AccountStub {
  #next: number;

  constructor(context: DurableObjectState, env: Bindings) {
    super(context, env);
    const { sql } = context.storage;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS claims (reference_id TEXT PRIMARY KEY, device_id TEXT NOT NULL, claimed_at INTEGER NOT NULL,
        request_id INTEGER, event INTEGER) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    `);
    const newest = sql.exec<{ newest: number | null }>("SELECT MAX(number) AS newest FROM events").one();
    this.#next = (newest.newest ?? 0) + 1;
  }

  async admit({ referenceId, deviceId }: Transfer): Promise<object> {
    this.ctx.storage.sql.exec(
      "INSERT INTO claims (reference_id, device_id, claimed_at) VALUES (?, ?, ?) ON CONFLICT (reference_id) DO NOTHING",
      referenceId,
      deviceId,
      Date.now(),
    );
    return ADMITTED;
  }

  async record(requestId: number, referenceId: string, event: string): Promise<void> {
    const { sql } = this.ctx.storage;
    const number = this.#next++;
    sql.exec("UPDATE claims SET request_id = ?, event = ? WHERE reference_id = ?", requestId, number, referenceId);
    sql.exec("INSERT INTO events (number, body) VALUES (?, ?)", number, event);
  }
}

/** wrangler.toml binds it; nothing calls it. */
export class Coordinator extends DurableObject {}

export class Terminal extends DurableObject<Bindings> {
  #alarmAt = 0;
  #next: number;

  constructor(context: DurableObjectState, env: Bindings) {
    super(context, env);
    const { sql } = context.storage;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS transactions (request_id INTEGER PRIMARY KEY, pos_id TEXT NOT NULL, reference_id TEXT NOT NULL,
        state TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (pos_id, reference_id)) STRICT;
    `);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const newest = sql.exec<{ newest: number | null }>("SELECT MAX(request_id) AS newest FROM transactions").one();
    this.#next = (newest.newest ?? 1_000_000_000) + 1;
  }

  override fetch(request: Request): Response {
    const pair = new WebSocketPair();
    const call = request.headers.get(CALL);
    if (call !== null) {
      const transfer = JSON.parse(call) as Transfer;
      const requestId = this.#submit(transfer);
      this.ctx.acceptWebSocket(pair[1], [`request:${requestId}`]);
      // With what the gateway would answer if nothing came.
      const reply = JSON.stringify({ requestId, standing: transfer });
      return new Response(null, { status: 101, webSocket: pair[0], headers: { [REPLY]: reply } });
    }
    this.ctx.acceptWebSocket(pair[1], ["terminal"]);
    pair[1].send(JSON.stringify({ type: "ready" }));
    const headers = { "Sec-WebSocket-Protocol": "pos-terminal.v1" };
    return new Response(null, { status: 101, webSocket: pair[0], headers });
  }

  #submit(transfer: Transfer): number {
    const { sql } = this.ctx.storage;
    const { posId, referenceId } = transfer;
    sql.exec("SELECT * FROM transactions WHERE pos_id = ? AND reference_id = ?", posId, referenceId).toArray();
    const requestId = this.#next++;
    sql.exec(
      "INSERT INTO transactions (request_id, pos_id, reference_id, state, body) VALUES (?, ?, ?, 'sent', ?)",
      requestId,
      posId,
      referenceId,
      JSON.stringify(transfer),
    );
    this.#arm();
    const frame = JSON.stringify({ ...transfer, type: "request", requestId: String(requestId), attempt: 1 });
    for (const terminal of this.ctx.getWebSockets("terminal")) terminal.send(frame);
    return requestId;
  }

  override webSocketMessage(terminal: WebSocket, text: string | ArrayBuffer): void {
    if (typeof text !== "string") return;
    const { type, requestId } = JSON.parse(text) as { type: string; requestId: string };
    // That the terminal has accepted a request is nothing to write.
    if (type !== "result") return;
    const id = Number(requestId);
    const { sql } = this.ctx.storage;
    // A row holds the request and in the end the result beside it.
    sql.exec("UPDATE transactions SET state = 'completed', body = body || ? WHERE request_id = ?", text, id);
    this.#arm();
    log("transaction", text);
    for (const waiter of this.ctx.getWebSockets(`request:${requestId}`)) waiter.send(text);
    terminal.send(JSON.stringify({ type: "ack", requestId, statusCode: "00" }));
    const { posId, referenceId } = sql
      .exec<{ posId: string; referenceId: string }>(
        "SELECT pos_id AS posId, reference_id AS referenceId, state, body FROM transactions WHERE request_id = ?",
        id,
      )
      .one();
    this.ctx.waitUntil(accountOf(this.env, posId).record(id, referenceId, text.padEnd(EVENT).slice(0, EVENT)));
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }

  override alarm(): void {
    this.#alarmAt = 0;
  }

  #arm(): void {
    if (this.#alarmAt !== 0) return;
    this.#alarmAt = Date.now() + ALARM_AFTER;
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}

function accountOf(env: Bindings, posId: string): AccountStub {
  return env.ACCOUNT.getByName(posId) as unknown as AccountStub;
}

/** As many bytes as the gateway's own lines. */
function log(event: string, text: string): void {
  console.log(JSON.stringify({ level: "info", event, text: text.slice(0, LOGGED) }));
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/terminal/connect") return deliver(request, env);
    return env.TERMINAL.getByName(searchParams.get("terminal") ?? "").fetch(request);
  },
} satisfies ExportedHandler<Bindings>;

async function deliver(request: Request, env: Bindings): Promise<Response> {
  const body = await request.json<Transfer>();
  const { posId, deviceId } = body;
  await Promise.all([env.REQUESTS_PER_ACCOUNT.limit({ key: posId }), env.REQUESTS_PER_ADDRESS.limit({ key: "all" })]);
  await accountOf(env, posId).admit(body);
  // The upgrade of the waiting socket carries the call, as the gateway does it.
  const headers = { Upgrade: "websocket", [CALL]: JSON.stringify(body) };
  const reply = await env.TERMINAL.getByName(deviceId).fetch("https://terminal.internal/wait", { headers });
  JSON.parse(reply.headers.get(REPLY) ?? "");
  const { webSocket } = reply;
  if (webSocket === null) throw new Error("the baseline's object opened no socket");
  const { promise, resolve } = Promise.withResolvers<string>();
  const hangUp = (): void => resolve("");
  webSocket.addEventListener("message", ({ data }) => resolve(String(data)));
  request.signal.addEventListener("abort", hangUp);
  const timer = setTimeout(hangUp, WAIT);
  webSocket.accept();
  const result = await promise;
  clearTimeout(timer);
  request.signal.removeEventListener("abort", hangUp);
  webSocket.close(1000);
  log("request", result);
  return new Response(result, { headers: { "Content-Type": "application/json" } });
}
