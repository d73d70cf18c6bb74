/**
 * The object's sockets. Attachments hold what must survive hibernation, SQL what must survive a restart; sockets do not
 * survive a restart (https://developers.cloudflare.com/durable-objects/best-practices/websockets/).
 *
 * What a turn does to sockets is held back until its rows are written (`turns.ts`), and forgotten when the turn is over:
 * a failed turn sends nothing, closes nothing and changes no attachment, and the next turn sends nothing of it.
 */
import { CLOSE } from "../../protocol/close-codes.ts";
import { closeQuietly, sendQuietly } from "../durable/sockets.ts";
import { linkToError } from "../../protocol/errors.ts";
import { PING, PONG, type FrameError, type GatewayFrame } from "../../protocol/frames.ts";
import { newStages, type LaneTransaction } from "./lane/index.ts";
import { HELLO_WITHIN } from "../../protocol/limits.ts";
import { earliest, type Schedule, type TurnParticipant } from "../durable/turns.ts";
import type { WaiterMessage } from "./transfer-replies.ts";
import type { ReportedStage } from "../../protocol/stages.ts";
import type { Outcome } from "../../protocol/transactions.ts";
import type { EpochMs, Milliseconds } from "../../protocol/time/units.ts";

/** A token bucket (ITU-T I.371, annex A). */
export interface Allowance {
  /** At most this many frames of up to `COUNTED_BYTES` may arrive at once. */
  frames: number;
  /** The time at which `frames` was computed. */
  at: EpochMs;
}

/** The attachment has a version, because a newer object may find attachments that older code wrote. */
export interface TerminalAttachment {
  v: 1;
  role: "terminal";
  /** The object's SQL counts connections: a higher number is a later connection. */
  number: number;
  nonce: string;
  /** Of the secret that the terminal has logged in with: frames in both directions are signed with that. */
  secretVersion: number;
  openedAt: EpochMs;
  saidHello: boolean;
  /** The gateway has closed it: frames that still arrive are ignored. */
  closed: boolean;
  badFrames: number;
  /** The scheme and host of the gateway, as the terminal called it. */
  origin: string;
  /** The allowance is kept here, so that sleep does not refill it. */
  allowance: Allowance;
  /** The times at which connections were taken over, up to this one. */
  takeovers: number[];
  /** The time from welcome to hello; 0 before the hello. */
  roundTrip: Milliseconds;
  /**
   * The times of the last frame, of the last unanswered probe and of the last unanswered prewarming ping.
   */
  heardAt: EpochMs;
  probedAt: EpochMs | null;
  pingedAt: EpochMs | null;
}

export interface TerminalConnection {
  socket: WebSocket;
  attachment: TerminalAttachment;
}

interface WaiterAttachment {
  v: 1;
  role: "waiter";
  requestId: number;
}

export interface Waiter {
  stages: boolean;
}

export type Attachment = TerminalAttachment | WaiterAttachment;

const TERMINAL = "terminal";

function waiterTag(requestId: number): string {
  return `request:${requestId}`;
}

function watcherTag(requestId: number): string {
  return `stages:${requestId}`;
}

export class Connections implements TurnParticipant, Schedule {
  readonly #context: DurableObjectState;
  /** Attachments as this turn has read them. */
  readonly #read = new Map<WebSocket, Attachment>();
  /** What the turn has done so far: sockets to accept, attachments to write, frames and closes in order. */
  #accepted: { socket: WebSocket; tags: string[] }[] = [];
  readonly #changed = new Map<WebSocket, Attachment>();
  #outgoing: (() => void)[] = [];
  /**
   * The allowance of the connection that said hello last, for the next one: a terminal that has used it up gains
   * nothing by connecting again. It is null if the terminal sent nothing since this instance began.
   */
  #lastAllowance: Allowance | null = null;

