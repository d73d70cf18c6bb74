/**
 * The client for payment terminals, in any JavaScript runtime. You write a `TerminalHandler`; the client does the rest: login,
 * connection, heartbeat, durable memory, and every duty that the gateway's promises to a POS depend on.
 *
 * ```ts
 * const client = new TerminalClient({ baseUrl, terminalId, secret, softwareVersion, terminalSn, store, handler });
 * await client.start();
 * const bound = await client.bind("7K3M-9QXT");
 * if (!bound.ok) console.error(bound.error);
 * ```
 */
import { TERMINAL_RECONNECT } from "./limits.ts";
import type { Backoff } from "./backoff.ts";
import { addressMistake, gatewayAddress } from "./base-url.ts";
import { methodsMistake, refuseMistakes, textMistake } from "./check-options.ts";
import { platformFetch } from "./fetch.ts";
import type { Fetch } from "./fetch.ts";
import { MACHINE_CLOCKS } from "./terminal/clock.ts";
import type { MachineClocks } from "./terminal/clock.ts";
import { afterRestart, openRequests } from "./terminal/duties.ts";
import type { TerminalEvent } from "./terminal/events.ts";
import { RESULT_LENGTHS } from "../protocol/lengths.ts";
import type { BindingMembers } from "../protocol/binding.ts";
import type { TerminalResult } from "./terminal/frames.ts";
import type { TerminalHandler } from "./terminal/handler.ts";
import { Link } from "./terminal/link.ts";
import { DurableMemory } from "./terminal/memory.ts";
import type { TerminalStore } from "./terminal/memory.ts";
import { usableResult } from "./terminal/result.ts";
import { TerminalSession } from "./terminal/session.ts";
import type { SessionResult } from "./terminal/session.ts";
import { openPlatformSocket } from "./terminal/socket.ts";
import type { OpenSocket } from "./terminal/socket.ts";
import { Work } from "./terminal/work.ts";

export type { TerminalEvent } from "./terminal/events.ts";
export type { BindingMembers as Binding } from "../protocol/binding.ts";
export type { ProgressStage as Stage, TransactionRequest } from "../protocol/frames.ts";
export type { StatusCode } from "../protocol/status-codes.ts";
export type { TerminalResult } from "./terminal/frames.ts";
export type { TransactionType } from "../protocol/transfer-types.ts";
export type { RecoverReason, TerminalHandler } from "./terminal/handler.ts";
export { MemoryStore } from "./terminal/memory.ts";
export type { HeldRequest, TerminalMemory, TerminalStore } from "./terminal/memory.ts";
export { StoppedError } from "./terminal/run.ts";
export type { RequestControls, StopReason } from "./terminal/run.ts";
export type { SessionProblem, SessionResult } from "./terminal/session.ts";
export type { OpenSocket, SocketEvent, TerminalSocket } from "./terminal/socket.ts";

export interface TerminalClientOptions {
  /** The gateway's address: https, or http on this machine. */
  baseUrl: string;
  terminalId: string;
  /** The secret shown once at enrolment. It signs, and is never sent. */
  secret: string;
  /** At most 40 characters. */
  softwareVersion: string;
  /** The serial number, at most 40 characters. */
  terminalSn: string;
  /** Must survive a restart: `FileStore` for Node, `IndexedDbStore` for browsers. */
  store: TerminalStore;
  handler: TerminalHandler;
  onEvent?: (event: TerminalEvent) => void;
  openSocket?: OpenSocket;
  fetch?: Fetch;
  clocks?: MachineClocks;
  random?: () => number;
  /** Waits between connections, milliseconds. The default spreads a fleet that lost its gateway over ten seconds. */
  reconnect?: Backoff;
}

/** One message per mistake in the options; null for each valid option. */
function optionMistakes(options: TerminalClientOptions): (string | null)[] {
  const { baseUrl, terminalId, secret, softwareVersion, terminalSn, store, handler, openSocket } = options;
  return [
    addressMistake(baseUrl),
    textMistake("terminalId", terminalId, "the id that the terminal is enrolled with"),
    textMistake("secret", secret, "the terminal's secret, shown at its enrolment"),
    textMistake(
      "softwareVersion",
      softwareVersion,
      "the version of the terminal's software",
      RESULT_LENGTHS.softwareVersion,
    ),
    textMistake("terminalSn", terminalSn, "the terminal's serial number", RESULT_LENGTHS.terminalSn),
    methodsMistake("store", store, ["load", "save"], "a FileStore, an IndexedDbStore, or your own store"),
    methodsMistake("handler", handler, ["onRequest"], "an object whose onRequest() processes a request"),
    openSocket !== undefined || typeof WebSocket === "function"
      ? null
      : "openSocket is missing, and this runtime has no WebSocket (Node has one from version 22). Install the " +
        "package ws, and pass openSocket: (url, protocols) => new WebSocket(url, protocols).",
  ];
}

