/**
 * I7 from outside: tills and terminals at a gateway that is killed every few seconds, a back office that follows its
 * events and is killed, too, and a webhook's receiver that fails, hangs and restarts. At the end both books and the
 * day's totals say what the terminals' ledgers say.
 *
 * No day closes while this runs: test/account/real-object.test.ts closes one, with its own clock.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type Random, randomOf } from "../../src/simulator/random.ts";
import { hundredths } from "../../src/protocol/amounts.ts";
import {
  type AccountEvent,
  type AccountTransaction,
  type DayTotals,
  PosClient,
  type TransferAnswer,
  newReferenceId,
} from "../../src/client/pos.ts";
import { WebhookReceiver } from "../../src/client/webhook.ts";
import { Operator } from "../../src/command-line/operator/client.ts";
import type { Charge } from "../../src/simulator/ledger.ts";
import { SimulatedTerminal } from "../../src/simulator/simulated-terminal.ts";
import { LocalWorker, type LocalWorkerPlan } from "../support/local-worker.ts";
import { Program } from "../support/program.ts";
import { ROOT } from "../support/outside.ts";
import { repetition } from "../support/repetition.ts";

/**
 * The real Worker in a workerd of its own, to be killed: it is back within a second, on the same data and at the same
 * address. What it has not written is lost, and every connection to it.
 */
class KillableGateway {
  readonly #plan: LocalWorkerPlan;
  readonly #door: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly operator: Operator;
  #running: LocalWorker | null;

