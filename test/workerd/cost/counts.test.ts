/**
 * Counting instead of timing: what a sale does to the platform, and what waiting and idling do. See `counting.ts` for
 * what counting does not prove. That objects fall asleep by themselves is not tested; here they
 * are sent to sleep, which fails while anything holds them awake.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect as assert, it, vi } from "vitest";
import { Terminal } from "../../../src/gateway/index.ts";
import { SWEEP_EVERY, STEP_OBJECTS } from "../../../src/gateway/coordinator/sweep.ts";
import { coordinatorStub } from "../../../src/gateway/coordinator/rpc.ts";
import { terminalStub } from "../../../src/gateway/terminal/rpc.ts";
import { SECOND } from "../../../src/protocol/time/units.ts";
import { alarmOf, useFakeClock } from "../../support/clock.ts";
import { call, login, loginTerminal, signedLogin } from "../../support/gateway.ts";
import { approved, Scene, type ScenePos, useAccount } from "../../support/scene.ts";
import { type RequestFrame, ScriptedTerminal } from "../../support/scripted-terminal.ts";
import { StageStream } from "../../support/stage-stream.ts";
import { Shop } from "../gateway/account/webhooks/endpoints.ts";
import { Receivers } from "../../support/receiver.ts";
import { CARD_RESULT } from "../../cost/card-result.ts";
import { Meter } from "../../cost/counting.ts";
import {
  ASKED,
  CONNECTION_LOST,
  type Counts,
  DELIVERY,
  EVENT_BYTES,
  FOLLOWED_SALE,
  JOURNAL_BYTES,
  LOGIN,
  REFRESH,
  ROUND_STEP,
  SALE,
  STAGES_OF_SALE,
  STATEMENTS,
  STATISTICS,
  TERMINAL_CONNECT,
  TERMINAL_LOGIN,
  WAKES_WHILE_CUSTOMER_PAYS,
} from "../../cost/sale.ts";
import { eventually } from "../../support/patience.ts";
import { holdStatistics } from "../../support/statistics.ts";

const CUSTOMER = 15 * SECOND;
/** A request lives ninety seconds; five minutes after the last record the object looks whether the account has it. */
const UNTIL_NOTHING_IS_LEFT = 400 * SECOND;

/** Milliseconds after which nothing of a sale is on its way between objects. */
const AFTERWARDS = 200;

const SLOW_CUSTOMERS = Number(env.SLOW_CUSTOMERS);

useFakeClock();
const scene = useAccount();

/** A terminal that has been connected for some minutes, its object asleep. */
async function restingTerminal(shop: Scene): Promise<ScriptedTerminal> {
  const terminal = await shop.connect();
  await shop.pass(UNTIL_NOTHING_IS_LEFT);
  await shop.sleep();
  return terminal;
}

/**
 * The terminal has been silent for a while: it is asked whether it is there while the account admits the sale, and gets the
 * request when it answers. It answers when the sale is there: an earlier answer saves a deadline.
 */
async function acceptAfterProbe(terminal: ScriptedTerminal, meter: Meter): Promise<RequestFrame> {
  await terminal.next("ping");
  await meter.until("fetch", 1);
  terminal.send("pong");
  return terminal.acceptNext();
}

/** The bytes of the journal's newest row. */
function journalBytes({ terminal }: Scene): Promise<number> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    const [row] = storage.sql
      .exec<Record<string, string | number | null>>("SELECT * FROM transactions ORDER BY request_id DESC LIMIT 1")
      .toArray();
    return Object.values(row ?? {}).join().length;
  });
}

/** The bytes of the account's newest event. */
function eventBytes({ pos }: Scene): Promise<number> {
  return runInDurableObject(env.ACCOUNT.getByName(pos.account.posId), (_object, { storage }) => {
    const { body } = storage.sql.exec<{ body: string }>("SELECT body FROM events ORDER BY number DESC LIMIT 1").one();
    assert(JSON.parse(body)).toMatchObject({ type: "transaction.completed" });
    return body.length;
  });
}

