/**
 * A payment terminal that keeps its duties: it stores before it says `accepted`, begins nothing twice and nothing late,
 * lists its open requests, sends results again until they are acknowledged, and says 22 while a payment may still come.
 */
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import { Violation, type Oracle } from "./oracle.ts";
import { keyOf, type DownFrame, type RequestFrame, type UpFrame, type Work } from "./vocabulary.ts";

/** A request that the device has accepted and whose 00 or 11 is not acknowledged. */
export interface Held {
  request: RequestFrame;
  /** The card was presented: money may have moved. */
  atHost: boolean;
  /** What the host really did. */
  charged: boolean;
  reportsOtherwise: boolean;
  result: StatusCode | null;
  /** The 22 that it holds is acknowledged. */
  acknowledged: boolean;
  /** It has said 22 about it, in an answer to a question or as its result. */
  said22: boolean;
}

/** What it reports, and before it whether money is moved and taken back. */
const ENDS: Record<
  Exclude<Work, "progress" | "present" | "time-over" | "resend">,
  [statusCode: StatusCode, ...charged: boolean[]]
> = {
  approve: ["00", true],
  "approve-otherwise": ["00", true],
  "approve-unheard": ["22", true],
  "approve-reverse": ["11", true, false],
  unheard: ["22"],
  decline: ["11"],
  "customer-cancels": ["11"],
  "clear-00": ["00", true],
  "clear-11": ["11", false],
};

/** What of a device's life outlasts a restart is its store; the rest is gone. */
export class Device {
  readonly index: number;
  readonly memory: string;
  readonly #oracle: Oracle;
  readonly #hushed: boolean;
  /** Accepted and not ended: the store. */
  readonly held = new Map<number, Held>();
  /** The highest requestId ever accepted, and refused attempts: `requestId:attempt`. */
  highest = 0;
  /** Per account, the newest request that it accepted. */
  readonly newestTaken = new Map<string, number>();
  /** Requests of which it has refused an attempt: a frame of an earlier attempt is never read after that. */
  readonly refused = new Set<number>();
  /** Requests that it leaves out of hello although it holds them. */
  readonly unlisted = new Set<number>();
  scrapped = false;
  /** The connection that it reads, or null. */
  connection: number | null = null;
  ready = false;
  /** Its clock is the gateway's less this, in milliseconds. */
  lag = 0;
  boundTo: string | null = null;

  /** @param hushed it leaves out of hello what is `unlisted`, and what it holds with an acknowledged 22 */
  constructor(index: number, oracle: Oracle, hushed: boolean) {
    this.index = index;
    this.memory = `memory-${index}`;
    this.#oracle = oracle;
    this.#hushed = hushed;
  }

  /** The one request that it works on; one that it only clears up with its host does not count. */
  active(): Held | null {
    for (const held of this.held.values()) if (held.result === null) return held;
    return null;
  }

  /** What it holds under this key may still end either way. */
  mayStillCharge(key: string): boolean {
    for (const { request, result } of this.held.values()) {
      if ((result === null || result === "22") && keyOf(request.posId, request.referenceId) === key) return true;
    }
    return false;
  }

  clock(now: number): number {
    return now - this.lag;
  }

  /** Leaves its connection permanently. */
  leave(): void {
    this.connection = null;
    this.ready = false;
  }

