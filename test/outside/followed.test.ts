/**
 * I7 from outside: tills and terminals at a gateway that is killed every few seconds, a back office that follows its
 * events and is killed, too, and a webhook's receiver that fails, hangs and restarts. At the end both books and the
 * day's totals say what the terminals' ledgers say.
 *
 * No day closes while this runs: test/account/days.test.ts closes days, with its own clock.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { hundredths } from "../../src/account/tally.ts";
import {
  type AccountEvent,
  type AccountTransaction,
  type DayTotals,
  newReferenceId,
  PosClient,
  type TransferAnswer,
} from "../../src/client/pos.ts";
import type { Charge } from "../../src/simulator/ledger.ts";
import { SimulatedTerminal } from "../../src/simulator/simulated-terminal.ts";
import { Program } from "../support/fresh-project.ts";
import { KillableGateway } from "../support/killable-gateway.ts";
import { ROOT } from "../support/outside.ts";
import { repetition } from "../support/repetition.ts";
import { UnreliableReceiver } from "../support/unreliable-receiver.ts";

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
