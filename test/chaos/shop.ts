/** An account and everybody who works for it: POSes, a reader of its events, and a receiver of its webhook. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { PosClient, PosError, type TransferAnswer } from "../../src/sdk/client/pos.ts";
import { hasValidSignature } from "../../src/sdk/client/signature.ts";
import { WebhookReceiver } from "../../src/sdk/client/webhook.ts";
import type { JsonObject } from "../../src/protocol/signing/json.ts";
import type { Random } from "../../src/sdk/simulator/random.ts";
import type { Door } from "./door.ts";
import { between, type Journal, parsed, type Wire } from "./journal.ts";
import { madeUpCard, type Terminal } from "./terminal.ts";

export interface Account {
  readonly posId: string;
  readonly merchantId: string;
  readonly door: Door;
  password: string;
  signingKey: string;
  /** Its terminals, as far as the shop has noted them. */
  readonly devices: Set<string>;
  /** Hours that its time zone is ahead of UTC at first, and the same or two hours more now. */
  readonly hoursAhead: number;
  hoursNow: number;
  state: "active" | "suspended" | "deleted";
  /** The share of messages that arrive a second time. */
  doubles: number;
}

/** What an account receives about its transactions beside the answers. */
const LISTS = new Set(["/api/events", "/api/transactions", "/api/totals"]);

/** The client of one who works for an account, anew whenever its key or password has changed. Its messages are in the journal. */
export class Session {
  /** Milliseconds that its clock is ahead. */
  ahead = 0;
  readonly account: Account;
  readonly journal: Journal;
  readonly random: Random;
  #client: { secrets: string; pos: PosClient } | null = null;

  constructor(account: Account, journal: Journal, random: Random) {
    [this.account, this.journal, this.random] = [account, journal, random];
  }

  get pos(): PosClient {
    const { posId, merchantId, password, signingKey, door } = this.account;
    const secrets = `${signingKey} ${password}`;
    if (this.#client?.secrets === secrets) return this.#client.pos;
    const pos = new PosClient({
      baseUrl: door.url,
      posId,
      merchantId,
      signingKey,
      ...(this.random.chance(0.5) ? { password } : {}),
      fetch: async (request) => {
        const body = await request.clone().text();
        // The network delivers the same bytes again.
        if (this.random.chance(this.account.doubles))
          void delay(between(this.random, 0, 4_000)).then(() =>
            this.#send(request, body, signingKey, null).catch(() => undefined),
          );
        return this.#send(request, body, signingKey, request.signal);
      },
      now: () => Date.now() + this.ahead,
      random: this.random.next,
    });
    this.#client = { secrets, pos };
    return pos;
  }

  /** @param key the one that signs the answer, also when another has taken its place meanwhile */
  async #send(request: Request, body: string, key: string, signal: AbortSignal | null): Promise<Response> {
    const { url, method, headers } = request;
    const { journal } = this;
    const { posId } = this.account;
    const { pathname: path, searchParams } = new URL(url);
    const { signature: _signature, ...message } = parsed(body) ?? {};
    const isTransfer = path.startsWith("/api/transfer");
    const call = isTransfer ? journal.writeCall("asked", { posId, path, message }) : 0;
    try {
      const sent = method === "GET" ? null : body;
      const response = await fetch(url, { method, headers, body: sent, redirect: "manual", signal });
      const received = await response.text();
      const answer = parsed(received);
      const { status } = response;
      journal.addNeedlesIn(answer);
      if (isTransfer) {
        const isGenuine = answer !== null && (await hasValidSignature(answer as JsonObject, key));
        journal.write("answered", { call, posId, status, answer, isSigned: isGenuine });
      } else if (status === 200 && LISTS.has(path)) {
        journal.write("read", { posId, path, query: Object.fromEntries(searchParams), answer });
      }
      return new Response(received === "" ? null : received, { status, headers: response.headers });
    } catch (error) {
      if (isTransfer) journal.write("unanswered", { call, hungUp: signal?.aborted === true });
      throw error;
    }
  }
}