  private constructor(plan: LocalWorkerPlan, door: net.Server, running: LocalWorker, operatorToken: string) {
    this.#plan = plan;
    this.#door = door;
    this.#running = running;
    this.operator = new Operator(this.baseUrl, operatorToken);
    door.on("connection", (socket) => this.#forward(socket));
  }

  /** @param folder for this gateway only: the built Worker and its data */
  static async start(folder: string): Promise<KillableGateway> {
    const token = randomBytes(24).toString("base64url");
    const variables = {
      MASTER_KEYS: `own:${randomBytes(32).toString("base64")}`,
      OPERATOR_TOKENS: `operator:${token}`,
      REQUEST_SECONDS: "40",
    };
    const plan = { project: ROOT, folder, variables };
    const running = await LocalWorker.start(plan);
    // The process listens elsewhere after each start; its users know one address.
    const door = net.createServer();
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    return new KillableGateway(plan, door, running, token);
  }

  get baseUrl(): string {
    const address = this.#door.address();
    if (address === null || typeof address === "string") throw new Error("the gateway has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.kill();
    for (const socket of this.#sockets) socket.destroy();
  }

  async restart(): Promise<void> {
    this.#running = await LocalWorker.start(this.#plan);
  }

  async end(): Promise<void> {
    await this.kill();
    this.#door.close();
  }

  #forward(socket: net.Socket): void {
    if (this.#running === null) {
      socket.destroy();
      return;
    }
    const worker = net.connect(Number(new URL(this.#running.url).port), "127.0.0.1");
    for (const [one, other] of [
      [socket, worker],
      [worker, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      // A connection that broke is closed, which says it all.
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}

/** `forgets`: the event is in the book, and the answer is lost. */
type Mishap = "fails" | "hangs" | "drops" | "forgets";

const MISHAPS: readonly Mishap[] = ["fails", "hangs", "drops", "forgets"];

/** Deliveries that go well between two that do not: at most so many. */
const GOOD_AT_ONCE = 12;

/**
 * A receiver of webhooks that cannot be relied on: now and then it fails, hangs, drops the connection, or has taken an event
 * and does not get to say so. What it has taken is in its book, which outlives its restarts. It knows an event again by
 * `webhook-id` alone.
 */
class UnreliableReceiver {
  readonly #server: Server;
  readonly #random: Random;
  /** By `webhook-id`: the bodies, in the order in which they came first. */
  readonly #book = new Map<string, string>();
  #secret = "";
  #isDown = false;
  #isReliable = false;
  #goodLeft: number;
  #ahead: Mishap[] = [];
  readonly #happened = new Set<Mishap>();
  /** The `webhook-id` of each delivery that was answered with 2xx, in order. */
  readonly acknowledged: string[] = [];
  /** What no sound delivery can be: a wrong signature, an id that is not its event's, other bytes under a known id. */
  readonly faults: string[] = [];

  private constructor(server: Server, seed: number) {
    this.#server = server;
    this.#random = randomOf(seed);
    this.#goodLeft = this.#random.below(GOOD_AT_ONCE);
    server.on("connection", (socket) => {
      if (this.#isDown) socket.destroy();
    });
    server.on("request", (request, response) => {
      // A connection that breaks in the middle is one more delivery that was not taken.
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  static async start(seed: number): Promise<UnreliableReceiver> {
    const server = createServer();
    // By its name, as the gateway calls it.
    server.listen(0, "localhost");
    await once(server, "listening");
    return new UnreliableReceiver(server, seed);
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as net.AddressInfo).port}/`;
  }

  /** The bodies that it has taken, each once, in the order in which they came first. */
  get book(): string[] {
    return [...this.#book.values()];
  }

  /** Whether every mishap has happened at least once: true after fifty deliveries at most. */
  get hasSeenEverything(): boolean {
    return this.#happened.size === MISHAPS.length;
  }

  /** The secret that signs, as the gateway has shown it. */
  trusts(secret: string): void {
    this.#secret = secret;
  }

  /** Every connection is lost, and none is taken for some milliseconds. The address stays, and so does the book. */
  async restart(): Promise<void> {
    this.#isDown = true;
    this.#server.closeAllConnections();
    await delay(this.#random.below(1_000));
    this.#isDown = false;
  }

  /** From now on nothing goes wrong. */
  becomeReliable(): void {
    this.#isReliable = true;
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const mishap = this.#nextMishap();
    if (mishap === "hangs") return;
    if (mishap === "fails") {
      response.writeHead(500).end();
      return;
    }
    if (mishap === "drops") {
      response.destroy();
      return;
    }
    const id = String(request.headers["webhook-id"]);
    const status = await this.#enter(id, request, body);
    if (mishap === "forgets") {
      response.destroy();
      return;
    }
    if (status === 204) this.acknowledged.push(id);
    response.writeHead(status).end();
  }

  /** Verifies a delivery and writes it into the book. A receiver of its own for each: it knows no number from before. */
  async #enter(id: string, { headers }: IncomingMessage, body: string): Promise<number> {
    const receiver = new WebhookReceiver({
      secret: this.#secret,
      last: 0,
      onEvent: (event) => {
        if (event.id !== id) this.faults.push(`${id} brings ${event.id}`);
        const known = this.#book.get(id);
        if (known === undefined) this.#book.set(id, body);
        else if (known !== body) this.faults.push(`${id} has changed`);
      },
    });
    const reception = await receiver.receive(headers, body);
    if (reception.kind !== "taken") this.faults.push(`${id} is ${reception.kind}`);
    return reception.status;
  }

  /** Each in its turn, in an order and at moments that the seed decides. */
  #nextMishap(): Mishap | null {
    if (this.#isReliable || this.#goodLeft-- > 0) return null;
    this.#goodLeft = this.#random.below(GOOD_AT_ONCE);
    if (this.#ahead.length === 0) this.#ahead = shuffled(MISHAPS, this.#random);
    const mishap = this.#ahead.pop() ?? "fails";
    this.#happened.add(mishap);
    return mishap;
  }
}

function shuffled<Of>(all: readonly Of[], random: Random): Of[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ one }) => one);
}

const KILLS = Number(repetition(process.env).GATEWAY_KILLS);
const TERMINALS = 10;
const SECOND = 1_000;

/** The amounts that tills use, by their cents: approved, declined, pending first, and dropped connections. */
const AMOUNTS = ["1.00", "2.05", "3.22", "4.00", "5.23", "6.81", "7.82", "8.00"];

const folder = mkdtempSync(join(tmpdir(), "followed-"));
const book = join(folder, "book.jsonl");
let gateway: KillableGateway;
let account: { posId: string; merchantId: string; signingKey: string };
let terminals: SimulatedTerminal[] = [];
let office: PosClient;
let receiver: UnreliableReceiver;
let webhookId: string;

/** RECEIVER_SEED plays a receiver's mishaps again. */
const { RECEIVER_SEED = String(Date.now() % 1_000_000) } = process.env;

beforeAll(async () => {
  gateway = await KillableGateway.start(join(folder, "gateway"));
  const details = { posId: "POS-FOLLOWED", merchantId: "M-FOLLOWED", currency: "MYR", timezone: "Etc/UTC" };
  const signingKey = await gateway.operator.must("POST", "/accounts", details, "signingKey");
  account = { posId: details.posId, merchantId: details.merchantId, signingKey };
  office = till();
  receiver = await UnreliableReceiver.start(Number(RECEIVER_SEED));
  const { id, secret } = await office.addWebhook(receiver.url);
  receiver.trusts(secret);
  webhookId = id;
  terminals = await Promise.all(Array.from({ length: TERMINALS }, (_, index) => newTerminal(`T-${index}`)));
  await office.prebind(Array.from({ length: TERMINALS }, (_, index) => `T-${index}`));
  await Promise.all(terminals.map((terminal) => terminal.start()));
});

afterAll(async () => {
  await Promise.all(terminals.map((terminal) => terminal.stop()));
  await gateway.end();
  receiver.end();
  rmSync(folder, { recursive: true, force: true });
});

function till(): PosClient {
  return new PosClient({ baseUrl: gateway.baseUrl, ...account });
}

async function newTerminal(terminalId: string): Promise<SimulatedTerminal> {
  const details = { terminalId, isVT: 0, merchantId: account.merchantId };
  const secret = await gateway.operator.must("POST", "/terminals", details, "secret");
  return new SimulatedTerminal({ baseUrl: gateway.baseUrl, terminalId, secret, pace: 20 });
}

/** The answers that tills got, by reference. */
type Told = Map<string, TransferAnswer>;

/** A till at its terminal: sells until it may stop, voids some payments, and ends each before it begins the next. */
async function sell(deviceId: string, told: Told, mayStop: () => boolean): Promise<void> {
  const pos = till();
  for (let count = 0; count < AMOUNTS.length || !mayStop(); count++) {
    const sale = { deviceId, referenceId: newReferenceId(), transAmt: AMOUNTS[count % AMOUNTS.length] ?? "" };
    const answer = await untilCompleted(() => pos.sale({ ...sale, paymentMethod: "bankCard" }));
    told.set(sale.referenceId, answer);
    if (answer.statusCode !== "00" || count % 4 !== 3) continue;
    const transId = answer.transData?.transId ?? "";
    const undo = { deviceId, referenceId: newReferenceId(), transId };
    told.set(undo.referenceId, await untilCompleted(() => pos.void(undo)));
  }
}

async function untilCompleted(ask: () => Promise<TransferAnswer>): Promise<TransferAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.statusCode !== "22") return answer;
  }
}

/** The back office: killed, and started again at its book. */
class Follower {
  #program: Program | null = null;

  start(): void {
    const { posId, merchantId, signingKey } = account;
    this.#program = new Program([join(ROOT, "test", "support", "follower.ts"), book], {
      cwd: ROOT,
      env: { GATEWAY_URL: gateway.baseUrl, POS_ID: posId, MERCHANT_ID: merchantId, SIGNING_KEY: signingKey },
    });
  }

  async kill(): Promise<void> {
    await this.#program?.end("SIGKILL");
  }
}

function lines(): string[] {
  return existsSync(book) ? readFileSync(book, "utf8").split("\n").slice(0, -1) : [];
}

/** Every event there is, as the gateway lists it now. */
async function everything(): Promise<AccountEvent[]> {
  const events: AccountEvent[] = [];
  for await (const event of office.events({ after: 0, follow: false })) events.push(event);
  return events;
}

/**
 * Somebody who enables the webhook again and again, so that it is retried at once; now and then the gateway does it
 * alone.
 */
async function enable(mayStop: () => boolean): Promise<void> {
  for (let count = 1; !mayStop(); count++) {
    await delay(count % 4 === 0 ? 6 * SECOND : Math.random() * SECOND);
    await office.changeWebhook(webhookId, { enabled: true });
  }
}

/** The account's transactions as a book has them: by `requestId`, the last event's. */
function rowsOf(events: readonly AccountEvent[]): Map<string, AccountTransaction> {
  return new Map(events.flatMap(({ data }) => ("requestId" in data ? [[data.requestId, data] as const] : [])));
}

type Payment = Pick<AccountTransaction, "requestId" | "referenceId" | "transAmt"> & { voidedBy: string | null };

function inOrder(payments: Payment[]): Payment[] {
  return payments.toSorted((one, other) => one.requestId.localeCompare(other.requestId));
}

/** Money that was moved, and whether it was given back, as a book has it. */
function paymentsIn(rows: ReadonlyMap<string, AccountTransaction>): Payment[] {
  const payments = [...rows.values()].filter(
    ({ statusCode, transType }) => statusCode === "00" && (transType === "sale" || transType === "cashOut"),
  );
  return inOrder(
    payments.map(({ requestId, referenceId, transAmt, voidedBy }) => {
      return { requestId, referenceId, transAmt, voidedBy: voidedBy?.requestId ?? null };
    }),
  );
}

/** The same, as the terminals' ledgers have it. */
function paymentsOf(charges: readonly Charge[]): Payment[] {
  return inOrder(
    charges.map(({ requestId, referenceId, transAmt, voidedBy }) => ({ requestId, referenceId, transAmt, voidedBy })),
  );
}

/** By what is counted: how often and, in hundredths, how much. */
type Sums = Record<string, readonly [count: number, transAmt: number]>;

function add(sums: Sums, name: string, count: number, transAmt: number): void {
  const [countBefore, transAmtBefore] = sums[name] ?? [0, 0];
  if (count > 0) sums[name] = [countBefore + count, transAmtBefore + transAmt];
}

/** A day's totals, all channels together. */
function sumsIn({ data }: DayTotals): Sums {
  const sums: Sums = {};
  for (const { transType, approved, notApproved } of data) {
    add(sums, `${transType} 00`, approved.count, hundredths(approved.transAmt));
    add(sums, `${transType} 11`, notApproved.count, 0);
  }
  return sums;
}

/**
 * What a day must add up to. The ledgers say what was charged and reversed; a transaction that is recorded as declined
 * and is in no ledger was declined.
 */
function sumsOf(charges: readonly Charge[], rows: ReadonlyMap<string, AccountTransaction>, day: string): Sums {
  const sums: Sums = {};
  const isOf = (requestId: string | null): boolean => requestId !== null && rows.get(requestId)?.day === day;
  for (const { requestId, transType, transAmt, voidedBy } of charges) {
    if (isOf(requestId)) add(sums, `${transType} 00`, 1, hundredths(transAmt));
    if (isOf(voidedBy)) add(sums, "void 00", 1, hundredths(transAmt));
  }
  const moved = new Set(charges.flatMap(({ requestId, voidedBy }) => [requestId, voidedBy]));
  for (const [requestId, { transType }] of rows)
    if (!moved.has(requestId) && isOf(requestId)) add(sums, `${transType} 11`, 1, 0);
  return sums;
}

describe("a back office that follows events, and a webhook's receiver", () => {
  it(`have books that equal the terminals' ledgers, as do the totals, after ${KILLS} kills of the gateway`, async ({
    expect,
  }) => {
    // Shown when the test fails.
    console.log(`RECEIVER_SEED=${RECEIVER_SEED}`);
    const told: Told = new Map();
    const follower = new Follower();
    follower.start();
    let isOver = false;
    const selling = terminals.map((_, index) => sell(`T-${index}`, told, () => isOver));
    // There are far more events than each failure needs to happen.
    const enabling = enable(() => isOver && receiver.hasSeenEverything);
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(2 * SECOND + Math.random() * SECOND);
      await gateway.kill();
      await delay(Math.random() * SECOND);
      await gateway.restart();
      await delay(Math.random() * SECOND);
      await Promise.all([follower.kill(), receiver.restart()]);
      follower.start();
    }
    isOver = true;
    await Promise.all([...selling, enabling]);
    // Missing records arrive by themselves. The follower reads them then.
    const completed = (): Set<string> =>
      new Set(
        lines()
          .map((line) => JSON.parse(line) as AccountEvent)
          .flatMap((event) => (event.type === "transaction.completed" ? [event.data.referenceId] : [])),
      );
    await expect.poll(() => [...told.keys()].filter((reference) => !completed().has(reference))).toEqual([]);
    const newest = await office.newestEvent();
    await expect.poll(() => lines().length).toBe(newest);
    await follower.kill();
    receiver.becomeReliable();
    await office.changeWebhook(webhookId, { enabled: true });
    await expect.poll(() => receiver.book.length).toBe(newest);

    const kept = lines();
    const events = kept.map((line) => JSON.parse(line) as AccountEvent);
    // Each once, in order, none left out; and nothing of it has changed since it was read.
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
    expect((await everything()).map((event) => JSON.stringify(event))).toEqual(kept);
    // The same events, with the same bytes, regardless of what happened to the receiver.
    expect(receiver.book).toEqual(kept);
    expect(receiver.faults).toEqual([]);

    const rows = rowsOf(events);
    // I2: a status is a promise, also in the order in which it is reported.
    for (const requestId of rows.keys()) {
      const statuses = events.flatMap(({ data }) =>
        "requestId" in data && data.requestId === requestId ? [data.statusCode] : [],
      );
      expect(statuses.join(" ")).toMatch(/^(?:22 )*(?:00(?: 00)*|11)$/u);
    }
    // Row for row: money that a terminal has moved, and payments that it has taken back.
    const charges = terminals.flatMap(({ ledger }) => ledger.charges);
    expect(paymentsIn(rows)).toEqual(paymentsOf(charges));
    expect(paymentsIn(rowsOf(receiver.book.map((body) => JSON.parse(body) as AccountEvent)))).toEqual(
      paymentsOf(charges),
    );
    // And the answers of the tills.
    const standing = new Map([...rows.values()].map(({ referenceId, statusCode }) => [referenceId, statusCode]));
    for (const [reference, { statusCode }] of told)
      expect([reference, standing.get(reference)]).toEqual([reference, statusCode]);
    expect(told.size).toBeGreaterThanOrEqual(TERMINALS * AMOUNTS.length);
    expect(charges.some(({ voidedBy }) => voidedBy !== null)).toBe(true);

    // One day, or two if midnight came in between.
    const days = [...new Set([...rows.values()].map(({ day }) => day ?? ""))];
    const totals = (): Promise<DayTotals[]> => Promise.all(days.map((day) => office.totals({ day })));
    const before = await totals();
    expect(before.map(sumsIn)).toEqual(days.map((day) => sumsOf(charges, rows, day)));
    expect(before.map(({ unresolved }) => unresolved?.count ?? 0)).toEqual(days.map(() => 0));

    // Everything once more: it arrives in the same order, and changes nothing.
    const acknowledged = receiver.acknowledged.length;
    await office.replayWebhook(webhookId, 0);
    const replayed = (): string[] => [...new Set(receiver.acknowledged.slice(acknowledged))];
    await expect.poll(() => replayed().length).toBe(newest);
    expect(replayed()).toEqual(events.map(({ id }) => id));
    expect(receiver.book).toEqual(kept);
    expect(receiver.faults).toEqual([]);
    expect((await everything()).map((event) => JSON.stringify(event))).toEqual(kept);
    expect(await totals()).toEqual(before);
  });
});
