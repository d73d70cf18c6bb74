/**
 * The gateway as it is: HTTP and WebSocket at the front door, the object in workerd, its alarm, its hibernation, its
 * death. Only the clock is the model's. A call returns when what it set off has come to rest.
 */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import { terminalStub } from "../../src/gateway/terminal/rpc.ts";
import { deliver } from "../../src/gateway/http/pos/transfer/deliver.ts";
import { BASE_URL, loginTerminal, operator, uniqueAddress, type EnrolledTerminal } from "../support/gateway.ts";
import { Pos } from "../support/pos.ts";
import { AT_ONCE } from "../support/scene.ts";
import { Violation } from "./oracle.ts";
import { MERCHANT, objectCall } from "./questions.ts";
import type { Shop } from "./shop.ts";
import type { Answer, Call, Message, Output, UpFrame } from "./vocabulary.ts";
import { readAnswer, readFrame, sendAs, textOf } from "./wire.ts";

/** How many checks for rest precede giving a call up, and the pause between two checks, in real milliseconds. */
const LOOKS = 2_000;
const PAUSE = 1;

/** A terminal's token is used again for so long. */
const LOGIN_LASTS = 2 * 60_000;

export class ObjectGateway {
  readonly #shop: Shop;
  readonly #terminal: EnrolledTerminal;
  readonly #frontDoor: boolean;
  readonly #sockets = new Map<number, WebSocket>();
  /** Requests that have no answer yet. */
  readonly #asking = new Map<number, AbortController>();
  #login: { token: string; at: number } | null = null;
  #alarmAt: number | null = null;
  #outputs: Output[] = [];
  #failure: Error | null = null;

  /**
   * @param number that of a terminal of the shop that nobody has used
   * @param frontDoor whether everything comes over HTTP; else POS programs and devices speak with the object as the Worker does,
   *   without the D1 that takes most of the time
   */
  constructor(shop: Shop, number: number, frontDoor: boolean) {
    const terminal = shop.terminals[number];
    if (terminal === undefined) throw new Error(`the shop has no terminal ${number}`);
    this.#shop = shop;
    this.#terminal = terminal;
    this.#frontDoor = frontDoor;
  }

  get terminalId(): string {
    return this.#terminal.terminalId;
  }

  /** Carries one call out; returns what the gateway says to it, and when it wants to be woken. */
  async perform(call: Call): Promise<{ outputs: Output[]; alarmAt: number | null }> {
    await this.#call(call);
    const setsNothingOff = call.kind === "time" || (call.kind === "ask" && call.together);
    if (!setsNothingOff) this.#alarmAt = await this.#rest();
    if (this.#failure !== null) throw this.#failure;
    return { outputs: this.#outputs.splice(0), alarmAt: this.#alarmAt };
  }

  /** The lowest number of a transaction; 0 if there is none. */
  async firstNumber(): Promise<number> {
    return runInDurableObject(this.#stub, (_instance, { storage }) => {
      const row = storage.sql.exec<{ first: number | null }>("SELECT MIN(request_id) AS first FROM transactions").one();
      return row.first ?? 0;
    });
  }

  /** Leaves nothing that could wake the object, or keep it busy, in the next history. */
  async close(): Promise<void> {
    for (const controller of this.#asking.values()) controller.abort();
    for (const socket of this.#sockets.values()) closeQuietly(socket);
    await runInDurableObject(this.#stub, (_instance, { storage }) => storage.deleteAlarm());
  }

  get #stub() {
    return env.TERMINAL.getByName(this.#terminal.terminalId);
  }

  async #call(call: Call): Promise<void> {
    switch (call.kind) {
      case "ask":
        return this.#ask(call);
      case "hang-up":
        return this.#asking.get(call.ask)?.abort();
      case "open":
        return this.#open(call.connection);
      case "end": {
        const socket = this.#sockets.get(call.connection);
        return socket === undefined ? undefined : closeQuietly(socket);
      }
      case "frame":
        return this.#send(call.connection, call.frame);
      case "time":
        return void vi.setSystemTime(call.now);
      case "alarm":
        if (await this.#alarmIsDue()) await runDurableObjectAlarm(this.#stub);
        return;
      case "prepare":
        return terminalStub(env, this.#terminal.terminalId).prewarm(this.#posIdOf(call.pos));
      case "crash":
        return abortAllDurableObjects();
      case "hibernate":
        return evictDurableObject(this.#stub);
      case "resolve":
        return this.#resolve(call.requestId, call.statusCode);
      case "suspend":
        return this.#suspend();
      case "rebind": {
        const { kind } = await this.#stub.bind({ ...MERCHANT, posId: this.#posIdOf(call.pos) }, "move");
        return void this.#outputs.push({ kind: "rebound", pos: call.pos, done: kind === "bound" });
      }
      case "give-up":
      case "resubmit":
        throw new Error(`${call.kind} is no call of this gateway`);
    }
  }

  async #resolve(requestId: number, statusCode: "00" | "11"): Promise<void> {
    const path = `/operator/terminals/${this.#terminal.terminalId}/transactions/${requestId}/resolve`;
    const { status } = await operator("POST", path, { statusCode, reason: "the operator knows" });
    if (status !== 200 && status !== 409) throw new Error(`resolving is answered ${status}`);
    this.#outputs.push({ kind: "resolved", requestId, done: status === 200 });
  }

  /** A late alarm is one that is not set any earlier; an alarm that was not set has nothing to do. */
  #alarmIsDue(): Promise<boolean> {
    return runInDurableObject(
      this.#stub,
      async (_instance, { storage }) => ((await storage.getAlarm()) ?? Infinity) <= Date.now(),
    );
  }

  /**
   * The terminal gets a suspension that the account's object does not have: sales continue under the same terms.
   */
  async #suspend(): Promise<void> {
    const { posId } = this.#shop.account;
    const version = await runInDurableObject(this.#stub, (_instance, { storage }) =>
      Number(
        storage.sql.exec("SELECT json_extract(record, '$.termsVersion') AS version FROM terminal").one()["version"],
      ),
    );
    await this.#stub.applyAccountUpdate(posId, {
      kind: "terms",
      terms: { ...MERCHANT, posId, version },
      status: "suspended",
    });
  }

  /**
   * Waits until every asker either has its answer or waits at the object, and nothing is on its way any more; returns
   * when the object wants to be woken.
   */
  async #rest(): Promise<number | null> {
    for (let looks = 0; looks < LOOKS; looks++) {
      const before = this.#outputs.length;
      const { alarmAt, waiting } = await runInDurableObject(this.#stub, async (_instance, context) => ({
        alarmAt: await context.storage.getAlarm(),
        waiting: context.getWebSockets().filter((socket) => isWaiter(context, socket)).length,
      }));
      if (this.#failure !== null) return alarmAt;
      if (this.#outputs.length === before && this.#asking.size === waiting) return alarmAt;
      if (looks > 3) await scheduler.wait(PAUSE);
    }
    throw new Violation("I3", `${this.#asking.size} askers neither wait nor have an answer`);
  }

