import { CLOSE } from "../../../protocol/close-codes.ts";
import {
  SUBPROTOCOL,
  type AckFrame,
  type AskFrame,
  type CancelFrame,
  type ErrorFrame,
  type RequestFrame,
} from "../../../protocol/frames.ts";
import { HELLO_WITHIN, REPLACED_WAIT } from "../../../protocol/limits.ts";
import { sleep, type Backoff, fullJitter, RETRY_SPREAD } from "../backoff.ts";
import { signMessage } from "../signature.ts";
import { GatewayClock, type MachineClocks } from "./clock.ts";
import { Connection, type Ending, type OpenSocket } from "./connection.ts";
import type { TerminalEvent } from "./handler.ts";
import type { BindingMembers } from "../../../protocol/binding.ts";
import type { FrameReading } from "./frames.ts";
import type { SessionProblem, TerminalSession } from "./session.ts";
import { SECOND, HOUR, MINUTE, type EpochMs, type Milliseconds } from "../../../protocol/time/units.ts";

/**
 * If a terminal's monotonic and wall clocks differ by more, it has slept or its clock was set: it gets the time from
 * the gateway.
 */
export const CLOCKS_DISAGREE = 2 * SECOND;

/**
 * A terminal's clock gains or loses up to 0.2 s in this time (50 ppm), and its requests expire ten seconds after they are
 * sent: it takes the gateway's time again at least this often.
 */
const CLOCK_RENEWED_EVERY = HOUR;

/** Minimum between two tries to take the gateway's time, so that a terminal that refuses everything does not hammer. */
const CLOCK_RENEWAL_PAUSE = MINUTE;

const UNBOUND: BindingMembers = { posId: null, merchantId: null, currency: null, timezone: null };

export type WorkFrame = RequestFrame | AskFrame | CancelFrame | AckFrame | ErrorFrame;

export interface LinkOptions {
  /** The gateway's address without a trailing slash. */
  address: string;
  secret: string;
  session: TerminalSession;
  openSocket: OpenSocket;
  clocks: MachineClocks;
  reconnect: Backoff;
  random: () => number;
  /**
   * Returns the members of `hello` besides nonce and signature. It is called after every earlier connection has stopped
   * reading.
   */
  hello: () => Promise<object>;
  onReady: () => Promise<void>;
  /** The next frame waits until it resolves. */
  onWork: (frame: WorkFrame, reading: FrameReading & { kind: "frame" }, connection: Connection) => Promise<void>;
  onEvent: (event: TerminalEvent) => void;
}