interface Running {
  link: Link;
  work: Work;
}

export class TerminalClient {
  readonly #options: TerminalClientOptions;
  readonly #address: string;
  readonly #session: TerminalSession;
  readonly #clocks: MachineClocks;
  #starting: Promise<Running> | null = null;
  #running: Running | null = null;
  #waiting: (() => void)[] = [];

  /** Throws a TypeError that lists every missing or invalid option. */
  constructor(options: TerminalClientOptions) {
    refuseMistakes("TerminalClient", optionMistakes(options));
    this.#options = options;
    this.#address = gatewayAddress(options.baseUrl);
    this.#clocks = options.clocks ?? MACHINE_CLOCKS;
    this.#session = new TerminalSession(
      { address: this.#address, terminalId: options.terminalId, secret: options.secret },
      options.fetch ?? platformFetch,
      () => this.#clocks.wall(),
    );
  }

  /** Opens the memory, completes requests that a restart interrupted, and stays connected from now on. */
  async start(): Promise<void> {
    this.#starting ??= this.#startOnce();
    await this.#starting;
  }

  /** Resolves when the gateway has confirmed the connection. */
  async connected(): Promise<void> {
    if (this.#running?.link.ready !== true) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The last binding from the gateway; all null before that. */
  get binding(): BindingMembers {
    return this.#running?.link.binding ?? { posId: null, merchantId: null, currency: null, timezone: null };
  }

  /** Binds the terminal with a key that an account's POS shows: eight characters in any case, with or without dashes. */
  async bind(key: string): Promise<SessionResult<{ posId: string; merchantId: string }>> {
    return this.#session.bind(key);
  }

  /** Reports the outcome of a request that ended as 22. */
  async report(requestId: string, result: TerminalResult): Promise<void> {
    await this.#running?.work.conclude(requestId, usableResult(result).result);
  }

  /**
   * Ends the connection and every request that has not reached the host. A client on the same store completes the others after
   * its start.
   */
  async stop(): Promise<void> {
    if (this.#starting === null) return;
    const { link, work } = await this.#starting;
    await link.stop();
    await work.stop();
  }

  async #startOnce(): Promise<Running> {
    const { secret, softwareVersion, terminalSn, handler, store } = this.#options;
    const onEvent = (event: TerminalEvent): void => this.#tell(event);
    const random = this.#options.random ?? Math.random;
    const memory = await DurableMemory.open(store);
    const { unclear } = await memory.change(afterRestart);
    const link: Link = new Link({
      address: this.#address,
      secret,
      session: this.#session,
      openSocket: this.#options.openSocket ?? openPlatformSocket,
      clocks: this.#clocks,
      reconnect: this.#options.reconnect ?? TERMINAL_RECONNECT,
      random,
      hello: async () => {
        await memory.saved();
        const open = openRequests(memory.current);
        return { softwareVersion, terminalSn, memory: memory.current.memory, open };
      },
      onReady: () => work.sendOwed(),
      onWork: async (frame, reading, connection) => {
        switch (frame.type) {
          case "request":
            return work.request(frame, reading.json, connection);
          case "ask":
            return work.ask(frame, connection);
          case "cancel":
            return work.cancel(frame, connection);
          case "ack":
            return work.acknowledged(frame);
          case "error":
            return work.error(frame);
          default:
            return frame satisfies never;
        }
      },
      onEvent,
    });
    const work = new Work({ secret, softwareVersion, terminalSn, handler, memory, link, random, onEvent });
    this.#running = { link, work };
    work.clearUpAfterRestart(unclear);
    link.start();
    return this.#running;
  }

  #tell(event: TerminalEvent): void {
    if (event.kind === "connected") for (const resolve of this.#waiting.splice(0)) resolve();
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      // An error in the maker's code is reported, but does not keep the terminal from its duties.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
