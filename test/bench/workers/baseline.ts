/**
 * What both baselines share: what the platform costs when it carries a transfer the way the gateway does, with no logic at
 * all. The same calls to the terminal's object, rows, alarm, frames, waiting socket and log lines; nothing is checked,
 * signed or decided. They differ in what is asked about the account before, and told to it after, and in how the
 * terminal's object is called: see `d1-baseline.ts` and `account-baseline.ts`.
 *
 * A baseline holds what cannot be left out of such a service, and nothing else. Left out because the gateway could do
 * without: attachments of sockets, further headers, Hono. In, because it could not: a caller that waits for an answer
 * waits for the hang-up of its client and for the end of its time, too; one line is logged for each request and one for
 * each payment.
 */
import { DurableObject } from "cloudflare:workers";

export interface Bindings {
  REQUESTS_PER_ACCOUNT: RateLimit;
  REQUESTS_PER_ADDRESS: RateLimit;
  TERMINAL: DurableObjectNamespace;
}

/** What a Worker sees of the terminal's object. */
interface Stub {
  submit(transfer: Transfer): Promise<Submitted>;
  fetch: DurableObjectStub["fetch"];
}

interface Submitted {
  requestId: number;
  /** What the gateway would answer if nothing came. */
  standing: Transfer;
}

/** As many bytes as the gateway's own messages of a sale. */
export interface Transfer {
  posId: string;
  deviceId: string;
  referenceId: string;
  signature: string;
  [name: string]: unknown;
}

const CALL = "X-Call";
const REPLY = "X-Reply";

const ALARM_AFTER = 80_000;
const WAIT = 95_000;
const LOGGED = 150;

interface Row {
  posId: string;
  referenceId: string;
  state: string;
  body: string;
}

const ROW = "SELECT pos_id AS posId, reference_id AS referenceId, state, body FROM transactions WHERE request_id = ?";

export class BaselineTerminal<Environment extends Bindings = Bindings> extends DurableObject<Environment> {
  #alarmAt = 0;
  #next: number;