/** Keeps a terminal connected, and connects again after every loss. */
export class TerminalLink {
  readonly #options: LinkOptions;
  readonly #stopping = new AbortController();
  #connection: Connection | null = null;
  #ready = false;
  #clock: GatewayClock | null = null;
  #binding: BindingMembers = UNBOUND;
  #keeping: Promise<void> | null = null;
  #renewing: Promise<void> | null = null;
  /** When the clock is due for renewal, by the monotonic clock. */
  #renewalDue = 0;
  /** Before this, it is not tried again. */
  #renewalAllowed = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get binding(): BindingMembers {
    return this.#binding;
  }

  /** The gateway has confirmed this connection as the current one. */
  get ready(): boolean {
    return this.#ready;
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Returns the time by the gateway's clock; before the first connection, by the machine's. */
  now(): EpochMs {
    return this.#clock?.now() ?? this.#options.clocks.wall();
  }

  /** May be called once. */
  start(): void {
    this.#keeping = this.#keepConnected();
  }

  /** Stops for good. Resolves when nothing more is read. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connection?.close(1000, "");
    await this.#keeping;
  }

  send(frame: object): void {
    if (this.#ready) this.#connection?.send(frame);
  }

  async #keepConnected(): Promise<void> {
    const { onEvent, random, reconnect } = this.#options;
    let tries = 0;
    while (!this.stopped.aborted) {
      const wasReady = await this.#connectOnce();
      tries = wasReady.ready ? 0 : tries + 1;
      const wait = reconnectWait(tries, wasReady.atLeast, reconnect, random);
      if (this.stopped.aborted) return;
      onEvent({ kind: "disconnected", code: wasReady.code, reason: wasReady.reason, reconnectInMs: Math.round(wait) });
      await sleep(wait, this.stopped);
    }
  }

  /** From login to the end. `atLeast`: the minimum wait before the next connection. */
  async #connectOnce(): Promise<Ending & { ready: boolean; atLeast: Milliseconds }> {
    const { session, openSocket, address, onEvent } = this.#options;
    const token = await session.token();
    if (!token.ok) return this.#loginFailed(token.error);
    let connection: Connection;
    try {
      const socket = await openSocket(`${address.replace(/^http/, "ws")}/terminal/connect`, [SUBPROTOCOL, token.value]);
      connection = new Connection(socket, (reading, from) => this.#read(reading, from));
    } catch {
      session.dropToken();
      return { code: 1006, reason: "could not be opened", ready: false, atLeast: 0 };
    }
    this.#connection = connection;
    if (this.stopped.aborted) connection.close(1000, "");
    const patience = setTimeout(() => {
      if (!this.#ready) connection.close(3001, "no welcome or ready in time");
    }, 2 * HELLO_WITHIN);
    const ending = await connection.ended;
    clearTimeout(patience);
    const ready = this.#ready;
    this.#ready = false;
    // Does not reuse a token that did not lead to a ready connection: the secret may have changed.
    if (!ready) session.dropToken();
    // Two devices with one identity, or the gateway has lost this connection.
    const isReplaced = ending.code === CLOSE.superseded;
    if (isReplaced) onEvent({ kind: "replaced" });
    return { ...ending, ready, atLeast: isReplaced ? REPLACED_WAIT : 0 };
  }

  #loginFailed(problem: SessionProblem): Ending & { ready: boolean; atLeast: Milliseconds } {
    this.#options.onEvent({ kind: "login-failed", problem });
    const ending = { code: 1006, reason: "login failed", ready: false };
    switch (problem.kind) {
      case "unreachable":
        return { ...ending, atLeast: 0 };
      case "rate-limited":
        return { ...ending, atLeast: askedWait(problem.retryAfterSeconds * 1_000, this.#options.random) };
      case "login-refused":
      case "rejected":
        // Only a person can fix this, at the terminal or at the operator. Frequent retries do not help.
        return { ...ending, atLeast: this.#options.reconnect.longest };
      default:
        return problem satisfies never;
    }
  }

  async #read(reading: FrameReading, connection: Connection): Promise<void> {
    const { onEvent, onReady, onWork } = this.#options;
    if (reading.kind === "bad") {
      onEvent({ kind: "bad-frame", why: reading.why });
      return;
    }
    const { frame } = reading;
    switch (frame.type) {
      case "welcome":
        this.#setClock(frame.serverTime);
        this.#bind(frame);
        connection.keepHeartbeat(frame.heartbeatSeconds, () => this.#checkClocks(connection));
        await this.#sayHello(frame.nonce, connection);
        return;
      case "ready":
        this.#ready = true;
        onEvent({ kind: "connected", binding: this.#binding });
        await onReady();
        return;
      case "binding":
        this.#bind(frame);
        onEvent({ kind: "binding", binding: this.#binding });
        return;
      case "request":
      case "ask":
      case "cancel":
      case "ack":
      case "error":
        await onWork(frame, reading, connection);
        return;
      default:
        return frame satisfies never;
    }
  }

  #bind({ posId, merchantId, currency, timezone }: BindingMembers): void {
    this.#binding = { posId, merchantId, currency, timezone };
  }

  async #sayHello(nonce: string, connection: Connection): Promise<void> {
    const hello = { type: "hello", nonce, ...(await this.#options.hello()) };
    connection.send(await signMessage(hello, this.#options.secret));
  }

  /** If the machine slept or its clock was set, only a new `serverTime` has the right time. */
  #checkClocks(connection: Connection): void {
    if ((this.#clock?.disagreement() ?? 0) > CLOCKS_DISAGREE) connection.close(3002, "the clock was set");
    else if (this.#options.clocks.monotonic() >= this.#renewalDue) void this.renewClock();
  }

  /** Right after `serverTime` was read. Terminals that connected together do not ask for the time together. */
  #setClock(serverTime: number): void {
    const { clocks, random } = this.#options;
    this.#clock = new GatewayClock(serverTime, clocks);
    this.#renewalDue = clocks.monotonic() + CLOCK_RENEWED_EVERY * (0.75 + 0.2 * random());
  }

  /**
   * Takes the gateway's time again without another connection: every clock drifts, and one that is ten seconds ahead
   * refuses every request as expired. At most once a minute. A failure changes nothing, and is tried again.
   */
  renewClock(): Promise<void> {
    const now = this.#options.clocks.monotonic();
    if (now < this.#renewalAllowed) return this.#renewing ?? Promise.resolve();
    this.#renewalAllowed = now + CLOCK_RENEWAL_PAUSE;
    this.#renewing ??= this.#renewClockOnce().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #renewClockOnce(): Promise<void> {
    const { clocks, session } = this.#options;
    const asked = clocks.monotonic();
    const time = await session.time();
    // The answer may have been on its way for all of this time; the gateway allows for a clock that is ten seconds behind.
    if (time.ok && clocks.monotonic() - asked < HELLO_WITHIN) this.#setClock(time.value);
  }
}

/**
 * @param failed tries in a row that led to no ready connection; 0 after the loss of a ready one
 * @param random from 0 to 1
 */
export function reconnectWait(
  failed: number,
  atLeast: Milliseconds,
  backoff: Backoff,
  random: () => number,
): Milliseconds {
  return Math.max(fullJitter(Math.max(0, failed - 1), backoff, random), atLeast);
}

/**
 * The wait that the gateway asked for, plus a random share. Terminals sent away together, as after an
 * outage, must not return together.
 *
 * @param random from 0 to 1
 */
export function askedWait(asked: Milliseconds, random: () => number): Milliseconds {
  return asked * (1 + RETRY_SPREAD * random());
}
