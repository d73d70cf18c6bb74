/**
 * Everything outside the gateway: POS programs, devices, and the network between. An action is applied, what of it reaches the
 * gateway is returned as a call, and what the gateway says is received. After every step the oracle has judged.
 */
import { CLOSE } from "../../src/protocol/close-codes.ts";
import type { RefusalReason } from "../../src/protocol/frames.ts";
import { Device, type Held } from "./device.ts";
import { Network, type Line } from "./network.ts";
import { Oracle, type Question } from "./oracle.ts";
import { SentRequests } from "./sent-requests.ts";
import {
  keyOf,
  startsTransaction,
  type Action,
  type Answer,
  type Call,
  type DownFrame,
  type Message,
  type Output,
  type RequestFrame,
  type Work,
} from "./vocabulary.ts";

/** What a history is played under. */
export interface Setting {
  /** The life of a request, in milliseconds. */
  life: number;
  /**
   * Devices may still read what is stuck in a connection that they have left, up to `deliverBy` by their own clock, and
   * then are heard at once. The design survives that, and is to be seen surviving it.
   */
  leaky: boolean;
  /**
   * Devices leave requests out of hello, against their duty, and still report them: those with an acknowledged 22, and those
   * whose acceptance has arrived and that are pending since.
   */
  hushed: boolean;
}

type ActionOf<Name extends Action["do"]> = Extract<Action, { do: Name }>;

interface Asker {
  readonly message: Message;
  readonly question: Question;
  readonly askedAt: number;
  /** `broken`: its Worker has to ask again. */
  state: "waiting" | "broken" | "answered";
  answer: Answer | null;
}

export class World {
  readonly setting: Setting;
  readonly oracle = new Oracle();
  readonly network = new Network();
  readonly sent = new SentRequests(this.oracle);
  readonly devices: readonly [Device, Device];
  readonly askers: Asker[] = [];
  /** Every message that could start a transaction, repetitions included. */
  readonly started: Message[] = [];
  /** When the gateway wants to be woken; set by the driver after every call. */
  alarmAt: number | null = null;
  now: number;
  boundTo = "P";
  /** The connection whose hello holds. */
  #current: number | null = null;
  /** Requests whose acceptance has arrived at the gateway. A device that dies keeps only what it has stored since. */
  readonly #accepted = new Set<number>();
  /** For the coverage: what has happened at least once. */
  readonly seen = new Set<string>();

  constructor(setting: Setting, now: number) {
    this.setting = setting;
    this.now = now;
    this.devices = [new Device(0, this.oracle, setting.hushed), new Device(1, this.oracle, setting.hushed)];
  }