/** What a POS has written down about a transaction before it sends the first message, and what it has learned since. */
interface Sale {
  readonly transType: "sale" | "cashOut" | "void";
  readonly deviceId: string;
  readonly referenceId: string;
  readonly members: Wire;
  outcome: TransferAnswer | null;
  /** Whether a message may have arrived whose answer the POS never got. */
  isUnsure: boolean;
  /** The gateway has refused it, and no message of it may have been taken. */
  isRefused: boolean;
}

/** What the simulated terminal does not simply approve: see src/sdk/simulator/behaviour.ts. */
const UNUSUAL_CENTS = ["05", "22", "23", "54", "81", "82", "83", "84", "85", "86", "87", "88", "89"];

/** Longer than the life of a request, milliseconds. */
const PATIENT = 55_000;

/** A POS: it sells, loses answers, asks again and again, and sometimes sends what it must not. */
export class Pos {
  readonly session: Session;
  /** Whether it never hangs up before its request is over. */
  isPatient = false;
  /** Begins its references. */
  readonly #name: string;
  readonly #random: Random;
  readonly #sales: Sale[] = [];
  #references = 0;

  constructor(name: string, session: Session) {
    [this.#name, this.session, this.#random] = [name, session, session.random];
  }

  get open(): Sale[] {
    if (this.session.account.state === "deleted") return [];
    return this.#sales.filter((sale) => !sale.isRefused && (sale.outcome?.statusCode ?? "22") === "22");
  }

  async work(closing: AbortSignal): Promise<void> {
    const { account } = this.session;
    while (!closing.aborted && account.state !== "deleted") {
      const { open } = this;
      if (open.length > 0 && this.#random.chance(0.4)) await this.#ask(this.#random.pick(open));
      else if (account.devices.size > 0) await this.#serve(closing);
      await delay(between(this.#random, 50, 1_000));
    }
  }

  async clearUp(): Promise<void> {
    for (const sale of this.open) {
      await this.#ask(sale);
      if (sale.outcome === null && !sale.isRefused) await this.#inquire(sale);
    }
  }

  /** Sends at most a hundred completed transactions once more: each must have the same outcome. */
  async askAgain(): Promise<void> {
    for (const sale of this.#sales.filter(({ outcome }) => isFinal(outcome)).slice(-100)) await this.#ask(sale);
  }

  /** One customer: a transaction, what its POS does meanwhile, and what it does afterwards. */
  async #serve(closing: AbortSignal): Promise<void> {
    const sale = this.#newSale();
    this.#sales.push(sale);
    const within = this.#random.chance(0.25) ? between(this.#random, 500, 8_000) : PATIENT;
    await Promise.all([this.#ask(sale, within), delay(between(this.#random, 0, 3_000)).then(() => this.#meddle(sale))]);
    for (let tries = 0; this.open.includes(sale) && tries < 4 && !closing.aborted; tries++) {
      await delay(between(this.#random, 100, 500 * 2 ** tries));
      await this.#ask(sale, between(this.#random, 2_000, PATIENT));
    }
    if (sale.outcome !== null) await this.#meddle(sale);
  }

  #newSale(): Sale {
    const random = this.#random;
    const known = { referenceId: this.#newReference(), outcome: null, isUnsure: false, isRefused: false };
    const sold = this.#sales.filter(({ transType, outcome }) => transType !== "void" && outcome?.statusCode === "00");
    if (sold.length > 0 && random.chance(0.15)) {
      const { deviceId, outcome } = random.pick(sold);
      return { ...known, transType: "void", deviceId, members: { transId: outcome?.transData?.transId } };
    }
    const deviceId = random.pick([...this.session.account.devices]);
    const cents = random.chance(0.4) ? random.pick(UNUSUAL_CENTS) : "00";
    const transAmt = `${between(random, 1, 500)}.${cents}`;
    if (random.chance(0.12))
      return { ...known, transType: "cashOut", deviceId, members: { transAmt, cashAmt: "20.00" } };
    const paymentMethod = random.chance(0.85) ? "bankCard" : "qrMerchScan";
    // Some cashiers type a card number where none belongs.
    const note = random.chance(0.1) ? `card ${madeUpCard(random, this.session.journal)}` : "Tisch 7, für später 🍜";
    return { ...known, transType: "sale", deviceId, members: { transAmt, paymentMethod, note, printCount: 1 } };
  }

  /** While a sale waits, or after its outcome: repeats, questions, and what must be refused. */
  async #meddle(sale: Sale): Promise<void> {
    const [kind, target] = [this.#random.next(), { deviceId: sale.deviceId, referenceId: sale.referenceId }];
    const own = { ...target, referenceId: this.#newReference() };
    if (kind < 0.1) await this.#ask(sale);
    else if (kind < 0.16) this.#learn(sale, await this.#call((pos, options) => pos.cancel(target, options)));
    else if (kind < 0.22) await this.#inquire(sale);
    else if (kind < 0.26) await this.#call((pos, options) => pos.getLast(own, options));
    else if (kind < 0.28) await this.#send({ ...sale, deviceId: "T-NONE" });
    else if (kind < 0.3) await this.#send({ ...sale, deviceId: this.#random.pick([...this.session.account.devices]) });
    else if (kind < 0.34 && sale.transType !== "void")
      await this.#send({ ...sale, members: { ...sale.members, transAmt: "777.00" } });
  }

  /** @param within milliseconds until it hangs up */
  async #ask(sale: Sale, within = PATIENT): Promise<void> {
    const answered = await this.#send(sale, within);
    this.#learn(sale, answered);
    if (!(answered instanceof PosError)) return;
    if (answered.outcomeUnknown) sale.isUnsure = true;
    // A wrong clock or key is mended, and the same sent again.
    const isMended =
      answered.problem.details?.some(({ path }) => path === "datetime" || path === "signingKey") ?? false;
    if (answered.kind === "invalid_request" && !isMended && !sale.isUnsure) sale.isRefused = true;
  }

  async #inquire(sale: Sale): Promise<void> {
    const { deviceId, referenceId } = sale;
    const question = { deviceId, referenceId: this.#newReference(), about: { referenceId } };
    const answered = await this.#call((pos, options) => pos.inquiry(question, options));
    this.#learn(sale, answered);
    // When nothing disturbs any more: the gateway has no such transaction.
    if (this.isPatient && answered instanceof PosError && answered.kind === "invalid_request") sale.isRefused = true;
  }

  async #send(sale: Sale, within = PATIENT): Promise<TransferAnswer | PosError> {
    const { transType, deviceId, referenceId, members } = sale;
    // The assertion: its members are those of its type.
    const request = { deviceId, referenceId, ...members } as never;
    return this.#call((pos, options) => pos[transType](request, options), within);
  }

  async #call(
    work: (pos: PosClient, options: { within: number; signal: AbortSignal }) => Promise<TransferAnswer>,
    within = PATIENT,
  ): Promise<TransferAnswer | PosError> {
    const hangUp = AbortSignal.timeout(this.isPatient ? PATIENT : within);
    return work(this.session.pos, { within: PATIENT, signal: hangUp }).catch(caught);
  }

  /** The first outcome stays: whether a later one differs is the judge's business. */
  #learn(sale: Sale, answer: TransferAnswer | PosError): void {
    if (!(answer instanceof PosError) && !isFinal(sale.outcome)) sale.outcome = answer;
  }

  #newReference(): string {
    return `${this.#name}-${(this.#references += 1)}`;
  }
}

function isFinal(outcome: TransferAnswer | null): boolean {
  return outcome !== null && outcome.statusCode !== "22";
}

function caught(error: unknown): PosError {
  if (error instanceof PosError) return error;
  throw error;
}

/** Milliseconds: longer than the gateway waits for the answer to a delivery. */
const TOO_LATE = 12_000;

export class Shop {
  readonly account: Account;
  readonly poses: readonly Pos[];
  /** What the receiver of its webhook does. */
  receiver: "takes" | "fails" | "hangs" = "takes";
  /** Of its back office. */
  readonly #session: Session;
  readonly #journal: Journal;
  #webhookId = "";
  #work: Promise<unknown> = Promise.resolve();

  constructor(account: Account, journal: Journal, poses: number, streamOf: (name: string) => Random) {
    this.account = account;
    this.#journal = journal;
    this.#session = new Session(account, journal, streamOf("office"));
    // Two shops may use the same references: they are the account's own.
    const names = Array.from({ length: poses }, (_, index) => `R${index + 1}`);
    this.poses = names.map((name) => new Pos(name, new Session(account, journal, streamOf(name))));
  }

  /** Starts the receiver of its webhook, and creates the webhook. */
  async openWebhook(): Promise<void> {
    let receiver: WebhookReceiver | null = null;
    const receive: RequestListener = (request, response) => void take(request, response).catch(() => undefined);
    const take = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
      const body = await text(request);
      const kind = (await receiver?.receive(request.headers, body))?.kind ?? "refused";
      const status = { takes: 204, fails: 503, hangs: 0 }[this.receiver];
      const isGenuine = kind === "taken" || kind === "known" || kind === "ping";
      this.#journal.write("delivered", { posId: this.account.posId, status, isSigned: isGenuine, body: parsed(body) });
      if (status > 0) response.writeHead(status).end();
      else await delay(TOO_LATE).then(() => response.destroy());
    };
    const server = createServer(receive);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `/hooks/of-${this.account.posId}`;
    this.#journal.addNeedle("webhook address", address);
    const url = `http://localhost:${(server.address() as AddressInfo).port}${address}`;
    const { id, secret } = await this.#session.pos.addWebhook(url);
    this.#webhookId = id;
    receiver = new WebhookReceiver({ secret, last: 0, onEvent: () => undefined });
  }

  /** Works until the signal says that the shops close. */
  work(closing: AbortSignal): void {
    this.#work = Promise.all([...this.poses.map(async (pos) => pos.work(closing)), this.#follow(closing)]);
  }

  async worked(): Promise<void> {
    await this.#work;
  }

  /** Reads everything that the account can read about its transactions. */
  async readAgain(): Promise<void> {
    const { pos } = this.#session;
    const days = new Set<string>();
    for await (const { data } of pos.events({ after: 0, follow: false, within: PATIENT }))
      if ("day" in data && typeof data.day === "string") days.add(data.day);
    const listed = pos.transactions({}, { within: PATIENT });
    while ((await listed.next()).done !== true);
    for (const day of days) await pos.totals({ day }, { within: PATIENT });
  }

  /** Has its webhook deliver at once, whatever failed before. Resolves to whether nothing is left. */
  async isDelivered(): Promise<boolean> {
    const { pos } = this.#session;
    const webhook = await pos.webhook(this.#webhookId).catch(caught);
    if ("behind" in webhook && webhook.behind === 0) return true;
    await pos.changeWebhook(this.#webhookId, { enabled: true }).catch(caught);
    return false;
  }

  /** A terminal comes to the account: the POS shows a key, and somebody types it in at the terminal. */
  async bind(terminal: Terminal): Promise<boolean> {
    const shown = await this.#session.pos.bindKey({ within: 5_000 }).catch(caught);
    return "key" in shown && terminal.bind(shown.key);
  }

  async #follow(closing: AbortSignal): Promise<void> {
    for (let after = 0; !closing.aborted && this.account.state !== "deleted"; await delay(500)) {
      try {
        for await (const { number } of this.#session.pos.events({ after, signal: closing })) after = number;
      } catch (error) {
        caught(error);
      }
    }
  }
}