/**
 * What one sale costs from the POS's request until nothing is left to do, as `sell` sends it at a new terminal.
 *
 * @returns the counts, and what woke objects while the customer paid
 */
async function costOf(
  shop: Scene,
  sell: (pos: ScenePos) => Promise<{ statusCode: string }>,
): Promise<[Counts, string[]]> {
  const terminal = await restingTerminal(shop);
  const meter = await Meter.start(shop.terminal.terminalId);
  await holdStatistics(shop.pos.account.posId);
  // The account's first sale sets the alarm by which its object will forget; and what one sale leaves must not
  // cost the next one.
  const pos = await shop.posOfNow();
  const before = pos.sale();
  shop.approve(terminal, await acceptAfterProbe(terminal, meter));
  await before;
  await terminal.next("ack");
  await shop.pass(UNTIL_NOTHING_IS_LEFT);
  await shop.sleep();
  meter.restart();

  const answer = sell(pos);
  const request = await acceptAfterProbe(terminal, meter);
  await meter.until("webSocketMessage", 2);
  await shop.sleep();
  meter.events();
  await shop.pass(CUSTOMER);
  const wakes = meter.events();
  await shop.sleep();
  shop.approve(terminal, request, CARD_RESULT);
  assert((await answer).statusCode).toBe("00");
  await terminal.next("ack");
  await meter.until("webSocketClose", 1);
  await shop.sleep();
  await shop.pass(UNTIL_NOTHING_IS_LEFT);
  return [meter.read(), wakes];
}

describe("a sale", () => {
  it("costs what the table says", async ({ expect }) => {
    const shop = await scene();
    const [counts, wakes] = await costOf(shop, async (pos) => (await pos.sale()).body);
    expect(counts).toEqual(SALE);
    expect(wakes).toEqual(WAKES_WHILE_CUSTOMER_PAYS);
    // And idle again: a connected terminal is not woken to look at its journal.
    expect(await alarmOf(shop.terminal)).toBeNull();
    expect(await journalBytes(shop)).toBeLessThanOrEqual(JOURNAL_BYTES);
    expect(await eventBytes(shop)).toBeLessThanOrEqual(EVENT_BYTES);
  });

  it("costs only its messages more when its POS follows the stages", async ({ expect }) => {
    const shop = await scene();
    const [counts, wakes] = await costOf(shop, async (pos) => {
      const stream = await StageStream.open(pos, pos.saleBody());
      const { stages, answer } = await stream.outcome();
      expect(stages).toHaveLength(STAGES_OF_SALE);
      return answer;
    });
    expect(counts).toEqual(FOLLOWED_SALE);
    expect(wakes).toEqual(WAKES_WHILE_CUSTOMER_PAYS);
  });
});

describe("a sale soon after another", () => {
  it("asks SQL no more often than the table says", async ({ expect }) => {
    const shop = await scene();
    const connection = await shop.connect();
    const meter = await Meter.start(shop.terminal.terminalId);
    await approved(shop, connection);
    await meter.until("webSocketClose", 1);
    await scheduler.wait(AFTERWARDS);
    meter.restart();
    await approved(shop, connection);
    await meter.until("webSocketClose", 1);
    // The account has recorded it, and its answer is stored.
    await scheduler.wait(AFTERWARDS);
    const objects = {
      Terminal: env.TERMINAL.getByName(shop.terminal.terminalId),
      Account: env.ACCOUNT.getByName(shop.pos.account.posId),
    };
    expect(await meter.statements(objects)).toEqual(STATEMENTS);
  });
});

describe("a POS's login", () => {
  it("costs what the table says, for an account with one terminal", async ({ expect }) => {
    const shop = await Scene.alone();
    const { account } = shop.pos;
    const meter = await Meter.start(shop.terminal.terminalId);
    meter.restart();
    const { status } = await call("POST", "/auth/login", { body: signedLogin(account) });
    expect(status).toBe(200);
    expect(meter.read()).toEqual(LOGIN);
  });
});