  constructor(context: DurableObjectState, env: Environment) {
    super(context, env);
    const { sql } = context.storage;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS transactions (
        request_id INTEGER PRIMARY KEY,
        pos_id TEXT NOT NULL,
        reference_id TEXT NOT NULL,
        state TEXT NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (pos_id, reference_id)
      ) STRICT;
    `);
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const newest = sql.exec<{ newest: number | null }>("SELECT MAX(request_id) AS newest FROM transactions").one();
    this.#next = (newest.newest ?? 1_000_000_000) + 1;
  }

  override fetch(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    const pair = new WebSocketPair();
    const call = request.headers.get(CALL);
    if (call !== null) {
      const submitted = this.#submit(JSON.parse(call) as Transfer);
      this.ctx.acceptWebSocket(pair[1], [`request:${submitted.requestId}`]);
      return new Response(null, { status: 101, webSocket: pair[0], headers: { [REPLY]: JSON.stringify(submitted) } });
    }
    if (pathname === "/wait") {
      const requestId = Number(searchParams.get("request"));
      this.ctx.acceptWebSocket(pair[1], [`request:${requestId}`]);
      const row = this.row(requestId);
      if (row.state === "completed") pair[1].send(row.body.slice(row.body.indexOf("}{") + 1));
    } else {
      this.ctx.acceptWebSocket(pair[1], ["terminal"]);
      pair[1].send(JSON.stringify({ type: "ready" }));
    }
    const protocol = request.headers.get("Sec-WebSocket-Protocol");
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      ...(protocol === null ? {} : { headers: { "Sec-WebSocket-Protocol": "pos-terminal.v1" } }),
    });
  }

  async submit(transfer: Transfer): Promise<Submitted> {
    return this.#submit(transfer);
  }

  #submit(transfer: Transfer): Submitted {
    const { sql } = this.ctx.storage;
    const { posId, referenceId } = transfer;
    sql.exec("SELECT * FROM transactions WHERE pos_id = ? AND reference_id = ?", posId, referenceId).toArray();
    const requestId = this.#next++;
    const body = JSON.stringify(transfer);
    sql.exec(
      "INSERT INTO transactions (request_id, pos_id, reference_id, state, body) VALUES (?, ?, ?, 'sent', ?)",
      requestId,
      posId,
      referenceId,
      body,
    );
    this.#arm();
    const frame = JSON.stringify({ ...transfer, type: "request", requestId: String(requestId), attempt: 1 });
    for (const terminal of this.ctx.getWebSockets("terminal")) terminal.send(frame);
    return { requestId, standing: transfer };
  }

  override webSocketMessage(terminal: WebSocket, text: string | ArrayBuffer): void {
    if (typeof text !== "string") return;
    const { type, requestId } = JSON.parse(text) as { type: string; requestId: string };
    // That the terminal has accepted a request is nothing to write.
    if (type !== "result") return;
    const id = Number(requestId);
    // A row holds the request and in the end the result beside it.
    this.ctx.storage.sql.exec(
      "UPDATE transactions SET state = 'completed', body = body || ? WHERE request_id = ?",
      text,
      id,
    );
    this.#arm();
    log("transaction", text);
    for (const waiter of this.ctx.getWebSockets(`request:${requestId}`)) waiter.send(text);
    terminal.send(JSON.stringify({ type: "ack", requestId, statusCode: "00" }));
    this.completed(id, text);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }

  override alarm(): void {
    this.#alarmAt = 0;
  }

  /** Called once the result is written and has left for its waiter. */
  protected completed(_requestId: number, _result: string): void {
    // The D1 baseline reports to nobody.
  }

  protected row(requestId: number): Row {
    return this.ctx.storage.sql.exec<Row & Record<string, SqlStorageValue>>(ROW, requestId).one();
  }

  #arm(): void {
    if (this.#alarmAt !== 0) return;
    this.#alarmAt = Date.now() + ALARM_AFTER;
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}

/** As many bytes as the gateway's own lines. */
function log(event: string, text: string): void {
  console.log(JSON.stringify({ level: "info", event, text: text.slice(0, LOGGED) }));
}

export interface Way {
  /** What a transfer needs of its account before its terminal is called. */
  admit: (transfer: Transfer) => Promise<unknown>;
  /** Calls the terminal's object, and returns the socket to wait on. */
  submit: (stub: Stub, transfer: Transfer) => Promise<WebSocket | null>;
}

/** A baseline's Worker: transfers, and terminals that connect. */
export function serve(request: Request, env: Bindings, way: Way): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname !== "/terminal/connect") return deliver(request, env, way);
  return env.TERMINAL.getByName(url.searchParams.get("terminal") ?? "").fetch(request);
}

/** The upgrade of the waiting socket carries the call, as the gateway does it. */
export async function inOneCall(stub: Stub, transfer: Transfer): Promise<WebSocket | null> {
  const headers = { Upgrade: "websocket", [CALL]: JSON.stringify(transfer) };
  const response = await stub.fetch("https://terminal.internal/wait", { headers });
  JSON.parse(response.headers.get(REPLY) ?? "");
  return response.webSocket;
}

/** The upgrade follows the call, as the gateway did it while its accounts were rows of D1. */
export async function inTwoCalls(stub: Stub, transfer: Transfer): Promise<WebSocket | null> {
  const { requestId } = await stub.submit(transfer);
  const address = `https://terminal.internal/wait?request=${requestId}`;
  return (await stub.fetch(address, { headers: { Upgrade: "websocket" } })).webSocket;
}

async function deliver(request: Request, env: Bindings, { admit, submit }: Way): Promise<Response> {
  const body = await request.json<Transfer>();
  const { posId, deviceId } = body;
  await Promise.all([env.REQUESTS_PER_ACCOUNT.limit({ key: posId }), env.REQUESTS_PER_ADDRESS.limit({ key: "all" })]);
  await admit(body);
  const stub = env.TERMINAL.getByName(deviceId) as unknown as Stub;
  const webSocket = await submit(stub, body);
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
