/** A till: it sells, loses answers, asks again and again, and sometimes sends what it must not. */
import { setTimeout as delay } from "node:timers/promises";
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import { signed } from "../wire/signature.ts";
import { datetimeOf, type DeviceClock } from "./clock.ts";
import { drawContent, isOpen, learn, otherContent, type Sale, voidOf } from "./sale.ts";
import type { Account, Answered, Message, Session } from "./session.ts";

/** Longer than the life of a request. */
const PATIENT = 55_000;

/** At the end of a long run a till has thousands of transactions. */
const MOST_ASKED_AGAIN = 200;

export class Till {
  /** Begins its references. */
  readonly #name: string;
  readonly #session: Session;
  readonly #random: Random;
  readonly #sales: Sale[] = [];
  #references = 0;
  /** Calls in a row without an answer. */
  #failures = 0;
  /** Whether it never hangs up before its request is over. */
  isPatient = false;

  constructor(name: string, session: Session, random: Random) {
    this.#name = name;
    this.#session = session;
    this.#random = random;
  }

  get account(): Account {
    return this.#session.account;
  }

  get clock(): DeviceClock {
    return this.#session.clock;
  }

  async work(closing: AbortSignal): Promise<void> {
    while (!closing.aborted && this.account.state !== "deleted") {
      const open = this.#sales.filter(isOpen);
      if (open.length > 0 && this.#random.chance(0.4)) await this.#ask(this.#random.pick(open));
      else await this.#serve(closing);
      await delay(this.#random.between(50, 1_500));
    }
  }

  get open(): Sale[] {
    return this.account.state === "deleted" ? [] : this.#sales.filter(isOpen);
  }

  async clearUp(): Promise<void> {
    for (const sale of this.open) {
      await this.#ask(sale, { isFresh: true, within: PATIENT });
      if (sale.statusCode === null && !sale.isRefused) await this.#inquire(sale, true);
    }
  }

  /** Asks once more about what it knows: everybody must still say the same. */
  async askAgain(): Promise<void> {
    for (const deviceId of this.account.devices) await this.#getLast(deviceId);
    for (const sale of this.#sales.filter((one) => !isOpen(one)).slice(-MOST_ASKED_AGAIN)) {
      // The session may have ended meanwhile, as with a changed password: then it logs in and asks once more.
      const isAnswered = await this.#ask(sale, { isFresh: true });
      if (!isAnswered) await this.#ask(sale, { isFresh: true });
    }
  }

  /** One customer: a transaction, what its till does meanwhile, and what it does afterwards. */
  async #serve(closing: AbortSignal): Promise<void> {
    const sale = this.#begin();
    if (sale === null) return;
    this.#sales.push(sale);
    const within = this.#random.chance(0.25) ? this.#random.between(500, 8_000) : PATIENT;
    await Promise.all([this.#ask(sale, { within }), this.#meanwhile(sale)]);
    for (let tries = 0; isOpen(sale) && tries < 4 && !closing.aborted; tries++) {
      await delay(this.#random.between(100, 500 * 2 ** tries));
      await this.#ask(sale, { isFresh: this.#random.chance(0.3), within: this.#random.between(2_000, PATIENT) });
    }
    await this.#afterwards(sale);
  }

  #begin(): Sale | null {
    const devices = [...this.account.devices];
    if (devices.length === 0) return null;
    const approved = this.#sales.filter(({ transId }) => transId !== null);
    const voided = approved.length > 0 && this.#random.chance(0.12) ? this.#random.pick(approved) : null;
    const content =
      voided === null ? drawContent(this.#random, this.#session.books.needles) : voidOf(voided.transId ?? "");
    return {
      ...content,
      deviceId: voided?.deviceId ?? this.#random.pick(devices),
      referenceId: this.#newReference(),
      statusCode: null,
      transId: null,
      message: null,
      isUnsure: false,
      isRefused: false,
    };
  }

  /** While the first message waits: the same bytes a second time, a cancel, a question. */
  async #meanwhile(sale: Sale): Promise<void> {
    const kind = this.#random.next();
    if (kind > 0.3) return;
    await delay(this.#random.between(0, 3_000));
    if (kind < 0.12) await this.#ask(sale);
    else if (kind < 0.2) await this.#cancel(sale);
    else await this.#inquire(sale, this.#random.chance(0.3));
  }

  /** With the outcome: repeats without a reason, and what must be refused: what comes back is the checker's business. */
  async #afterwards(sale: Sale): Promise<void> {
    const send = async (other: Partial<Sale>): Promise<unknown> =>
      this.#session.ask(this.#transfer({ ...sale, ...other }), PATIENT);
    const kind = this.#random.next();
    if (kind < 0.1) await this.#ask(sale);
    else if (kind < 0.13) await send({ deviceId: this.#random.pick([...this.account.devices, "T-NONE"]) });
    else if (kind < 0.16) await send(otherContent(sale, this.#random));
    else if (kind < 0.2) await this.#inquire(sale, true);
    else if (kind < 0.23) await this.#getLast(sale.deviceId);
    else if (kind < 0.26) await this.#cancel(sale);
  }

  /**
   * Sends the transaction's message: the same bytes again, unless a fresh one is asked for or the key has changed.
   *
   * @returns whether the answer was an outcome
   */
  async #ask(sale: Sale, { isFresh = false, within = PATIENT } = {}): Promise<boolean> {
    if (isFresh || sale.message?.key !== this.account.key) sale.message = null;
    const message = (sale.message ??= this.#transfer(sale));
    const answered = await this.#session.ask(message, this.isPatient ? PATIENT : within);
    if (answered !== null) {
      this.#failures = 0;
      await this.#take(sale, answered);
      return answered.status === 200;
    }
    sale.isUnsure = true;
    this.#failures += 1;
    await delay(this.#random.between(500, Math.min(500 * 2 ** this.#failures, 6_000)));
    return false;
  }

  async #take(sale: Sale, { status, body, answer, retryAfter }: Answered): Promise<void> {
    if (answer !== null && status === 200) learn(sale, answer);
    else if (status === 200 || (status ?? 0) >= 500) sale.isUnsure = true;
    else if (status === 429) await delay(Math.min(retryAfter, 10) * 1_000);
    if (status !== 400) return;
    // The message must be made anew: with the key of now, by a clock that somebody sets right.
    sale.message = null;
    const wrong = ((body["details"] ?? []) as { path: string }[]).map(({ path }) => path);
    if (wrong.includes("datetime")) this.clock.offset = 0;
    else if (!wrong.includes("signature") && !sale.isUnsure && sale.statusCode === null) sale.isRefused = true;
  }

  /** @param isNamed whether it names the reference, which is a promise, or asks about its own */
  async #inquire(sale: Sale, isNamed: boolean): Promise<void> {
    const { deviceId, referenceId } = sale;
    const asked = isNamed ? { referenceId: this.#newReference(), transData: { referenceId } } : { referenceId };
    const answered = await this.#session.ask(this.#message({ transType: "inquiry", deviceId, ...asked }), PATIENT);
    if (answered?.answer) learn(sale, answered.answer);
    // Refused twice, when nothing disturbs any more: the gateway has never heard of it.
    else if (isNamed && answered?.status === 400 && sale.message === null) sale.isRefused = true;
  }

  async #getLast(deviceId: string): Promise<void> {
    const referenceId = this.#newReference();
    await this.#session.ask(this.#message({ transType: "getLast", deviceId, referenceId }), PATIENT);
  }

  async #cancel(sale: Sale): Promise<void> {
    const { deviceId, referenceId } = sale;
    const message = this.#message({ deviceId, referenceId }, "/api/transfer/cancel");
    const answered = await this.#session.ask(message, PATIENT);
    if (answered?.answer) learn(sale, answered.answer);
  }

  #transfer({ transType, deviceId, referenceId, transData }: Sale): Message {
    return this.#message({ transType, deviceId, referenceId, transData });
  }

  #newReference(): string {
    return `${this.#name}-${(this.#references += 1)}`;
  }

  #message(members: Wire, path: Message["path"] = "/api/transfer"): Message {
    const { posId, merchantId, key } = this.account;
    const transfer = path === "/api/transfer" ? { merchantId, apiVersion: "v1" } : {};
    const request = { posId, ...members, ...transfer, datetime: datetimeOf(this.clock.now()) };
    return { path, request, key, bytes: JSON.stringify(signed(request, key)) };
  }
}