  constructor(context: DurableObjectState) {
    this.#context = context;
    // The platform answers heartbeats without waking the object, so an idle terminal costs nothing
    // (https://developers.cloudflare.com/durable-objects/best-practices/websockets/).
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  commit(): void {
    // The order ensures that no socket is ever accepted without its attachment.
    for (const [socket, attachment] of this.#changed) socket.serializeAttachment(attachment);
    for (const { socket, tags } of this.#accepted) this.#context.acceptWebSocket(socket, tags);
    for (const act of this.#outgoing) act();
  }

  forget(): void {
    this.#read.clear();
    this.#accepted = [];
    this.#changed.clear();
    this.#outgoing = [];
  }

  acceptTerminal(socket: WebSocket, attachment: TerminalAttachment): void {
    this.#accept(socket, [TERMINAL], attachment);
  }

  acceptWaiter(socket: WebSocket, requestId: number, { stages }: Waiter): void {
    const tags = [waiterTag(requestId), ...(stages ? [watcherTag(requestId)] : [])];
    this.#accept(socket, tags, { v: 1, role: "waiter", requestId });
  }

  /** Sends immediately, because it belongs to no turn. */
  prewarm(socket: WebSocket, now: EpochMs): void {
    this.#store(socket, { ...this.terminalAt(socket), pingedAt: now });
    sendQuietly(socket, PING);
  }

  /** Stores the attachment immediately, not at the end of the turn. */
  #store(socket: WebSocket, attachment: Attachment): void {
    socket.serializeAttachment(attachment);
    this.#read.set(socket, attachment);
  }

  #accept(socket: WebSocket, tags: string[], attachment: Attachment): void {
    this.#accepted.push({ socket, tags });
    this.#changed.set(socket, attachment);
  }

  send(socket: WebSocket, frame: GatewayFrame): void {
    this.sendText(socket, JSON.stringify(frame));
  }

  sendError(socket: WebSocket, code: FrameError, message: string, requestId?: number): void {
    const { origin } = this.terminalAt(socket);
    this.send(socket, {
      type: "error",
      code,
      message,
      doc: linkToError(code, origin),
      requestId: requestId?.toString(),
    });
  }

  /** Sends if the socket is still open. The protocol tolerates a lost text. */
  sendText(socket: WebSocket, text: string): void {
    this.#outgoing.push(() => sendQuietly(socket, text));
  }

  attachmentOf(socket: WebSocket): Attachment {
    const known = this.#changed.get(socket) ?? this.#read.get(socket);
    if (known !== undefined) return known;
    const attachment = socket.deserializeAttachment() as Attachment;
    this.#read.set(socket, attachment);
    return attachment;
  }

  /** The attachment of a terminal's socket. */
  terminalAt(socket: WebSocket): TerminalAttachment {
    return this.attachmentOf(socket) as TerminalAttachment;
  }

  update(socket: WebSocket, members: Partial<TerminalAttachment>): TerminalAttachment {
    const attachment = { ...this.terminalAt(socket), ...members };
    this.#changed.set(socket, attachment);
    return attachment;
  }

  get lastAllowance(): Allowance | null {
    return this.#lastAllowance;
  }

  /** This is written immediately: a turn that fails does not give the allowance back. */
  noteArrival(socket: WebSocket, members: Pick<TerminalAttachment, "allowance"> & Partial<TerminalAttachment>): void {
    const attachment = { ...this.terminalAt(socket), ...members };
    this.#store(socket, attachment);
    if (attachment.saidHello) this.#lastAllowance = attachment.allowance;
  }

  terminals(): TerminalConnection[] {
    return this.#context
      .getWebSockets(TERMINAL)
      .map((socket) => ({ socket, attachment: this.terminalAt(socket) }))
      .filter(({ socket, attachment }) => isOpen(socket, attachment));
  }

  get #isOpening(): boolean {
    return this.#accepted.some(({ tags }) => tags.includes(TERMINAL));
  }

  /** Includes connections without a hello, and those that this turn opens. */
  get anyOpen(): boolean {
    return this.#isOpening || this.terminals().length > 0;
  }

  /** Whether a connection was active since `time`. A new connection counts as active. */
  isHeardSince(time: number): boolean {
    return this.#isOpening || this.terminals().some(({ socket }) => this.lastHeard(socket) > time);
  }

  /** Whether this turn has opened or closed a connection, or changed what is kept with one. */
  hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns when the first connection must have said hello, or null if none is awaited. */
  startDue(): number | null {
    return earliest(...this.silent().map(helloDue));
  }

  /** Returns the connections that may still say hello. */
  silent(): TerminalConnection[] {
    return this.terminals().filter(({ attachment }) => !attachment.saidHello);
  }

  /** Returns the socket even if the connection has just ended; undefined once it is gone. */
  #socketOf(number: number): WebSocket | undefined {
    const sockets = this.#context.getWebSockets(TERMINAL);
    return sockets.find((socket) => this.terminalAt(socket).number === number);
  }

