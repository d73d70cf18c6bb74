/**
 * I7 from outside: tills and terminals at a gateway that is killed every few seconds, and a back office that follows its
 * events and is killed, too. At the end its book says what the terminals' ledgers say.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type AccountEvent, newReferenceId, PosClient, type TransferAnswer } from "../../src/client/pos.ts";
import { SimulatedTerminal } from "../../src/simulator/simulated-terminal.ts";
import { Program } from "../support/fresh-project.ts";
import { KillableGateway } from "../support/killable-gateway.ts";
import { ROOT } from "../support/outside.ts";
import { repetition } from "../support/repetition.ts";

const KILLS = Number(repetition(process.env).GATEWAY_KILLS);
const TERMINALS = 10;
const SECOND = 1_000;

/** What tills ask for, by their cents: approved, declined, not known at first, and connections that drop. */
const AMOUNTS = ["1.00", "2.05", "3.22", "4.00", "5.23", "6.81", "7.82", "8.00"];

const folder = mkdtempSync(join(tmpdir(), "followed-"));
const book = join(folder, "book.jsonl");
let gateway: KillableGateway;
let account: { posId: string; merchantId: string; signingKey: string };
let terminals: SimulatedTerminal[] = [];

beforeAll(async () => {
  gateway = await KillableGateway.start(join(folder, "gateway"));
  const details = { posId: "POS-FOLLOWED", merchantId: "M-FOLLOWED", currency: "MYR", timezone: "Etc/UTC" };
  const signingKey = await gateway.operator.must("POST", "/accounts", details, "signingKey");
  account = { posId: details.posId, merchantId: details.merchantId, signingKey };
  terminals = await Promise.all(Array.from({ length: TERMINALS }, (_, index) => newTerminal(`T-${index}`)));
  await till().prebind(Array.from({ length: TERMINALS }, (_, index) => `T-${index}`));
  await Promise.all(terminals.map((terminal) => terminal.start()));
});

afterAll(async () => {
  await Promise.all(terminals.map((terminal) => terminal.stop()));
  await gateway.end();
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

/** What was told to tills, by the reference. */
type Told = Map<string, TransferAnswer>;

/** A till at its terminal: sells until it may stop, takes some payments back, and ends each before it begins the next. */
async function sell(deviceId: string, told: Told, mayStop: () => boolean): Promise<void> {
  const pos = till();
  for (let count = 0; count < AMOUNTS.length || !mayStop(); count++) {
    const sale = { deviceId, referenceId: newReferenceId(), transAmt: AMOUNTS[count % AMOUNTS.length] ?? "" };
    const answer = await untilSettled(() => pos.sale({ ...sale, paymentMethod: "bankCard" }));
    told.set(sale.referenceId, answer);
    if (answer.statusCode !== "00" || count % 4 !== 3) continue;
    const transId = answer.transData?.transId ?? "";
    const undo = { deviceId, referenceId: newReferenceId(), transId };
    told.set(undo.referenceId, await untilSettled(() => pos.void(undo)));
  }
}

async function untilSettled(ask: () => Promise<TransferAnswer>): Promise<TransferAnswer> {
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
  for await (const event of till().events({ after: 0, follow: false })) events.push(event);
  return events;
}

describe("a back office that follows events", () => {
  it(`has a book that equals the terminals' ledgers, after ${KILLS} kills of the gateway and of itself`, async ({
    expect,
  }) => {
    const told: Told = new Map();
    const follower = new Follower();
    follower.start();
    let isOver = false;
    const selling = terminals.map((_, index) => sell(`T-${index}`, told, () => isOver));
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(2 * SECOND + Math.random() * SECOND);
      await gateway.kill();
      await delay(Math.random() * SECOND);
      await gateway.restart();
      await delay(Math.random() * SECOND);
      await follower.kill();
      follower.start();
    }
    isOver = true;
    await Promise.all(selling);
    // What is not recorded yet is recorded by itself; the follower reads it when it is.
    const settled = (): Set<string> =>
      new Set(
        lines()
          .map((line) => JSON.parse(line) as AccountEvent)
          .flatMap((event) => (event.type === "transaction.settled" ? [event.data.referenceId] : [])),
      );
    await expect
      .poll(() => [...told.keys()].filter((reference) => !settled().has(reference)), { timeout: 60_000 })
      .toEqual([]);
    const newest = await till().newestEvent();
    await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(newest);
    await follower.kill();

    const kept = lines();
    const events = kept.map((line) => JSON.parse(line) as AccountEvent);
    // Each once, in order, none left out; and nothing of it has changed since it was read.
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
    expect((await everything()).map((event) => JSON.stringify(event))).toEqual(kept);

    const rows = new Map(
      events.flatMap((event) => ("requestId" in event.data ? [[event.data.requestId, event.data] as const] : [])),
    );
    // I2: a status is a promise, in the order in which it is told, too.
    for (const requestId of rows.keys()) {
      const statuses = events.flatMap(({ data }) =>
        "requestId" in data && data.requestId === requestId ? [data.statusCode] : [],
      );
      expect(statuses.join(" ")).toMatch(/^(?:22 )*(?:00(?: 00)*|11)$/u);
    }
    // Row for row: money that a terminal has moved, and payments that it has taken back.
    const charges = terminals.flatMap(({ ledger }) => ledger.charges);
    const booked = [...rows.values()].filter(
      ({ statusCode, transType }) => statusCode === "00" && (transType === "sale" || transType === "cashOut"),
    );
    const byNumber = <Row extends { requestId: string }>(all: Row[]): Row[] =>
      all.toSorted((one, other) => one.requestId.localeCompare(other.requestId));
    expect(
      byNumber(booked).map(({ requestId, referenceId, transAmt, voidedBy }) => ({
        requestId,
        referenceId,
        transAmt,
        voidedBy: voidedBy?.requestId ?? null,
      })),
    ).toEqual(
      byNumber(charges).map(({ requestId, referenceId, transAmt, voidedBy }) => ({
        requestId,
        referenceId,
        transAmt,
        voidedBy,
      })),
    );
    // And what the tills were told.
    const standing = new Map([...rows.values()].map(({ referenceId, statusCode }) => [referenceId, statusCode]));
    for (const [reference, { statusCode }] of told)
      expect([reference, standing.get(reference)]).toEqual([reference, statusCode]);
    expect(told.size).toBeGreaterThanOrEqual(TERMINALS * AMOUNTS.length);
    expect(charges.some(({ voidedBy }) => voidedBy !== null)).toBe(true);
  }, 600_000);
});