  /** A device that is not gone permanently may still move money under this key. */
  mayStillCharge = (key: string): boolean => {
    if (this.devices.some((device) => !device.scrapped && device.mayStillCharge(key))) return true;
    return this.setting.leaky && this.network.lines.some((line) => this.#mayLeak(line, key));
  };

  canLeak(line: Line): boolean {
    return this.setting.leaky && this.network.leakable(line) !== null;
  }

  /** Does what the action says, if it means anything now; returns what reaches the gateway. */
  apply(action: Action): Call | null {
    this.sent.atRest();
    return (this.#acts[action.do] as (given: Action) => Call | null)(action);
  }

  readonly #acts: { [Name in Action["do"]]: (action: ActionOf<Name>) => Call | null } = {
    ask: (action) => this.#ask(action.message, action),
    "hang-up": ({ ask }) => this.#askerDoes("hang-up", ask),
    "give-up": ({ ask }) => this.#askerDoes("give-up", ask),
    resubmit: ({ ask }) => this.#askerDoes("resubmit", ask),
    connect: ({ device, skew }) =>
      this.#device(device, (one) => ({ kind: "open", connection: this.network.connect(one, skew).id })),
    abandon: ({ device }) => this.#device(device, (one) => this.network.leave(one)),
    down: ({ device, refuse = null }) => this.#device(device, (one) => this.#down(one, refuse)),
    work: ({ device, requestId, what }) => this.#device(device, (one) => this.#work(one, requestId, what)),
    heartbeat: ({ device }) => this.#device(device, (one) => this.network.fromDevice(one, [{ type: "ping" }])),
    forge: ({ device, frame }) => this.#device(device, (one) => this.network.fromDevice(one, [frame])),
    reboot: ({ device }) =>
      this.#device(device, (one) => {
        this.network.leave(one);
        one.reboot();
      }),
    scrap: ({ device }) =>
      this.#device(device, (one) => {
        this.network.leave(one);
        one.scrapped = true;
      }),
    up: ({ connection }) => this.#line(connection, (line) => this.#up(line)),
    leak: ({ connection }) => this.#line(connection, (line) => this.#leak(line)),
    end: ({ connection }) => this.#line(connection, (line) => this.#end(line)),
    cut: ({ connection }) => this.#line(connection, (line) => this.network.cut(line)),
    reorder: ({ connection }) => this.#line(connection, (line) => this.network.reorder(line)),
    "stale-refusal": ({ connection, reason }) => this.#line(connection, (line) => this.#staleRefusal(line, reason)),
    time: ({ to }) => {
      if (to <= this.now) return null;
      this.now = to;
      return { kind: "time", now: to };
    },
    alarm: () => ({ kind: "alarm" }),
    hibernate: () => ({ kind: "hibernate" }),
    crash: () => {
      // Every connection of an object that dies is gone; the other end learns of it by reading.
      for (const line of this.network.lines) if (!line.ended) this.network.end(line);
      this.#accepted.clear();
      return { kind: "crash" };
    },
    resolve: ({ requestId, statusCode }) => this.#resolve(requestId, statusCode),
    suspend: ({ pos }) => ({ kind: "suspend", pos }),
    rebind: ({ pos }) => ({ kind: "rebind", pos }),
    prepare: ({ pos }) => ({ kind: "prepare", pos }),
  };

  #device(index: number, act: (device: Device) => Call | void): Call | null {
    const device = this.devices[index];
    return device === undefined || device.scrapped ? null : (act(device) ?? null);
  }

  #line(id: number, act: (line: Line) => Call | null | void): Call | null {
    const line = this.network.lines[id];
    return line === undefined ? null : (act(line) ?? null);
  }

  /** Takes what the gateway says. */
  receive(output: Output): void {
    switch (output.kind) {
      case "frame":
        return this.#fromGateway(output.connection, output.frame);
      case "answer":
        return this.#answered(output.ask, output.answer);
      case "broken": {
        const asker = this.askers[output.ask];
        if (asker !== undefined && asker.state !== "answered") asker.state = "broken";
        return;
      }
      case "resolved": {
        const key = this.sent.keyOf(output.requestId);
        if (key !== undefined) this.oracle.decided(key, output.done);
        if (output.done) this.sent.decided(output.requestId, this.now);
        return;
      }
      case "rebound":
        if (output.done) this.boundTo = output.pos;
    }
  }

  // POS programs and operator.

  #ask(message: Message, manner: ActionOf<"ask">): Call {
    const { detached = false, together = false, heldUp = 0 } = manner;
    const ask = this.askers.length;
    const { pos, reference } = message;
    const newestTaken = Math.max(...this.devices.map((device) => device.newestTaken.get(pos) ?? 0));
    const question = { message, at: this.oracle.tick, newestTaken };
    const arrivedAt = this.now - heldUp;
    this.askers.push({ message, question, askedAt: this.now, state: "waiting", answer: null });
    if (message.kind === "cancel") this.sent.cancelled(keyOf(pos, reference));
    if (startsTransaction(message)) {
      this.started.push(message);
      this.sent.asked(keyOf(pos, reference), arrivedAt, this.now);
    }
    return { kind: "ask", ask, message, detached, together, arrivedAt };
  }

  #askerDoes(what: "hang-up" | "give-up" | "resubmit", ask: number): Call | null {
    const asker = this.askers[ask];
    const needed = what === "resubmit" ? "broken" : "waiting";
    if (asker?.state !== needed) return null;
    if (what !== "give-up") asker.state = what === "hang-up" ? "answered" : "waiting";
    return { kind: what, ask };
  }

  #answered(ask: number, answer: Answer): void {
    const asker = this.askers[ask];
    if (asker === undefined || asker.state === "answered") return;
    asker.state = "answered";
    asker.answer = answer;
    const { message, question, askedAt } = asker;
    if (startsTransaction(message)) this.sent.repeated(keyOf(message.pos, message.reference), answer, askedAt);
    if (message.kind === "cancel" && answer.kind === "refused") {
      this.sent.notCancelled(keyOf(message.pos, message.reference));
    }
    this.oracle.shown(question, answer, this.mayStillCharge, this.sent.numberOf);
    if (answer.kind === "status" && answer.responseCode === "UNCONFIRMED") this.#unlist(answer);
  }

  /** It is pending, and proved to be accepted: nothing that a hello leaves out completes it. */
  #unlist({ posId, referenceId }: Extract<Answer, { kind: "status" }>): void {
    const requestId = this.sent.numberOf(keyOf(posId, referenceId));
    if (requestId === null || !this.#accepted.has(requestId)) return;
    for (const device of this.devices) device.unlisted.add(requestId);
  }

  #resolve(requestId: number, statusCode: "00" | "11"): Call | null {
    const key = this.sent.keyOf(requestId);
    if (key === undefined || this.oracle.book(key).operator !== null) return null;
    this.oracle.decides(key, statusCode);
    return { kind: "resolve", requestId, statusCode };
  }

  // Devices.

  #down(device: Device, refuse: "unsupported" | "busy" | null): void {
    const line = this.network.lineOf(device);
    const frame = line?.down.shift();
    if (line === null || frame === undefined) return;
    if (frame.type === "close") line.left = true;
    this.network.fromDevice(device, device.read(frame, this.now, line.skew, refuse));
  }

  #work(device: Device, requestId: number, what: Work): void {
    const held = device.held.get(requestId);
    if (held === undefined || !device.can(what, held, this.now)) return;
    this.#heardOf(what, held);
    this.network.fromDevice(device, device.work(what, held));
  }

  #heardOf(what: Work, held: Held): void {
    if (what === "clear-00" || what === "clear-11") this.seen.add(`22 cleared up as ${what.slice(-2)}`);
    else if (what !== "progress" && what !== "present" && what !== "resend") this.seen.add(`terminal: ${what}`);
    if (what === "clear-00" && held.said22) this.seen.add("late 00 after 22");
  }

  // The network.

  #end(line: Line): Call | null {
    if (line.ended) return null;
    this.network.end(line);
    return { kind: "end", connection: line.id };
  }

  #up(line: Line): Call | null {
    const frame = line.up.shift();
    if (frame === undefined) return null;
    if (frame.type === "hello") this.sent.helloOf(line.device);
    if (line.id === this.#current && (frame.type === "accepted" || frame.type === "progress")) {
      this.#accepted.add(frame.requestId);
    }
    if (line.left) this.seen.add(`${frame.type === "hello" ? "hello" : "frame"} of a connection that was left`);
    return { kind: "frame", connection: line.id, frame };
  }

  #mayLeak(line: Line, key: string): boolean {
    const frame = this.network.leakable(line);
    if (frame === null || keyOf(frame.posId, frame.referenceId) !== key) return false;
    return line.device.clock(this.now) <= frame.deliverBy && frame.requestId > line.device.highest;
  }

  #leak(line: Line): Call | null {
    const frame = this.setting.leaky ? this.network.leakable(line) : null;
    if (frame === null) return null;
    line.down.splice(line.down.indexOf(frame), 1);
    const [answer] = line.device.request(frame, this.now, null);
    const { connection } = line.device;
    if (answer === undefined || connection === null) return null;
    if (answer.type === "accepted") this.seen.add("request read from a connection that was left");
    return { kind: "frame", connection, frame: answer };
  }

  #staleRefusal(line: Line, reason: RefusalReason): void {
    if (!line.left || !line.device.ready) return;
    const frame = line.down.find((one): one is RequestFrame => one.type === "request");
    if (frame === undefined) return;
    line.down.splice(line.down.indexOf(frame), 1);
    this.seen.add("stale refusal");
    const { requestId, attempt } = frame;
    this.network.fromDevice(line.device, [{ type: "refused", requestId, attempt, reason }]);
  }

  #fromGateway(connection: number, frame: DownFrame): void {
    const line = this.network.lines[connection];
    if (line === undefined) return;
    switch (frame.type) {
      case "request":
        if (frame.attempt > 1) this.seen.add("sent again");
        this.sent.send(line.device, line.down, frame, this.now, this.setting.life);
        break;
      case "ack": {
        const key = this.sent.keyOf(frame.requestId);
        if (key !== undefined) this.oracle.acknowledged(key, frame.statusCode);
        break;
      }
      case "ready":
        this.#current = connection;
        break;
      case "close":
        // Its last frame was not stored.
        if (frame.code === CLOSE.failed) this.#accepted.clear();
        this.seen.add(`closed with ${frame.code}`);
        break;
      default:
    }
    this.network.fromGateway(line, frame);
  }
}