  // The POS programs.

  #ask({ ask, message, detached, arrivedAt }: Extract<Call, { kind: "ask" }>): void {
    const controller = new AbortController();
    this.#asking.set(ask, controller);
    const answered = async (): Promise<void> => {
      try {
        const answer = await (this.#frontDoor
          ? this.#askOverHttp(message, detached, controller.signal)
          : this.#askObject(message, detached, arrivedAt, controller.signal));
        if (!controller.signal.aborted) this.#outputs.push({ kind: "answer", ask, answer });
      } catch (error) {
        if (!controller.signal.aborted) this.#failure ??= error as Error;
      } finally {
        this.#asking.delete(ask);
      }
    };
    void answered();
  }

  async #askOverHttp(message: Message, detached: boolean, signal: AbortSignal): Promise<Answer> {
    const pos = new Pos(this.#shop.account, this.#terminal, await this.#shop.token());
    return readAnswer(message, await sendAs(pos, message, { signal, ...(detached ? AT_ONCE : {}) }));
  }

  /** The Worker's own way to the object, and its waiting there. */
  async #askObject(message: Message, detached: boolean, arrivedAt: number, signal: AbortSignal): Promise<Answer> {
    const delivery = await deliver({
      stub: () => terminalStub(env, this.#terminal.terminalId),
      call: objectCall(message, this.#posIdOf(message.pos), detached, arrivedAt),
      until: Date.now() + 60 * 60_000,
      ownWait: detached ? 0 : null,
      signal,
      traceId: "trace-1",
    });
    if (delivery.kind === "refused") return { kind: "refused", code: delivery.code };
    if (delivery.kind === "open") throw new Violation("I3", `${JSON.stringify(message)} is not carried to the object`);
    const { about, outcome } = delivery;
    return {
      kind: "status",
      statusCode: outcome.statusCode,
      responseCode: outcome.responseCode,
      posId: message.pos,
      referenceId: about.referenceId,
      requestId: about.requestId,
      frozen: outcome.statusCode === "22" ? "" : JSON.stringify(outcome),
    };
  }

  /** The model's accounts are P, the shop's own, and Q, which is only known to the object. */
  #posIdOf(pos: string): string {
    return pos === "P" ? this.#shop.account.posId : `${this.#shop.account.posId}-${pos}`;
  }

  #posOf(posId: unknown): string | null {
    if (typeof posId !== "string") return null;
    return posId === this.#shop.account.posId ? "P" : posId.slice(this.#shop.account.posId.length + 1);
  }

  // The devices.

  async #open(connection: number): Promise<void> {
    const response = await (this.#frontDoor ? this.#connectOverHttp() : this.#connectToObject());
    const socket = response.webSocket;
    if (socket === null) throw new Error(`connect is answered ${response.status}`);
    this.#sockets.set(connection, socket);
    socket.addEventListener("message", ({ data }) => {
      this.#outputs.push({ kind: "frame", connection, frame: readFrame(String(data), (posId) => this.#posOf(posId)) });
    });
    socket.addEventListener("close", ({ code }) => {
      this.#outputs.push({ kind: "frame", connection, frame: { type: "close", code } });
    });
    socket.accept();
  }

  async #connectOverHttp(): Promise<Response> {
    const token = await this.#terminalToken();
    const headers = { Upgrade: "websocket", Authorization: `Bearer ${token}`, "CF-Connecting-IP": uniqueAddress() };
    return exports.default.fetch(new Request(`${BASE_URL}/terminal/connect`, { headers }));
  }

  #connectToObject(): Promise<Response> {
    // The secret of a terminal that was just enrolled is its first.
    const headers = { Upgrade: "websocket", "X-Secret-Version": "1" };
    return this.#stub.fetch("https://terminal.internal/connect", { headers });
  }

  async #terminalToken(): Promise<string> {
    if (this.#login === null || Date.now() - this.#login.at > LOGIN_LASTS) {
      this.#login = { token: await loginTerminal(this.#terminal), at: Date.now() };
    }
    return this.#login.token;
  }

  #send(connection: number, frame: UpFrame): void {
    const socket = this.#sockets.get(connection);
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) return;
    socket.send(textOf(frame, this.#terminal.secret));
  }
}

function isWaiter(context: DurableObjectState, socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN && context.getTags(socket).some((tag) => tag.startsWith("request:"));
}

function closeQuietly(socket: WebSocket): void {
  try {
    socket.close(1000);
  } catch {
    // It is closed already.
  }
}
