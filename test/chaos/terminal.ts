/** The simulated terminal, whose wire is tapped and tampered with, and from whose power supply somebody pulls the plug. */
import { setTimeout as delay } from "node:timers/promises";
import type { TerminalMemory, TerminalSocket, TransactionRequest } from "../../src/sdk/client/terminal.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { Ledger } from "../../src/sdk/simulator/ledger.ts";
import { CUSTOMER_CANCELLED } from "../../src/sdk/simulator/payments.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import { withCheckDigit } from "../support/luhn.ts";
import type { Door } from "./door.ts";
import { between, type Journal, parsed, streamOf, Turns, type Wire } from "./journal.ts";

/** A payment that stops at its host has at least so many milliseconds until its end. */
const LOST_BEFORE = 3_000;

export class Terminal {
  readonly terminalId: string;
  readonly door: Door;
  /** The truth about money. */
  readonly ledger: Ledger;
  /** Only one thing at a time is done with it. */
  readonly turns = new Turns();
  isConnected = false;
  hasForgotten = false;
  /** The share of frames that are sent twice. */
  doubles = 0;
  /** Survives a power cut. */
  #memory: TerminalMemory | null = null;
  readonly #secret: string;
  readonly #random: Random;
  readonly #journal: Journal;
  readonly #simulated: SimulatedTerminal;
  /** Results are contradicted from now on, until the gateway acknowledges one. */
  #contradicting: (() => void) | null = null;
  /** Takes the next payment for which the host has moved money. */
  #stop: ((request: TransactionRequest) => void) | null = null;

  constructor(terminalId: string, secret: string, door: Door, journal: Journal, random: Random) {
    this.terminalId = terminalId;
    this.door = door;
    this.#secret = secret;
    this.#journal = journal;
    this.#random = random;
    this.ledger = new Ledger([], (entry) => journal.write("money", { terminalId, entry }));
    this.#simulated = new SimulatedTerminal({
      baseUrl: door.url,
      terminalId,
      secret,
      store: { load: async () => this.#memory, save: async (memory) => void (this.#memory = memory) },
      ledger: this.ledger,
      random: random.next,
      openSocket: (url, protocols) => this.#tapped(new WebSocket(url, protocols)),
      fetch: async (request) => {
        const answer = await fetch(request);
        journal.addNeedlesIn(parsed(await answer.clone().text()));
        return answer;
      },
      pace: (_, stage) => {
        // Mostly short, and sometimes a host takes longer than the request lives.
        if (stage === "authorising" && random.chance(0.04)) return between(random, 20_000, 45_000);
        return random.chance(0.8) ? between(random, 20, 600) : between(random, 600, 5_000);
      },
      customer: async (_, signal) => {
        if (random.chance(0.96)) return {};
        // Gone without a word.
        await delay(600_000, undefined, { signal }).catch(() => undefined);
        return CUSTOMER_CANCELLED;
      },
      answered: async (request) => {
        const isMoved = this.ledger.moneyMoved(request.requestId) !== undefined;
        if (this.#stop === null || !isMoved || request.respondBy - Date.now() < LOST_BEFORE) return;
        this.#stop(request);
        await new Promise<never>(() => undefined);
      },
      onStage: ({ requestId }, stage) => {
        if (stage === "present") this.#write("started", { requestId });
      },
      onEvent: ({ kind, ...event }) => {
        if (kind === "connected" || kind === "disconnected") this.isConnected = kind === "connected";
        if (kind === "accepted" || kind === "concluded") this.#write(kind, event);
      },
    });
  }

