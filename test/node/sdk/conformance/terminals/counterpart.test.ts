/** The gateway as the kit for terminals plays it: what it answers to each call and frame, and what it notes. */
import { once } from "node:events";
import { afterEach, beforeEach, describe, it } from "vitest";
import { WebSocket } from "ws";
import { ACCOUNT, Counterpart, UNBOUND } from "../../../../../src/sdk/conformance/terminal/counterpart.ts";
import { now } from "../../../../../src/sdk/conformance/times.ts";
import { SUBPROTOCOL } from "../../../../../src/protocol/frames.ts";
import { TERMINAL_TOKEN_LIFE } from "../../../../../src/protocol/limits.ts";
import { withSignature } from "../../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../../src/protocol/time/datetime.ts";
import { patiently } from "../../../../support/patience.ts";

const SECRET = "a secret of the kit's test";
const MINUTE = 60_000;

let counterpart: Counterpart;
let url: string;
const sockets: WebSocket[] = [];

beforeEach(async () => {
  counterpart = new Counterpart({ url: new URL("http://127.0.0.1:0"), tls: null }, SECRET, "TESTKEYS");
  url = await counterpart.open();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await counterpart.close();
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

async function called(method: string, path: string, body?: object, token?: string): Promise<Answer> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const signedAt = (offset: number, members: object) =>
  withSignature({ ...members, datetime: formatDatetime(now() + offset) }, SECRET);

const login = (offset = 0, more: object = {}) =>
  called("POST", "/terminal/login", { ...signedAt(offset, { terminalId: "T-1" }), ...more });
const bind = (key: string, token?: string) => called("POST", "/terminal/bind", signedAt(0, { key }), token);

async function newToken(): Promise<string> {
  return String((await login()).body["token"]);
}

/** A connection as a terminal sees it. */
class Peer {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    sockets.push(socket);
    socket.on("message", (data: Buffer) => {
      this.texts.push(data.toString("utf8"));
      this.#wake();
    });
  }

  say(frame: object | string): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  async next(): Promise<Record<string, unknown> | string> {
    while (this.texts.length === 0) {
      await patiently(new Promise<void>((resolve) => (this.#wake = resolve)), () => "a text of the kit");
    }
    const text = this.texts.shift() ?? "";
    return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : text;
  }
}

async function connect(
  protocols: string[],
  headers: Record<string, string> = {},
  path = "/terminal/connect",
): Promise<Peer | number> {
  const socket = new WebSocket(url.replace(/^http/u, "ws") + path, protocols, { headers });
  const peer = new Peer(socket);
  const refused = new Promise<number>((resolve) => {
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
  });
  return Promise.race([once(socket, "open").then(() => peer), refused]);
}

async function connected(): Promise<Peer> {
  const peer = await connect([SUBPROTOCOL, await newToken()]);
  if (typeof peer === "number") throw new Error(`refused: ${peer}`);
  return peer;
}

/** A connection whose hello the kit has answered. */
async function greeted(): Promise<Peer> {
  const peer = await connected();
  await peer.next();
  peer.say({ type: "hello" });
  await peer.next();
  return peer;
}

describe("a call", () => {
  it.for([
    ["GET", "/terminal/connect", 400, "This path opens a WebSocket. Send Upgrade: websocket."],
    ["POST", "/terminal/other", 404, "This path does not exist."],
    ["GET", "/terminal/login", 405, "Method not allowed. Use POST."],
    ["PUT", "/terminal/bind", 405, "Method not allowed. Use POST."],
  ] as const)("is refused: %s %s with %i", async ([method, path, status, message], { expect }) => {
    const answer = await called(method, path);
    expect([answer.status, answer.body["message"]]).toEqual([status, message]);
    expect([counterpart.logins.items, counterpart.binds.items]).toEqual([[], []]);
  });
});

describe("a login", () => {
  it("is refused once for its time, and then gets a token", async ({ expect }) => {
    for (const offset of [16 * MINUTE, -16 * MINUTE]) {
      counterpart.logins.items.length = 0;
      const late = await login(offset);
      expect(late.status).toBe(400);
      const message = expect.stringMatching(/^datetime is 9[56]\d seconds off\. Send UTC, based on serverTime\.$/u);
      expect(late.body).toMatchObject({ message, details: [{ path: "datetime", message }] });
      expect(Math.abs(Number(late.body["serverTime"]) - now())).toBeLessThan(MINUTE);
      const { status, body } = await login(offset);
      expect([status, Object.keys(body)]).toEqual([200, ["token", "expiresAt", "serverTime"]]);
      expect(Math.abs(Date.parse(String(body["expiresAt"])) - now() - TERMINAL_TOKEN_LIFE)).toBeLessThan(MINUTE);
      expect(counterpart.logins.items.map((one) => one.status)).toEqual([400, 200]);
    }
  });

  it("gets a token whatever else is wrong with it, which is noted", async ({ expect }) => {
    expect((await login(0)).status).toBe(200);
    expect((await login(0, { terminalId: "T-2" })).status).toBe(200);
    const { status } = await called("POST", "/terminal/login?a=b", { datetime: "now" });
    const noted = counterpart.logins.items.map(({ signatureHolds, query }) => [signatureHolds, query]);
    expect([status, noted]).toEqual([
      200,
      [
        [true, ""],
        [false, ""],
        [false, "a=b"],
      ],
    ]);
    const response = await fetch(`${url}/terminal/login`, { method: "POST", body: "[]" });
    expect([response.status, counterpart.logins.items.at(-1)]).toMatchObject([
      200,
      { body: null, signatureHolds: false },
    ]);
  });

  it("is refused during an outage, and once when busy, like connections", async ({ expect }) => {
    const token = await newToken();
    counterpart.failure = 503;
    for (let times = 0; times < 2; times++) {
      expect((await login()).status).toBe(503);
      expect(await connect([SUBPROTOCOL, token])).toBe(503);
    }
    counterpart.failure = 429;
    expect(await connect([SUBPROTOCOL, token])).toBe(503);
    const busy = await login();
    expect([busy.status, busy.headers.get("Retry-After"), busy.body["message"]]).toEqual([
      429,
      "3",
      "Too many requests. Retry after 3 seconds.",
    ]);
    expect((await login()).status).toBe(200);
  });
});

describe("a bind", () => {
  it("needs an issued token and the key, in any form", async ({ expect }) => {
    const token = await newToken();
    const missing = { status: 401, body: { message: "The token is not one issued to this terminal." } };
    expect(await bind("TESTKEYS")).toMatchObject(missing);
    expect(await bind("TESTKEYS", "other")).toMatchObject(missing);
    const message = "The bind key is wrong.";
    expect(await bind("TESTKEYZ", token)).toMatchObject({
      status: 400,
      body: { message, details: [{ path: "key", message }] },
    });
    expect(counterpart.binding).toEqual(UNBOUND);
    const { status, body } = await bind("test-keys", token);
    expect([status, body]).toEqual([200, { posId: ACCOUNT.posId, merchantId: ACCOUNT.merchantId }]);
    expect(counterpart.binding).toEqual(ACCOUNT);
    counterpart.revokeTokens();
    expect((await bind("TESTKEYS", token)).status).toBe(401);
    const noted = counterpart.binds.items.map((one) => [
      one.tokenHolds,
      one.status,
      Math.abs(one.skew ?? Infinity) < MINUTE,
    ]);
    expect(noted).toEqual([
      [false, 401, true],
      [false, 401, true],
      [true, 400, true],
      [true, 200, true],
      [false, 401, true],
    ]);
  });

  it("waits during a connection until allowed, and notifies the terminal", async ({ expect }) => {
    const peer = await greeted();
    let isAnswered = false;
    const binding = bind("TESTKEYS", await newToken()).finally(() => (isAnswered = true));
    await login();
    expect(isAnswered).toBe(false);
    counterpart.letBind();
    expect((await binding).status).toBe(200);
    expect(await peer.next()).toEqual({ type: "binding", ...ACCOUNT });
  });
});

describe("a connection", () => {
  it("is opened with a token in any place, and refused without", async ({ expect }) => {
    const token = await newToken();
    const opened: unknown[] = [];
    for (const [protocols, headers, path] of [
      [[SUBPROTOCOL, token], {}, "/terminal/connect"],
      [[], { Authorization: `Bearer ${token}` }, "/terminal/connect"],
      [[SUBPROTOCOL], {}, `/terminal/connect?a=b&token=${token}`],
      [["mqtt", SUBPROTOCOL], { Authorization: `Bearer ${token}` }, "/terminal/connect"],
      [["mqtt", token], {}, "/terminal/connect"],
      [[SUBPROTOCOL, "other"], { Authorization: "Bearer other" }, "/terminal/connect?token=other"],
      [[SUBPROTOCOL, token], {}, "/terminal/other"],
    ] as [string[], Record<string, string>, string][]) {
      const peer = await connect(protocols, headers, path);
      opened.push(typeof peer === "number" ? peer : peer.socket.protocol);
    }
    expect(opened).toEqual([SUBPROTOCOL, "", SUBPROTOCOL, SUBPROTOCOL, 401, 401, 404]);
    expect(counterpart.connects.items.map((one) => [one.token, one.protocols.length, one.query !== ""])).toEqual([
      ["protocol", 2, false],
      ["authorization", 1, false],
      ["url", 1, true],
      ["authorization", 2, false],
      ["nowhere", 2, false],
      ["nowhere", 2, true],
    ]);
  });

  it("is greeted, usable from its hello to its end, and counted", async ({ expect }) => {
    for (const [number, seconds] of [
      [1, 2],
      [2, 7],
    ] as const) {
      if (number === 2) counterpart.heartbeatSeconds = seconds;
      const peer = await connected();
      const { nonce, serverTime, ...welcome } = (await peer.next()) as Record<string, unknown>;
      expect(welcome).toEqual({ type: "welcome", terminalId: "T-1", ...UNBOUND, heartbeatSeconds: seconds });
      expect(Math.abs(Number(serverTime) - now())).toBeLessThan(MINUTE);
      expect(counterpart.line).toBeNull();
      peer.say("ping");
      expect(await peer.next()).toBe("pong");
      peer.say({ type: "hello", nonce: "n" });
      expect(await peer.next()).toEqual({ type: "ready" });
      const { line } = counterpart;
      expect([line?.number, line?.nonce, line?.hello?.frame]).toEqual([number, nonce, { type: "hello", nonce: "n" }]);
      peer.socket.close(4000);
      await once(peer.socket, "close");
      expect([line?.ended?.code, counterpart.line]).toEqual([4000, null]);
    }
  });

  it("is greeted by the name of the last login that had one", async ({ expect }) => {
    for (const [terminalId, named] of [
      [undefined, ""],
      ["T-1", "T-1"],
      [undefined, "T-1"],
      ["T-2", "T-2"],
    ]) {
      const { body } = await called("POST", "/terminal/login", { terminalId });
      const peer = await connect([SUBPROTOCOL, String(body["token"])]);
      if (typeof peer === "number") throw new Error(`refused: ${peer}`);
      expect(await peer.next()).toMatchObject({ type: "welcome", terminalId: named });
    }
  });

  it("has every text recorded, old requests ended, and unknown ones refused", async ({ expect }) => {
    const peer = await connected();
    await peer.next();
    counterpart.known.add("1");
    peer.say({ type: "hello", open: ["1", "2", 3] });
    expect(await peer.next()).toEqual({ type: "ready" });
    expect(await peer.next()).toEqual({ type: "cancel", requestId: "2", attempt: 1 });
    expect(await peer.next()).toEqual({ type: "cancel", requestId: "3", attempt: 1 });
    peer.say({ type: "hello", open: ["4"] });
    peer.say({ type: "result", requestId: "1", statusCode: "00" });
    peer.say({ type: "accepted", requestId: "2" });
    peer.say({ type: "result", requestId: "2", statusCode: "22" });
    expect(await peer.next()).toEqual({ type: "ack", requestId: "2", statusCode: "22" });
    peer.say({ type: "result", requestId: "2", statusCode: "11" });
    const message = "This request was not sent in this run.";
    expect(await peer.next()).toEqual({ type: "error", code: "unknown_request", message, requestId: "2" });
    const { line } = counterpart;
    if (line === null) throw new Error("there is no line");
    line.answersPings = false;
    for (const said of ["ping", "pong", "{", "[]"]) peer.say(said);
    peer.socket.send(Buffer.from("ping"));
    line.answersPings = false;
    peer.say({ type: "result", requestId: "3", statusCode: "22" });
    expect(await peer.next()).toMatchObject({ type: "ack", requestId: "3" });
    const texts = counterpart.heard.items
      .slice(-6)
      .map(({ text, frame, connection }) => [text.slice(0, 6), frame !== null, connection]);
    expect(texts).toEqual([
      ["ping", false, 1],
      ["pong", false, 1],
      ["{", false, 1],
      ["[]", false, 1],
      ["", false, 1],
      ['{"type', true, 1],
    ]);
    line.cut();
    await once(peer.socket, "close");
    expect([line.ended?.code, line.usable]).toEqual([1006, false]);
  });

  it("is recorded until the kit has ended it", async ({ expect }) => {
    const peer = await greeted();
    const { line } = counterpart;
    line?.end(4004);
    peer.say("ping");
    peer.socket.close(4000);
    await once(peer.socket, "close");
    expect([line?.ended?.code, peer.texts, counterpart.heard.items.length]).toEqual([4004, [], 1]);
  });

  it("is closed with a reason", async ({ expect }) => {
    const peer = await greeted();
    const { line } = counterpart;
    const closed = once(peer.socket, "close");
    line?.close(4001, "another one");
    const [code, reason] = (await closed) as [number, Buffer];
    expect([code, reason.toString(), line?.ended?.code, line?.usable]).toEqual([4001, "another one", 4001, false]);
  });

  it("gets the account only if usable, and ends with the kit", async ({ expect }) => {
    const peer = await connected();
    await peer.next();
    counterpart.bindTo(ACCOUNT);
    peer.say({ type: "hello" });
    expect(await peer.next()).toEqual({ type: "ready" });
    counterpart.bindTo(UNBOUND);
    expect(await peer.next()).toEqual({ type: "binding", ...UNBOUND });
    const closed = once(peer.socket, "close");
    await counterpart.close();
    expect((await closed)[0]).toBe(1006);
    await expect(login()).rejects.toThrow("fetch failed");
  });
});
