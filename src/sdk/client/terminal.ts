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
import type { Backoff } from "./backoff.ts";
import {
  ADDRESS,
  gatewayAddress,
  callBack,
  checkOptions,
  func,
  objectWith,
  optionalOption,
  SIGNAL,
  textOption,
  type Checks,
} from "./check-options.ts";
import { platformFetch, type Fetch } from "./deadline.ts";
import { MACHINE_CLOCKS, type MachineClocks } from "./terminal/clock.ts";
import { afterRestart, openRequests } from "./terminal/duties.ts";
import type { TerminalEvent, TerminalHandler } from "./terminal/handler.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import type { BindingMembers } from "../../protocol/binding.ts";
import type { TransactionRequest } from "../../protocol/frames.ts";
import type { TerminalResult } from "./terminal/frames.ts";
import { TerminalLink } from "./terminal/link.ts";
import { DurableMemory, type TerminalStore } from "./terminal/memory.ts";
import { RESULT_MEMBERS, usableResult } from "./terminal/result.ts";
import { TerminalSession, type SessionProblem, type SessionResult } from "./terminal/session.ts";
import { openPlatformSocket, type OpenSocket } from "./terminal/connection.ts";
import { Work } from "./terminal/work.ts";
import { MINUTE, SECOND } from "../../protocol/time/units.ts";

/** A terminal reconnects within `first` after one loss, and within `longest` after many in a row. */
export const TERMINAL_RECONNECT = { first: 10 * SECOND, longest: MINUTE };

export type { BindingMembers as Binding } from "../../protocol/binding.ts";
export type { ProgressStage as Stage, TransactionRequest } from "../../protocol/frames.ts";
export type { StatusCode } from "../../protocol/status-codes.ts";
export type { TerminalResult } from "./terminal/frames.ts";
export type { TransactionType } from "../../protocol/transfer-types.ts";
export type { RecoverReason, TerminalEvent, TerminalHandler } from "./terminal/handler.ts";
export { MemoryStore, type HeldRequest, type TerminalMemory, type TerminalStore } from "./terminal/memory.ts";
export { StoppedError, type RequestControls, type StopReason } from "./terminal/run.ts";
export {
  activateTerminal,
  type ActivationOptions,
  type SessionProblem,
  type SessionResult,
} from "./terminal/session.ts";
export type { OpenSocket, SocketEvent, TerminalSocket } from "./terminal/connection.ts";

export interface TerminalClientOptions {
  /** https, or http on this machine. */
  baseUrl: string;
  terminalId: string;
  /** Shown once at enrolment. It signs, and is never sent. */
  secret: string;
  /** At most 40 characters. */
  softwareVersion: string;
  /** The serial number, at most 40 characters. */
  terminalSn: string;
  /** Must survive a restart: `FileStore` for Node, `IndexedDbStore` for browsers. */
  store: TerminalStore;
  handler: TerminalHandler;
  /** An error that it throws is logged, and does not stop the terminal. */
  onEvent?: ((event: TerminalEvent) => void) | undefined;
  openSocket?: OpenSocket | undefined;
  fetch?: Fetch | undefined;
  clocks?: MachineClocks | undefined;
  random?: (() => number) | undefined;
  /** Waits between connections. The default spreads a fleet that lost its gateway over ten seconds. */
  reconnect?: Backoff | undefined;
}

const OPTIONS: Checks<TerminalClientOptions> = {
  baseUrl: ADDRESS,
  terminalId: textOption("the id that the terminal is enrolled with"),
  secret: textOption("the terminal's secret, shown at its enrolment"),
  softwareVersion: textOption("the version of the terminal's software", RESULT_LENGTHS.softwareVersion),
  terminalSn: textOption("the terminal's serial number", RESULT_LENGTHS.terminalSn),
  store: objectWith(["load", "save"], "a FileStore, an IndexedDbStore, or your own store"),
  handler: objectWith(["onRequest"], "an object whose onRequest() processes a request"),
  onEvent: optionalOption(func("a function that gets events, or omit it")),
  openSocket: (value) => {
    if (value !== undefined) return func("a function that opens a WebSocket, or omit it")(value);
    if (typeof WebSocket === "function") return null;
    return (
      "is missing, and this runtime has no WebSocket (Node has one from version 22). Install the package ws, and pass " +
      "openSocket: (url, protocols) => new WebSocket(url, protocols)."
    );
  },
  fetch: optionalOption(func("a function like fetch, or omit it")),
  clocks: optionalOption(objectWith(["wall", "monotonic"], "both clocks, or omit it")),
  random: optionalOption(func("a function like Math.random, or omit it")),
  reconnect: optionalOption((value) =>
    typeof value === "object" && value !== null && "first" in value && "longest" in value
      ? null
      : "has no first and longest. Pass both in milliseconds, or omit it.",
  ),
};