describe("a refresh", () => {
  it("costs what the table says, for an account with one terminal", async ({ expect }) => {
    const shop = await Scene.alone();
    const { refresh } = await login(shop.pos.account);
    const meter = await Meter.start(shop.terminal.terminalId);
    meter.restart();
    const { status } = await call("POST", "/auth/refresh", { token: refresh.token });
    expect(status).toBe(200);
    expect(meter.read()).toEqual(REFRESH);
  });
});

describe("a connection", () => {
  it("costs what the table says, including the end of the previous one", async ({ expect }) => {
    const shop = await scene();
    // It was bound with a key: its object remembers that login, and the one of the connection that is lost.
    await loginTerminal(shop.terminal);
    const before = await restingTerminal(shop);
    const meter = await Meter.start(shop.terminal.terminalId);
    await shop.sleep();
    meter.restart();
    before.drop();
    await meter.until("webSocketClose", 1);
    await shop.pass(60 * SECOND);
    await shop.sleep();
    expect(meter.read()).toEqual(CONNECTION_LOST);

    const token = await loginTerminal(shop.terminal);
    expect(meter.read()).toEqual(TERMINAL_LOGIN);

    const terminal = await ScriptedTerminal.openWith(shop.terminal, token);
    await terminal.hello();
    await shop.pass(UNTIL_NOTHING_IS_LEFT);
    await shop.sleep();
    expect(meter.read()).toEqual(TERMINAL_CONNECT);
  });
});

describe("a sweep through the terminals", () => {
  it("costs what the table says for an active terminal", async ({ expect }) => {
    const shop = await scene();
    await shop.connect();
    await shop.pass(10 * SECOND);
    await shop.sleep();
    const meter = await Meter.start(shop.terminal.terminalId);
    await shop.sleep();
    meter.restart();
    await terminalStub(env, shop.terminal.terminalId).status();
    expect(meter.read()).toEqual(ASKED);
  });

  it("costs what the table says for fifty terminals, and nothing afterwards", async ({ expect }) => {
    const shop = await scene();
    const copy = `INSERT INTO terminals SELECT ?, is_vt, merchant_id, name, status, created_at, sealed_under,
      version, bound_pos_id, 1, 0, NULL, last_heartbeat FROM terminals WHERE terminal_id = ?`;
    const ids = Array.from({ length: STEP_OBJECTS + 1 }, (_, index) => `sweep-${String(index).padStart(3, "0")}`);
    await env.DATABASE.prepare("UPDATE terminals SET connected = 0, silent = 0").run();
    await env.DATABASE.batch(ids.map((id) => env.DATABASE.prepare(copy).bind(id, shop.terminal.terminalId)));
    const coordinator = env.COORDINATOR.getByName("coordinator");
    await coordinatorStub(env).watch();
    const meter = await Meter.start(shop.terminal.terminalId);
    const status = vi.spyOn(Terminal.prototype, "status").mockResolvedValue(null as never);
    vi.setSystemTime(Date.now() + SWEEP_EVERY);
    await scheduler.wait(10);
    meter.restart();
    await runDurableObjectAlarm(coordinator);
    await eventually(() => assert(status).toHaveBeenCalledTimes(STEP_OBJECTS));
    // Nobody has used these objects before: their tables are made.
    expect({ ...meter.read(), objectRowsRead: 0, objectRowsWritten: 0 }).toEqual(ROUND_STEP);
  });
});

