/**
 * The alternative: one Node process that does the gateway's work. The same modules check, sign and decide; around them
 * are node:http, node:sqlite and a Map of terminals instead of Worker, D1, objects and hibernation. What it gives up is
 * everything that the platform is chosen for: it has no second machine, no deploys without a gap, and no sleep.
 *
 * Argument: the folder of its database. It listens on a free port, and says on which as `process.ts` wants it.
 */
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type WebSocket, WebSocketServer } from "ws";
import { verifyingKey } from "../../src/account/signing-keys.ts";
import { readMasterKeys } from "../../src/keys/master-keys.ts";
import { unsealOften, randomKey, seal } from "../../src/keys/sealing.ts";
import { signToken, verifyToken } from "../../src/keys/tokens.ts";
import { signedForm } from "../../src/signing/canonical.ts";
import { parseJson, type JsonObject } from "../../src/signing/json.ts";
import { verifySignature, withSignature } from "../../src/signing/signature.ts";
import { requestFrame, terminalFrame } from "../../src/terminal/frames.ts";
import {
  heard,
  currentAnswer,
  step,
  type Lane,
  type LaneEvent,
  type Transaction,
} from "../../src/terminal/lane/index.ts";
import type { Outcome } from "../../src/protocol/transactions.ts";
import { checkResult } from "../../src/terminal/result-check.ts";
import { transferAnswer } from "../../src/http/transfer/respond.ts";
import { parseTransfer } from "../../src/http/transfer/parse.ts";
import type { Pair } from "./parties.ts";
import { CONTROL, type Listening } from "./process.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of the database");
const LIFE = 90_000;

