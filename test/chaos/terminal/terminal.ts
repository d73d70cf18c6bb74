/** A terminal that keeps its duties (docs/terminal), and from whose power supply somebody pulls the plug. */
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "../shop/session.ts";
import type { JournalFile } from "../journal-file.ts";
import type { Happening, Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import { Turns } from "../turns.ts";
import { isSigned, signed } from "../wire/signature.ts";
import { Book, type Decision, type Host, type Kept } from "./book.ts";
import { type Identity, Link, login } from "./link.ts";
import { clearUp, pay, RESTARTED, resultOf, VERSIONS } from "./payment.ts";
import { type Manner, Mischief, secondTo } from "./mischief.ts";

/** After a `bad_signature`. */
const SIGN_AGAIN_AFTER = 5_000;
const SIGN_AGAIN_TIMES = 5;

/** A payment that stops at its host has at least so long until its end. */
const LOST_BEFORE = 3_000;
const FOREVER = 600_000;

export class Terminal {
  readonly identity: Identity;
  readonly mischief: Mischief;
  /** Only one person at a time does something with it. */
  readonly turns = new Turns();
  hasForgotten = false;
  /** Whose it is, as the shops know it. */
  account: Account;
  readonly #journal: JournalFile;
  readonly host: Host;
  readonly #random: Random;
  #book: Book;
  #power = new AbortController();
  #life: Promise<void> = Promise.resolve();
  #link: Link | null = null;
  #isReady = false;
  #binding: Wire = {};
  /** The gateway's clock minus this machine's, which runs on. */
  #ahead = 0;
  readonly #cancelled = new Set<string>();
  /** In which manners results are contradicted from now on, and who waits for an acknowledgement of one. */
  readonly #wanted = new Map<Manner, () => void>();
  /** The newest contrary result, until it is acknowledged. */
  #second: { about: Happening<"terminal.contradicted">; manner: Manner; link: Link } | null = null;
  /** Takes the next payment for which the host has moved money. */
  #stop: ((kept: Kept) => void) | null = null;
  #signedAgain = 0;
  #payments = 0;

  constructor(identity: Identity, account: Account, host: Host, random: Random) {
    this.identity = identity;
    this.account = account;
    this.#journal = identity.journal;
    this.host = host;
    this.#random = random;
    this.mischief = new Mischief(random.of("mischief"));
    this.#book = new Book(random.of("book"));
  }

  get terminalId(): string {
    return this.identity.terminalId;
  }

  get isConnected(): boolean {
    return this.#isReady;
  }

  /** Whether nothing is owed to the gateway. */
  get isDone(): boolean {
    return this.#book.kept.size === 0;
  }

  /** What it knows of a request: its decision, `open`, or null for one that it does not hold. */
  knows(requestId: string): Decision | "open" | null {
    const kept = this.#book.kept.get(requestId);
    return kept === undefined ? null : (kept.decision ?? "open");
  }

  switchOn(): void {
    this.#power = new AbortController();
    // Every step of a life ends with its power, in an error that says only that.
    this.#life = this.#live().catch((error: unknown) => {
      if (!this.#power.signal.aborted) throw error;
    });
  }

  /** Pulls the plug. Resolves when nothing of it runs any more. */
  async switchOff(): Promise<void> {
    this.#power.abort();
    await this.#life;
    this.#isReady = false;
    this.#cancelled.clear();
  }

  /**
   * The next payment stays where the host has moved money and nobody else knows, until the power goes. Resolves to that
   * payment; null: none came in time.
   */
  async stopsAtHost(within: number): Promise<Kept | null> {
    const { promise, resolve } = Promise.withResolvers<Kept | null>();
    this.#stop = resolve;
    const timer = setTimeout(() => resolve(null), within);
    const kept = await promise;
    clearTimeout(timer);
    this.#stop = null;
    return kept;
  }

  /** Milliseconds until a request's `respondBy`. */
  left({ respondBy }: Kept): number {
    return respondBy - this.#now();
  }

  /** Breaks its duties: sends a second, contrary result. Resolves when the gateway has acknowledged one. */
  async contradicts(manner: Manner): Promise<void> {
    await new Promise<void>((done) => this.#wanted.set(manner, done));
  }

  /** While it is off. What it had not reported it never reports; the money stays where it is. */
  forget(): void {
    for (const kept of this.#book.kept.values()) {
      if (kept.stage !== "ended") this.#journalEnd(kept, this.host.clearUp(kept));
    }
    this.#book = new Book(this.#random.of("book"));
    this.mischief.forget();
    this.hasForgotten = true;
    this.#journal.write({ kind: "terminal.forgot", terminalId: this.terminalId });
  }

  async #live(): Promise<void> {
    for (const kept of this.#book.kept.values()) {
      if (kept.stage === "accepted" || kept.stage === "started") await this.enter(kept, "ended", RESTARTED);
      if (kept.stage === "host") this.#background(clearUp(this, kept, this.#random.of(kept.requestId)));
    }
    for (let failures = 0; ; failures++) {
      const wait = await this.#connect();
      if (wait !== null) failures = 0;
      // With jitter, longer after each connection that failed.
      await this.pause((wait ?? 0) + this.#random.next() * Math.min(500 * 2 ** failures, 5_000));
    }
  }

  /** Resolves to how long it must wait before the next connection; null: there was none. */
  async #connect(): Promise<number | null> {
    const token = await login(this.identity);
    if (token === null || this.#power.signal.aborted) return null;
    let wasReady = false;
    const link = new Link(this.identity.door.port, token);
    for await (const frame of link.frames(this.#power.signal)) {
      await this.#handle(frame, link);
      wasReady ||= this.#isReady;
    }
    this.#isReady = false;
    this.#link = null;
    return wasReady || link.wait > 0 ? link.wait : null;
  }

  async #handle(frame: Wire, link: Link): Promise<void> {
    const { requestId } = frame;
    const kept = this.#book.kept.get(String(requestId));
    switch (frame["type"]) {
      case "welcome":
        this.#binding = frame;
        this.#ahead = Number(frame["serverTime"]) - performance.now();
        this.#link = link;
        this.#hello(frame, link);
        return;
      case "ready":
        this.#isReady = true;
        for (const one of this.#book.kept.values()) if (this.#owes(one)) this.#report(one);
        this.mischief.late((late) => this.#link?.send(late));
        return;
      case "binding":
        this.#binding = frame;
        return;
      case "request":
        return this.#request(frame);
      case "ask":
        if (kept === undefined) this.#refuse(frame, "unknown");
        else this.#report(kept);
        return;
      case "cancel":
        if (kept === undefined) this.#refuse(frame, "unknown");
        else if (kept.stage === "ended") this.#report(kept);
        else this.#cancelled.add(kept.requestId);
        return;
      case "ack":
        if (kept === undefined) this.#secondAcknowledged(frame);
        else await this.#acknowledged(kept, String(frame["statusCode"]));
        return;
      case "error":
        if (kept !== undefined) await this.#error(kept, frame["code"]);
    }
  }

  #hello({ nonce }: Wire, link: Link): void {
    const open = [...this.#book.kept.keys()];
    const { memory } = this.#book;
    link.send(signed({ type: "hello", nonce, ...VERSIONS, memory, open }, this.identity.secret));
  }

  async #request(frame: Wire): Promise<void> {
    // A frame that somebody else has made is not answered.
    if (isSigned(frame, this.identity.secret) !== true) return;
    const { requestId, attempt } = frame;
    const kept = keptOf(frame);
    this.#journal.write({ kind: "terminal.received", ...this.#namesOf(kept) });
    const known = this.#book.kept.get(kept.requestId);
    if (known?.stage === "ended") {
      this.#report(known);
      return;
    }
    if (known === undefined) {
      const reason = this.#reasonToRefuse(frame, kept);
      if (reason !== null) {
        this.#refuse(frame, reason);
        this.#journal.write({ kind: "terminal.refused", ...this.#namesOf(kept) });
        return;
      }
      await this.#book.write(this.#power.signal, () => {
        this.#book.kept.set(kept.requestId, kept);
        this.#book.highest = Number(kept.requestId);
        this.#journal.write({ kind: "terminal.accepted", ...this.#namesOf(kept) });
      });
      this.#background(pay(this, kept, this.#random.of(`payment ${(this.#payments += 1)}`)));
    }
    this.#send({ type: "accepted", requestId, attempt });
  }

  #reasonToRefuse(frame: Wire, kept: Kept): string | null {
    const { posId, merchantId } = this.#binding;
    if (Number(kept.requestId) <= this.#book.highest) return "expired";
    if (this.#now() > Number(frame["deliverBy"]) || this.#now() > kept.respondBy) return "expired";
    if (frame["posId"] !== posId || frame["merchantId"] !== merchantId) return "unbound";
    const works = [...this.#book.kept.values()].some(({ stage, isPending }) => stage !== "ended" && !isPending);
    return works || this.#random.chance(0.03) ? "busy" : null;
  }

  #refuse({ requestId, attempt }: Wire, reason: string): void {
    this.#send({ type: "refused", requestId, attempt, reason });
  }

  /** A 22 is owed until it is acknowledged, an outcome also. */
  #owes({ stage, isPending, isPendingKnown }: Kept): boolean {
    return stage === "ended" || (isPending && !isPendingKnown);
  }

  #report(kept: Kept): void {
    const statusCode = kept.decision?.statusCode ?? "22";
    if (!this.#isReady) return;
    const result = resultOf(kept, this.#random, this.identity.needles);
    this.mischief.forge(result, (forged) => this.#link?.send(forged));
    if (!this.#send(signed(result, this.identity.secret))) return;
    if (statusCode === "22") kept.isPending = true;
    this.#journal.write({ kind: "terminal.reported", ...this.#namesOf(kept), statusCode });
  }

  async #acknowledged(kept: Kept, statusCode: string): Promise<void> {
    if (statusCode !== (kept.decision?.statusCode ?? "22")) return;
    await this.#book.write(this.#power.signal, () => {
      if (kept.decision === null) kept.isPendingKnown = true;
      else this.#book.kept.delete(kept.requestId);
      this.#journal.write({ kind: "terminal.acknowledged", ...this.#namesOf(kept), statusCode });
    });
    if (kept.decision !== null) this.#contradict(kept);
  }

  /** Only where the next acknowledgement can be for nothing else. */
  #contradict(kept: Kept): void {
    const link = this.#link;
    if (link === null || !link.hasAnswered(kept.requestId)) return;
    const first = resultOf(kept, this.#random, this.identity.needles);
    for (const manner of this.#wanted.keys()) {
      const second = secondTo(kept, first, manner);
      if (second === null) continue;
      const { result, ...differs } = second;
      const about = { kind: "terminal.contradicted" as const, ...this.#namesOf(kept), ...differs };
      if (!link.send(signed(result, this.identity.secret))) return;
      this.#second = { about, manner, link };
      this.#journal.write(about);
      return;
    }
  }

  #secondAcknowledged({ requestId, statusCode }: Wire): void {
    if (this.#second === null) return;
    const { about, manner, link } = this.#second;
    if (link !== this.#link || about.requestId !== requestId || about.statusCode !== statusCode) return;
    this.#second = null;
    this.#journal.write({ ...about, kind: "terminal.contradiction-acknowledged" });
    this.#wanted.get(manner)?.();
    this.#wanted.delete(manner);
  }

  async #error(kept: Kept, code: unknown): Promise<void> {
    if (code === "unknown_request" && kept.decision !== null)
      await this.#book.write(this.#power.signal, () => this.#book.kept.delete(kept.requestId));
    if (code !== "bad_signature" || (this.#signedAgain += 1) > SIGN_AGAIN_TIMES) return;
    const again = (): void =>
      this.#book.kept.has(kept.requestId) && this.#owes(kept) ? this.#report(kept) : undefined;
    this.#background(this.pause(SIGN_AGAIN_AFTER).then(again));
  }

  #send(frame: Wire): boolean {
    const { mischief } = this;
    const isSent = this.#link?.send(frame) ?? false;
    if (isSent) mischief.after(frame, (again) => this.#link?.send(again));
    return isSent;
  }

  /** The host has decided. Takes its time if the payment is to stop there. */
  async decided(kept: Kept): Promise<void> {
    const isMoved = this.host.decided(kept.requestId)?.statusCode === "00";
    if (this.#stop === null || !isMoved || this.left(kept) < LOST_BEFORE) return;
    this.#stop(kept);
    await this.pause(FOREVER);
  }

  isCancelled({ requestId }: Kept): boolean {
    return this.#cancelled.has(requestId);
  }

  progress({ requestId }: Kept, stage: string): void {
    this.#send({ type: "progress", requestId, stage });
  }

  reportPending(kept: Kept): void {
    kept.isPending = true;
    this.#report(kept);
  }

  /** Resolves when it is written down; throws when the power goes. */
  async enter(kept: Kept, stage: Kept["stage"], decision?: Decision): Promise<void> {
    await this.#book.write(this.#power.signal, () => {
      kept.stage = stage;
      kept.decision = decision ?? null;
      if (stage === "started") this.#journal.write({ kind: "terminal.started", ...this.#namesOf(kept) });
      if (decision !== undefined) this.#journalEnd(kept, decision);
    });
    if (stage === "ended") this.#report(kept);
  }

  #journalEnd(kept: Kept, { statusCode, moved }: Decision): void {
    this.#journal.write({ kind: "terminal.ended", ...this.#namesOf(kept), statusCode, moved });
  }

  #namesOf({ requestId, posId, referenceId, transType }: Kept) {
    return { terminalId: this.terminalId, requestId, posId, referenceId, transType };
  }

  /** The gateway's time, by a clock that never jumps. */
  #now(): number {
    return performance.now() + this.#ahead;
  }

  /** Throws when the power goes. */
  async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#power.signal });
  }

  /** Work beside the frames. It ends with the power. */
  #background(work: Promise<void>): void {
    const { signal } = this.#power;
    work.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

function keptOf(frame: Wire): Kept {
  return {
    requestId: String(frame["requestId"]),
    posId: String(frame["posId"]),
    referenceId: String(frame["referenceId"]),
    transType: String(frame["transType"]),
    transId: String(frame["transId"]),
    transData: frame["transData"] as Wire,
    respondBy: Number(frame["respondBy"]),
    stage: "accepted",
    decision: null,
    isPending: false,
    isPendingKnown: false,
  };
}