describe("a delivery to a webhook", () => {
  it("costs only what the table says beyond the event's record", async ({ expect }) => {
    const { terminal } = await scene();
    Receivers.start();
    const without = await Shop.open();
    const { shop } = await Shop.withEndpoint();
    const meter = await Meter.start(terminal.terminalId);
    const recorded = async (books: Shop): Promise<Counts> => {
      meter.restart();
      await books.sell(1);
      // The answer, and what is written when it has come.
      await scheduler.wait(200);
      await books.pass(60 * SECOND);
      return meter.read();
    };
    for (const { books } of [without, shop]) await holdStatistics(books.posId);
    // The first record sets alarms that are there for every later one.
    await recorded(without);
    await recorded(shop);
    const [one, other] = [await recorded(without), await recorded(shop)];
    const more = Object.entries(other).map(([name, counted]) => [name, counted - one[name as keyof Counts]]);
    expect(Object.fromEntries(more)).toEqual(DELIVERY);
  });
});

describe("statistics", () => {
  it("cost what the table says beyond a sale that comes alone", async ({ expect }) => {
    const { terminal } = await scene();
    const [held, free] = [await Shop.open(), await Shop.open()];
    const meter = await Meter.start(terminal.terminalId);
    await holdStatistics(held.books.posId);
    const recorded = async (books: Shop): Promise<Counts> => {
      meter.restart();
      await books.sell(1);
      await books.pass(61 * SECOND);
      // D1 answers.
      await scheduler.wait(200);
      await books.pass(400 * SECOND);
      return meter.read();
    };
    // The first record sets alarms that are there for every later one.
    await recorded(held);
    await recorded(free);
    const [one, other] = [await recorded(held), await recorded(free)];
    const more = Object.entries(other).map(([name, counted]) => [name, counted - one[name as keyof Counts]]);
    expect(Object.fromEntries(more)).toEqual(STATISTICS);
  });
});

describe("waiting", () => {
  it("lets every object sleep while the customer takes fifteen seconds", async ({ expect }) => {
    // One after the other: an account has at most ten bind keys open.
    const shops: Scene[] = [];
    while (shops.length < SLOW_CUSTOMERS) shops.push(await scene());
    const terminals = await Promise.all(shops.map((shop) => shop.connect()));
    const meter = await Meter.start(shops[0]?.terminal.terminalId ?? "");
    meter.restart();
    const answers = shops.map((shop) => shop.pos.sale());
    const requests = await Promise.all(terminals.map((terminal) => terminal.acceptNext()));
    await meter.until("webSocketMessage", SLOW_CUSTOMERS);
    // Fails while anything holds an object awake; keeps the terminals' sockets, and those on which the Worker waits.
    await Promise.all(shops.map((shop) => shop.sleep()));
    meter.events();
    await Promise.all(shops.map((shop) => shop.pass(CUSTOMER)));
    await Promise.all(shops.map((shop) => shop.sleep()));
    expect(meter.events()).toEqual(shops.flatMap(() => WAKES_WHILE_CUSTOMER_PAYS));

    shops.forEach((shop, index) => {
      const [terminal, request] = [terminals[index], requests[index]];
      if (terminal !== undefined && request !== undefined) shop.approve(terminal, request);
    });
    const answered = await Promise.all(answers);
    expect(answered.map(({ body }) => body.statusCode)).toEqual(shops.map(() => "00"));
  });
});

describe("idling", () => {
  it("wakes no object, writes no row and sets no alarm", async ({ expect }) => {
    const shop = await scene();
    const terminal = await restingTerminal(shop);
    const meter = await Meter.start(shop.terminal.terminalId);
    expect(await alarmOf(shop.terminal)).toBeNull();
    await shop.sleep();
    meter.restart();
    for (let beat = 0; beat < 10; beat++) {
      terminal.send("ping");
      await terminal.next("pong");
    }
    expect(meter.events()).toEqual([]);
    const { objectRowsRead, objectRowsWritten, alarmsSet, d1RoundTrips, logLines } = meter.read();
    expect({ objectRowsRead, objectRowsWritten, alarmsSet, d1RoundTrips, logLines }).toEqual({
      objectRowsRead: 0,
      objectRowsWritten: 0,
      alarmsSet: 0,
      d1RoundTrips: 0,
      logLines: 0,
    });
    expect(await alarmOf(shop.terminal)).toBeNull();
  });
});