interface Running {
  link: TerminalLink;
  work: Work;
}

export class TerminalClient {
  readonly #options: TerminalClientOptions;
  readonly #address: string;
  readonly #session: TerminalSession;
  readonly #clocks: MachineClocks;
  #starting: Promise<Running> | null = null;
  #running: Running | null = null;
  readonly #waiting = new Set<Waiting>();

  /** Throws a TypeError that lists every missing or invalid option. */
  constructor(options: TerminalClientOptions) {
    checkOptions("TerminalClient", options, OPTIONS);
    this.#options = options;
    this.#address = gatewayAddress(options.baseUrl);
    this.#clocks = options.clocks ?? MACHINE_CLOCKS;
    this.#session = new TerminalSession(
      { address: this.#address, terminalId: options.terminalId, secret: options.secret },
      options.fetch ?? platformFetch,
      this.#clocks,
    );
  }

  /**
   * Opens the memory, completes requests that a restart interrupted, and stays connected from now on.
   *
   * @throws Error before it connects, if the store cannot be used, or belongs to another terminal or gateway
   */
  async start(): Promise<void> {
    this.#starting ??= this.#startOnce();
    await this.#starting;
  }

  /**
   * Resolves when the gateway has confirmed the connection. Rejects if `start` was not called, `signal` is aborted, the
   * client is stopped, or the gateway refuses the login; after a refusal the client keeps trying.
   */
  async connected(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions("connected", options, { signal: optionalOption(SIGNAL) });
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#starting === null) throw new Error("The terminal is not started. Call start() first.");
    if (this.#running?.link.stopped.aborted === true) throw new Error(STOPPED);
    if (this.#running?.link.ready === true) return;
    const { promise, waiting } = waitingFor();
    const abort = (): void => waiting.reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    this.#waiting.add(waiting);
    try {
      await promise;
    } finally {
      this.#waiting.delete(waiting);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** All null before the gateway has sent one. */
  get binding(): BindingMembers {
    return this.#running?.link.binding ?? { posId: null, merchantId: null, currency: null, timezone: null };
  }

  /** With the key that an account's POS shows: eight characters in any case, with or without dashes. */
  async bind(key: string): Promise<SessionResult<{ posId: string; merchantId: string }>> {
    return this.#session.bind(key);
  }

  /** Reports the outcome of a request that ended as 22. */
  async report(requestId: string, result: TerminalResult): Promise<void> {
    checkOptions("report", result, RESULT_MEMBERS);
    await this.#running?.work.conclude(requestId, usableResult(result).result);
  }

  /**
   * Ends the connection and every request that has not reached the host, and waits for the handlers of the others: a
   * second client on the same store must not begin while one of them can still charge. Resolves when another client may
   * use the store.
   */
  async stop(): Promise<void> {
    if (this.#starting === null) return;
    const { link, work } = await this.#starting;
    for (const { reject } of this.#waiting) reject(new Error(STOPPED));
    await link.stop();
    await work.stop();
  }

  async #startOnce(): Promise<Running> {
    const { secret, softwareVersion, terminalSn, handler } = this.#options;
    const onEvent = (event: TerminalEvent): void => this.#tell(event);
    const random = this.#options.random ?? Math.random;
    const { memory, unclear } = await this.#openMemory();
    const link: TerminalLink = new TerminalLink({
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
      onReady: () => work.sendUnacknowledged(),
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

  async #openMemory(): Promise<{ memory: DurableMemory; unclear: TransactionRequest[] }> {
    const { store, terminalId } = this.#options;
    try {
      const memory = await DurableMemory.open(store, { terminalId, gateway: this.#address });
      const { unclear } = await memory.change(afterRestart);
      return { memory, unclear };
    } catch (error) {
      // A client that does not start must not keep the store from the next one.
      await store.close?.().catch(() => undefined);
      throw error;
    }
  }

  #tell(event: TerminalEvent): void {
    const refused = event.kind === "login-failed" ? toRefusalError(event.problem) : null;
    for (const { resolve, reject } of this.#waiting) {
      if (event.kind === "connected") resolve();
      else if (refused !== null) reject(refused);
    }
    void callBack("onEvent", () => this.#options.onEvent?.(event));
  }
}

const STOPPED = "The terminal was stopped.";

interface Waiting {
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Node 20 has no Promise.withResolvers. */
function waitingFor(): { promise: Promise<void>; waiting: Waiting } {
  let waiting!: Waiting;
  const promise = new Promise<void>((resolve, reject) => (waiting = { resolve, reject }));
  return { promise, waiting };
}

/** Null for a problem that may pass by itself: a clock that is off, a gateway that is down. */
function toRefusalError(problem: SessionProblem): Error | null {
  if (problem.kind !== "login-refused") return null;
  return new Error("terminalId or secret is wrong: the gateway refused the login.", { cause: problem });
}