  /** What it answers to a frame that it reads at `now`. `refuse`: it refuses a new request on its own account. */
  read(frame: DownFrame, now: number, skew: number, refuse: "unsupported" | "busy" | null): UpFrame[] {
    switch (frame.type) {
      case "welcome":
        this.lag = now - frame.serverTime + skew;
        this.boundTo = frame.posId;
        return [{ type: "hello", nonce: frame.nonce, memory: this.memory, open: this.#open() }];
      case "ready":
        this.ready = true;
        return this.owed();
      case "request":
        return this.request(frame, now, refuse);
      case "ask": {
        const held = this.held.get(frame.requestId);
        if (held === undefined) return [{ ...about(frame), type: "refused", reason: "unknown" }];
        return [this.#report(held)];
      }
      case "cancel":
        return this.#cancel(frame, now);
      case "ack":
        this.#acknowledged(frame.requestId, frame.statusCode);
        return [];
      case "binding":
        this.boundTo = frame.posId;
        return [];
      case "error": {
        const held = frame.requestId === null ? undefined : this.held.get(frame.requestId);
        if (held === undefined) return [];
        if (frame.code === "bad_signature") return held.result === null ? [] : [this.#report(held)];
        // Told to forget what it was asked for: no duty, and nothing that may happen.
        if (frame.code === "unknown_request") throw new Violation("I4", `${held.request.requestId} is to be forgotten`);
        return [];
      }
      case "ping":
        return [{ type: "pong" }];
      case "pong":
        return [];
      case "close":
        this.leave();
        return [];
    }
  }

  /** A request as it is read: accepted, refused, or answered with what is held. */
  request(frame: RequestFrame, now: number, refuse: "unsupported" | "busy" | null): UpFrame[] {
    const { requestId, attempt } = frame;
    const held = this.held.get(requestId);
    if (held !== undefined) {
      return [held.result === null ? { type: "accepted", requestId, attempt } : this.#report(held)];
    }
    const clock = this.clock(now);
    const late = clock > frame.deliverBy || clock >= frame.respondBy;
    const reason =
      requestId <= this.highest
        ? "expired"
        : frame.posId !== this.boundTo
          ? "unbound"
          : late
            ? "expired"
            : this.active() !== null
              ? "busy"
              : refuse;
    if (reason !== null) {
      this.refused.add(requestId);
      return [{ type: "refused", requestId, attempt, reason }];
    }
    this.highest = requestId;
    this.newestTaken.set(frame.posId, requestId);
    this.held.set(requestId, {
      request: frame,
      atHost: false,
      charged: false,
      reportsOtherwise: false,
      result: null,
      acknowledged: false,
      said22: false,
    });
    return [{ type: "accepted", requestId, attempt }];
  }

  /** After a restart: what cannot have reached card or host ends as 11, the rest is to be cleared up. */
  reboot(): void {
    this.leave();
    for (const held of this.held.values()) if (held.result === null) held.result = held.atHost ? "22" : "11";
  }

  #open(): number[] {
    const open: number[] = [];
    for (const [requestId, { result, acknowledged }] of this.held) {
      if (this.#hushed && (this.unlisted.has(requestId) || (result === "22" && acknowledged))) continue;
      open.push(requestId);
    }
    return open;
  }

  /** Results whose acknowledgement has not come. */
  owed(): UpFrame[] {
    const frames: UpFrame[] = [];
    for (const held of this.held.values()) {
      if (held.result !== null && !held.acknowledged) frames.push(this.#report(held));
    }
    return frames;
  }

  /** Whether this can be done about the request now. */
  can(what: Work, { result, atHost, request }: Held, now: number): boolean {
    const isOver = this.clock(now) >= request.respondBy;
    switch (what) {
      case "progress":
        return result === null;
      case "present":
        return result === null && !atHost && !isOver;
      case "customer-cancels":
        return result === null && !atHost;
      case "time-over":
        return result === null && isOver;
      case "clear-00":
      case "clear-11":
        return result === "22";
      case "resend":
        return result !== null;
      default:
        return result === null && atHost;
    }
  }

  /** Works on a request that it holds; the frames that it sends if it has a connection that is ready. */
  work(what: Work, held: Held): UpFrame[] {
    switch (what) {
      case "progress":
        return [{ type: "progress", requestId: held.request.requestId, stage: "present" }];
      case "present":
        held.atHost = true;
        return [];
      case "time-over":
        return this.#end(held, held.atHost ? "22" : "11");
      case "resend":
        return [this.#report(held)];
      default: {
        if (what === "approve-otherwise") held.reportsOtherwise = true;
        const [statusCode, ...charged] = ENDS[what];
        for (const isCharged of charged) this.#move(held, isCharged);
        return this.#end(held, statusCode);
      }
    }
  }

  #cancel(frame: { requestId: number; attempt: number }, now: number): UpFrame[] {
    const held = this.held.get(frame.requestId);
    if (held === undefined) return [{ ...about(frame), type: "refused", reason: "unknown" }];
    if (held.result !== null) return [this.#report(held)];
    if (!held.atHost) return this.#end(held, "11");
    // The answer comes when the outcome is known, at the latest at `respondBy`.
    return this.clock(now) >= held.request.respondBy ? this.#end(held, "22") : [];
  }

  /** Only the ack of the very 00 or 11 that it holds lets it forget; that of its 22 ends the repetition. */
  #acknowledged(requestId: number, statusCode: StatusCode): void {
    const held = this.held.get(requestId);
    if (held === undefined || held.result !== statusCode) return;
    if (statusCode === "22") held.acknowledged = true;
    else this.held.delete(requestId);
  }

  #end(held: Held, statusCode: StatusCode): UpFrame[] {
    held.result = statusCode;
    held.acknowledged = false;
    return [this.#report(held)];
  }

  #report(held: Held): UpFrame {
    const { requestId } = held.request;
    const statusCode = held.result ?? "22";
    if (statusCode === "22") held.said22 = true;
    return {
      type: "result",
      requestId,
      statusCode,
      ...(held.reportsOtherwise && statusCode === "00" ? { amount: "99.99" } : {}),
    };
  }

  #move(held: Held, isCharged: boolean): void {
    if (held.charged === isCharged) return;
    held.charged = isCharged;
    const { requestId, posId, referenceId, amount, transType, transId } = held.request;
    const key = keyOf(posId, referenceId);
    const isVoid = transType === "void";
    const voids = isVoid ? transId : null;
    if (!isCharged) return this.#oracle.reversed(key, requestId, voids);
    if (held.reportsOtherwise) this.#oracle.book(key).contradicted = true;
    const charged = held.reportsOtherwise ? "99.99" : isVoid ? null : amount;
    this.#oracle.charged(key, { device: this.index, requestId, amount: charged }, voids);
  }
}

function about({ requestId, attempt }: { requestId: number; attempt: number }) {
  return { requestId, attempt };
}