  /** The requests whose outcome it has still to report. */
  get held(): string[] {
    return (this.#memory?.held ?? []).map(({ request }) => request.requestId);
  }

  async switchOn(): Promise<void> {
    await this.#simulated.switchOn();
  }

  /** Pulls the plug. */
  switchOff(): void {
    this.#simulated.powerCut();
    this.isConnected = false;
    this.#write("dark", {});
  }

  async stop(): Promise<void> {
    await this.#simulated.stop();
  }

  /** While it is off. What it had not reported it never reports; the money stays where it is. */
  forget(): void {
    this.#memory = null;
    this.hasForgotten = true;
  }

  async bind(key: string): Promise<boolean> {
    return (await this.#simulated.bind(key)).ok;
  }

  /** The next payment stays at the host, which has already moved money, until the power is cut. Null if none came. */
  async stopsAtHost(within: number): Promise<TransactionRequest | null> {
    const { promise, resolve } = Promise.withResolvers<TransactionRequest | null>();
    this.#stop = resolve;
    const request = await Promise.race([promise, delay(within, null)]);
    this.#stop = null;
    return request;
  }

  /** Breaks its duties: sends a second, conflicting result. Resolves when the gateway has acknowledged one. */
  async contradicts(): Promise<void> {
    await new Promise<void>((resolve) => (this.#contradicting = resolve));
  }

  #write(event: string, members: object): void {
    this.#journal.write("terminal", { terminalId: this.terminalId, event, ...members });
  }

  /** Journals what passes by, and sends what a terminal must not send. */
  #tapped(socket: WebSocket): TerminalSocket {
    const results = new Map<unknown, Wire>();
    /** The requestIds of results that were sent and are not answered yet. */
    const unanswered: unknown[] = [];
    /** The request of the conflicting result that was sent last, until it is acknowledged. */
    let contradicted: unknown = null;
    let isOver = false;
    const send = (frame: Wire): void => {
      if (frame["type"] === "result") unanswered.push(frame["requestId"]);
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    };

    const received = (frame: Wire): void => {
      const { type, requestId, posId, referenceId, transType, statusCode } = frame;
      if (type === "request") this.#write("received", { requestId, posId, referenceId, transType });
      if (type !== "ack" && type !== "error") return;
      if (unanswered.includes(requestId)) unanswered.splice(unanswered.indexOf(requestId), 1);
      if (type === "error") return;
      if (contradicted === requestId) {
        this.#write("conflict-acknowledged", { requestId, statusCode });
        this.#contradicting?.();
        this.#contradicting = null;
        contradicted = null;
        return;
      }
      this.#write("acknowledged", { requestId, statusCode });
      const first = results.get(requestId);
      // Only where the next acknowledgement can be for nothing else.
      if (this.#contradicting === null || first === undefined || statusCode === "22") return;
      if (unanswered.includes(requestId)) return;
      const second = { ...first, statusCode: statusCode === "00" ? "11" : "00" };
      contradicted = requestId;
      this.#write("conflict", { requestId, statusCode: second.statusCode });
      send(withSignature(second, this.#secret));
    };
    const sending = (frame: Wire): void => {
      if (frame["type"] === "hello") return send(frame);
      const { requestId, statusCode } = frame;
      const sent = frame["type"] === "result" ? this.#carelessly(frame) : frame;
      if (frame["type"] === "result") {
        // Sometimes first its opposite, from somebody who does not know the terminal's secret.
        const opposite = { ...frame, statusCode: statusCode === "00" ? "11" : "00" };
        if (this.#random.chance(0.04)) send(withSignature(opposite, "not this terminal's"));
        results.set(requestId, sent);
        this.#write("reported", { requestId, statusCode });
      }
      send(sent);
      if (this.#random.chance(this.doubles)) send(sent);
    };

    socket.addEventListener("message", ({ data }) => {
      const frame = parsed(String(data));
      if (frame !== null && !isOver) received(frame);
    });
    return {
      get readyState() {
        return socket.readyState;
      },
      send: (text) => {
        const frame = parsed(text);
        if (frame === null) socket.send(text);
        else sending(frame);
      },
      close: (code, reason) => {
        isOver = true;
        socket.close(code, reason);
      },
      addEventListener: (type, listener) => socket.addEventListener(type, listener),
    };
  }

  /** Some terminals send a full card number, against their duty: the gateway must not keep it (I6). */
  #carelessly(result: Wire): Wire {
    const random = streamOf("card", String(result["requestId"]));
    if (result["transData"] === undefined || !random.chance(0.1)) return result;
    const card = madeUpCard(random, this.#journal);
    const transData = { ...(result["transData"] as Wire), cardNo: card, cardHoldersName: `CARD ${card}` };
    return withSignature({ ...result, transData }, this.#secret);
  }
}

/** A card number that no bank has given out: sixteen digits of Visa's range, with a right check digit. A needle. */
export function madeUpCard(random: Random, journal: Journal): string {
  const card = withCheckDigit(`4${Array.from({ length: 14 }, () => random.below(10)).join("")}`);
  journal.addNeedle("card number", card);
  return card;
}