  /** Returns null once the connection is gone. */
  keptOn(number: number): TerminalAttachment | null {
    const socket = this.#socketOf(number);
    return socket === undefined ? null : this.terminalAt(socket);
  }

  /** Returns null if the connection has ended. */
  byNumber(number: number): WebSocket | null {
    return this.terminals().find(({ attachment }) => attachment.number === number)?.socket ?? null;
  }

  waiters(requestId: number): WebSocket[] {
    return this.#openWith(waiterTag(requestId));
  }

  watchers(requestId: number): WebSocket[] {
    return this.#openWith(watcherTag(requestId));
  }

  #openWith(tag: string): WebSocket[] {
    return this.#context.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.OPEN);
  }

  /** Returns the time of the last frame, or of the last heartbeat that the platform answered. */
  lastHeard(socket: WebSocket): EpochMs {
    const heartbeat = this.#context.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(heartbeat, this.terminalAt(socket).heardAt);
  }

  /** Returns the same as `lastHeard`; null once the connection is gone. */
  lastHeardOn(number: number): number | null {
    const socket = this.#socketOf(number);
    return socket === undefined ? null : this.lastHeard(socket);
  }

  close(socket: WebSocket, code: number, reason: string): void {
    this.update(socket, { closed: true });
    this.#outgoing.push(() => closeQuietly(socket, code, reason));
  }

  /** A valid hello closes every earlier connection, even one without a hello. */
  closeEarlierThan(number: number): void {
    for (const { socket, attachment } of this.terminals()) {
      if (attachment.number < number) this.close(socket, CLOSE.superseded, "another connection said hello");
    }
  }
}

/** Returns when the connection must have said hello. */
export function helloDue({ attachment }: TerminalConnection): number {
  return attachment.openedAt + HELLO_WITHIN;
}

function isOpen(socket: WebSocket, { closed }: TerminalAttachment): boolean {
  return !closed && socket.readyState === WebSocket.OPEN;
}

export function sendStages(
  connections: Pick<Connections, "sendText" | "watchers">,
  before: LaneTransaction | undefined,
  after: LaneTransaction,
): void {
  const reached = before === undefined || before.stages === after.stages ? [] : newStages(before, after);
  if (reached.length === 0) return;
  for (const socket of connections.watchers(after.requestId)) {
    for (const stage of reached) connections.sendText(socket, stageText(stage));
  }
}

export function sendConclusion(
  connections: Pick<Connections, "sendText" | "waiters">,
  requestId: number,
  outcome: Outcome,
): void {
  const text = conclusionText(outcome);
  for (const socket of connections.waiters(requestId)) connections.sendText(socket, text);
}

function stageText({ stage, at }: ReportedStage): string {
  return JSON.stringify({ type: "stage", stage, at } satisfies WaiterMessage);
}

function conclusionText(outcome: Outcome): string {
  return JSON.stringify({ type: "conclusion", outcome } satisfies WaiterMessage);
}