const database = new DatabaseSync(join(folder, "plain-node.sqlite"));
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE accounts (pos_id TEXT PRIMARY KEY, merchant_id TEXT, signing_key TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE reference_claims (
    pos_id TEXT, reference_id TEXT, device_id TEXT, PRIMARY KEY (pos_id, reference_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE transactions (
    request_id INTEGER PRIMARY KEY, pos_id TEXT, reference_id TEXT, state TEXT, body TEXT, UNIQUE (pos_id, reference_id)
  ) STRICT;
`);
const readAccount = database.prepare(
  "SELECT pos_id AS posId, merchant_id AS merchantId, signing_key AS signingKey FROM accounts WHERE pos_id = ?",
);
const addAccount = database.prepare(
  "INSERT OR IGNORE INTO accounts (pos_id, merchant_id, signing_key) VALUES (?, ?, ?)",
);
const claim = database.prepare(
  `INSERT INTO reference_claims (pos_id, reference_id, device_id) VALUES (?, ?, ?)
   ON CONFLICT (pos_id, reference_id) DO NOTHING RETURNING device_id`,
);
const byReference = database.prepare("SELECT body FROM transactions WHERE pos_id = ? AND reference_id = ?");
const write = database.prepare(
  `INSERT INTO transactions (request_id, pos_id, reference_id, state, body) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (request_id) DO UPDATE SET state = excluded.state, body = excluded.body`,
);

const read = readMasterKeys(`plain:${randomBytes(32).toString("base64")}`);
if (!read.ok) throw new Error(read.error);
const keys = read.value;

/** What a terminal's object is on the platform. */
class Terminal {
  readonly secret: string;
  #socket: WebSocket | null = null;
  #lane: Lane = {
    open: new Map(),
    link: { current: null, lostAt: null, softwareVersion: "unknown", terminalSn: "unknown" },
  };
  readonly #waiters = new Map<number, (outcome: Outcome) => void>();

  constructor(secret: string) {
    this.secret = secret;
  }

  connect(socket: WebSocket): void {
    this.#socket = socket;
    const current = { number: 1, memory: "bench-memory", heardAt: Date.now(), probedAt: null, pingedAt: null };
    this.#lane = { ...this.#lane, link: { ...this.#lane.link, current } };
    socket.on("message", (data: Buffer) => this.#receive(data.toString()));
    socket.on("close", () => (this.#socket = null));
    socket.send(JSON.stringify({ type: "ready" }));
  }

  submit(event: LaneEvent<"submit">): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiters.set(event.requestId, resolve);
      this.#take(event);
    });
  }

  #receive(text: string): void {
    const now = Date.now();
    this.#lane = heard(this.#lane, now);
    if (text === "ping") {
      this.#socket?.send("pong");
      return;
    }
    if (text === "pong") {
      this.#take({ kind: "pong" });
      return;
    }
    const parsed = parseJson(text);
    const frame = parsed.ok ? terminalFrame.safeParse(parsed.value) : null;
    if (!parsed.ok || !frame?.success) throw new Error("the bench's terminal sent a bad frame");
    const { data } = frame;
    if (data.type !== "accepted" && data.type !== "result") return;
    const transaction = this.#lane.open.get(data.requestId) ?? null;
    if (data.type === "accepted") {
      this.#take({ kind: "accepted", requestId: data.requestId, transaction });
    } else if (transaction !== null && verifySignature(parsed.value as JsonObject, this.secret)) {
      const report = checkResult(data, transaction, this.#lane.link, now);
      const kept = { as: [], hasRoom: true };
      this.#take({ kind: "result", requestId: data.requestId, transaction, report, kept });
    }
  }

  #take(event: LaneEvent): void {
    const result = step(this.#lane, event, Date.now());
    for (const { requestId, posId, referenceId, state, ...body } of result.changed) {
      write.run(requestId, posId, referenceId, state, JSON.stringify(body));
    }
    this.#lane = result.lane;
    for (const effect of result.effects) {
      if (effect.kind === "send-request") {
        this.#socket?.send(JSON.stringify(withSignature(requestFrame(effect.transaction), this.secret)));
      } else if (effect.kind === "send-ack") {
        const { requestId, statusCode } = effect;
        this.#socket?.send(JSON.stringify({ type: "ack", requestId: String(requestId), statusCode }));
      } else if (effect.kind === "conclude") {
        this.#conclude(effect.transaction);
      } else if (effect.kind === "probe") {
        this.#socket?.send("ping");
      }
    }
  }

  #conclude(transaction: Transaction): void {
    this.#waiters.get(transaction.requestId)?.(currentAnswer(transaction, this.#lane.link));
    this.#waiters.delete(transaction.requestId);
  }
}

const terminals = new Map<string, Terminal>();
let nextNumber = 1_000_000_000;

async function transfer(incoming: IncomingMessage): Promise<[status: number, body: object]> {
  const token = /^Bearer (\S+)$/u.exec(incoming.headers.authorization ?? "")?.[1] ?? "";
  const verdict = await verifyToken(keys, token, "access", Date.now());
  const parsed = parseJson(await textOf(incoming));
  if (!verdict.ok || !parsed.ok) return [401, {}];
  const body = parsed.value as JsonObject;
  const message = parseTransfer(body);
  if (!message.ok) return [400, { details: message.error }];
  const { posId, deviceId, referenceId, ask } = message.value;
  if (ask.kind !== "transaction" || posId !== verdict.value.sub) return [400, {}];

  const now = Date.now();
  const row = readAccount.get(posId) as { posId: string; merchantId: string; signingKey: string };
  const account = { ...row, previousSigningKeys: [] };
  const signature = typeof body["signature"] === "string" ? body["signature"] : null;
  const verified = verifyingKey(keys, account, { signedForm: signedForm(body), signature }, now);
  if (!verified.ok) return [400, {}];
  const key = unsealOften(keys, verified.value.sealed, verified.value.kind, posId);
  const terminal = terminals.get(deviceId);
  if (!key.ok || terminal === undefined) return [400, {}];
  claim.get(posId, referenceId, deviceId);
  if (byReference.get(posId, referenceId) !== undefined) return [400, {}];
  const outcome = await terminal.submit({
    kind: "submit",
    posId,
    referenceId,
    requestId: nextNumber++,
    transType: ask.transType,
    terms: ask.terms,
    details: ask.details,
    known: null,
    problems: [],
    recorded: false,
    stopped: false,
    channel: "usable",
    greeting: false,
    detached: false,
    bound: true,
    arrivedAt: now,
    life: LIFE,
    frozen: { ...ask.terms, merchantId: row.merchantId, currency: "MYR", timezone: "UTC" },
    target: null,
    otherVoids: [],
  });
  return [200, transferAnswer({ transType: ask.transType, posId, deviceId, referenceId }, outcome, key.value, null)];
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

/** Accounts and terminals, handed out with all their secrets: this process serves nobody but the bench. */
async function enrol(count: number, perAccount: number): Promise<Pair[]> {
  const made: Pair[] = [];
  let signingKey = "";
  let accessToken = "";
  for (let index = 0; index < count; index++) {
    const ordinal = terminals.size;
    const posId = `pos-${ordinal - (index % perAccount)}`;
    const merchantId = `shop-${posId}`;
    if (index % perAccount === 0) {
      signingKey = randomKey();
      addAccount.run(posId, merchantId, seal(keys, signingKey, "account-signing-key", posId));
      const iat = Math.floor(Date.now() / 1_000);
      const claims = { sub: posId, sid: posId, use: "access" as const, jti: posId, iat, exp: iat + 900 };
      accessToken = await signToken(keys, claims);
    }
    const pair = { posId, merchantId, signingKey, accessToken, terminalId: `term-${ordinal}`, secret: randomKey() };
    terminals.set(pair.terminalId, new Terminal(pair.secret));
    made.push(pair);
  }
  return made;
}

async function answer(incoming: IncomingMessage): Promise<[status: number, body: object]> {
  if (incoming.url !== "/enrol") return transfer(incoming);
  const { count, perAccount } = JSON.parse(await textOf(incoming)) as { count: number; perAccount: number };
  return [200, await enrol(count, perAccount)];
}

const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
  void answer(incoming).then(([status, body]) => {
    outgoing.writeHead(status, { "Content-Type": "application/json" });
    outgoing.end(JSON.stringify(body));
  });
});
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on("upgrade", (incoming, stream, head) => {
  const terminal = terminals.get(new URL(incoming.url ?? "", "http://localhost").searchParams.get("terminal") ?? "");
  if (terminal === undefined) stream.destroy();
  else sockets.handleUpgrade(incoming, stream, head, (socket) => terminal.connect(socket));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const said: Listening = { event: "listen", socket: "http", port };
  writeSync(CONTROL, `${JSON.stringify(said)}\n`);
});
