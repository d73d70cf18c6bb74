/**
 * Everything that an operator is shown, against the ledger of a fleet with faults. At a gateway of its own, which can be
 * killed, and whose database can be locked.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { inParallel } from "../../src/bounds/parallel.ts";
import { Operator } from "../../src/command-line/operator/client.ts";
import type { Overview } from "../../src/http/operator/overview/responses.ts";
import type { TerminalAnswer } from "../../src/http/operator/responses.ts";
import type { StatisticsRow } from "../../src/http/operator/statistics/responses.ts";
import type { UnresolvedTransaction } from "../../src/http/operator/transactions/responses.ts";
import { decimal } from "../../src/protocol/amounts.ts";
import { STATISTICS_DELAY } from "../../src/statistics/limits.ts";
import { STATISTICS_WITHIN } from "../../src/statistics/limits.ts";
import type { AccountTransaction } from "../../src/protocol/events.ts";
import { Gateway } from "../chaos/gateway.ts";
import { streamOf } from "../chaos/journal.ts";
import { Program } from "../support/program.ts";
import { KeptFleet, type Counter, type Payment } from "../support/kept-fleet.ts";
import { ROOT } from "../support/outside.ts";
import { PATIENCE, TEST_PATIENCE } from "../support/patience.ts";

/** Named by the tests that fail. */
const { FIGURES_SEED: SEED = String(Date.now() % 1_000_000) } = process.env;
const random = streamOf("figures", SEED);
const TOKEN = "a-token-of-an-operator-of-this-test";
const SIZE = { shops: 16, each: 3, currencies: ["EUR", "MYR", "SGD"] };
/** Enrolled, and bound to nobody. */
const SPARE = ["T-SPARE-1", "T-SPARE-2"];

/** A look is up to ten calls, of which an operator has 1,200 a minute. */
const eventually = <Seen>(look: () => Promise<Seen>): Promise<Seen> =>
  vi.waitFor(look, { timeout: PATIENCE + STATISTICS_DELAY, interval: 1_000 });

let gateway: Gateway;
let baseUrl: string;
let operator: Operator;
let fleet: KeptFleet;

function by<Of>(all: readonly Of[], keyOf: (one: Of) => string): [key: string, of: Of[]][] {
  return [...Map.groupBy(all, keyOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function counted<Of>(all: readonly Of[], keyOf: (one: Of) => string): Record<string, number> {
  return Object.fromEntries(by(all, keyOf).map(([key, { length }]) => [key, length]));
}

/** At most so many of them. */
function some<Of>(all: readonly Of[], count: number): Of[] {
  return by(all, () => String(random.next()))
    .flatMap(([, own]) => own)
    .slice(0, count);
}

function inCurrencies(payments: readonly Payment[]): { currency: string; count: number; transAmt: string }[] {
  return by(payments, ({ counter }) => counter.shop.currency).map(([currency, own]) => {
    const sum = own.reduce((all, { transType, amount }) => all + (transType === "void" ? -amount : amount), 0);
    return { currency, count: own.length, transAmt: decimal(sum) };
  });
}

const idsOf = (all: readonly { terminalId: string }[]): string[] => all.map(({ terminalId }) => terminalId).toSorted();
const referencesOf = (all: readonly { referenceId: string }[]): string[] =>
  all.map(({ referenceId }) => referenceId).toSorted();

/** What an operator must see of this moment. */
function present() {
  const { unresolved, contrary, counters } = fleet;
  const [connected, offline] = [fleet.in("connected"), fleet.in("offline")];
  const moneyOf = (payments: readonly Payment[]) => ({ count: payments.length, amounts: inCurrencies(payments) });
  const [enrolled, bound] = [counters.length + SPARE.length, counters.length];
  return {
    terminals: { enrolled, bound, connected: connected.length },
    offline: { terminals: offline.length, shops: counted(offline, ({ shop }) => shop.merchantId) },
    unresolved: moneyOf(unresolved),
    contrary: moneyOf(contrary),
    matters: {
      ...(contrary.length > 0 ? { contrary: contrary.length } : {}),
      ...(unresolved.length > 0 ? { unresolved: unresolved.length } : {}),
      ...counted(offline, ({ shop }) => `offline ${shop.merchantId}`),
    },
    metrics: {
      d1_up: 1,
      'terminals{state="enrolled"}': enrolled,
      'terminals{state="bound"}': bound,
      'terminals{state="connected"}': connected.length,
      terminals_offline: offline.length,
      contrary: contrary.length,
      ...Object.fromEntries(
        inCurrencies(unresolved).flatMap(({ currency, count, transAmt }) => [
          [`unresolved{currency="${currency}"}`, count],
          [`unresolved_amount{currency="${currency}"}`, Number(transAmt)],
        ]),
      ),
    },
    lists: {
      connected: idsOf(connected),
      notConnected: idsOf([...offline, ...fleet.in("new")]),
      offline: idsOf(offline),
      unresolved: referencesOf(unresolved),
      contrary: referencesOf(contrary),
    },
  };
}

const overview = (): Promise<Overview> => operator.get<Overview>("/overview");

async function metrics(): Promise<string> {
  const answer = await fetch(`${baseUrl}/operator/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}

function samplesOf(text: string, names: string): Record<string, number> {
  const sample = new RegExp(`^pos_gateway_((?:${names})(?:\\{.*\\})?) (.*)$`, "gmu");
  return Object.fromEntries([...text.matchAll(sample)].map(([, name = "", value]) => [name, Number(value)]));
}

const offlineTerminals = (): Promise<TerminalAnswer[]> =>
  operator.rows("/terminals", { offlineSince: new Date(Date.now() + 60_000).toISOString() }, Infinity);

const terminalsThat = (connected: boolean): Promise<TerminalAnswer[]> =>
  operator.rows("/terminals", { connected: String(connected), bound: "true" }, Infinity);

const money = (contrary: boolean): Promise<UnresolvedTransaction[]> =>
  operator.rows("/unresolved", { contrary: String(contrary) }, Infinity);

async function lists() {
  return {
    connected: idsOf(await terminalsThat(true)),
    notConnected: idsOf(await terminalsThat(false)),
    offline: idsOf(await offlineTerminals()),
    unresolved: referencesOf(await money(false)),
    contrary: referencesOf(await money(true)),
  };
}

/** What an operator sees. */
function seen({ terminals, offline, unresolved, contrary, matters }: Overview) {
  const shops = offline.shops.map(({ merchantId, terminals: count }) => [merchantId, count]);
  return {
    terminals,
    offline: { terminals: offline.terminals, shops: Object.fromEntries(shops) },
    unresolved: { count: unresolved.count, amounts: unresolved.amounts },
    contrary: { count: contrary.count, amounts: contrary.amounts },
    matters: Object.fromEntries(matters.map(({ id, title }) => [id, Number.parseInt(title, 10)])),
  };
}

const OF_PRESENT = "d1_up|terminals|terminals_offline|contrary|unresolved|unresolved_amount";

/** Waits until everything is as the ledger says, and looks at the times. */
async function settle(): Promise<void> {
  const shown = await eventually(async () => {
    // The lists first: they ask the objects, which tell the database what it lacks.
    const own = await lists();
    const found = await overview();
    const told = { ...seen(found), metrics: samplesOf(await metrics(), OF_PRESENT), lists: own };
    expect(told).toEqual(present());
    return found;
  });
  const listed = await offlineTerminals();
  for (const { terminalId, offlineSince } of listed) {
    const [from = 0, to = 0] = fleet.counters.find((one) => one.terminalId === terminalId)?.heard ?? [];
    const since = Date.parse(offlineSince ?? "");
    expect(since, terminalId).toBeGreaterThanOrEqual(from);
    expect(since, terminalId).toBeLessThanOrEqual(to);
  }
  for (const { merchantId, since, latest } of shown.offline.shops) {
    const own = listed.filter((terminal) => terminal.merchantId === merchantId);
    const times = own.map(({ offlineSince }) => Date.parse(offlineSince ?? ""));
    expect([since, latest].map(Date.parse)).toEqual([Math.min(...times), Math.max(...times)]);
  }
}

type Business = Pick<StatisticsRow, "transactions" | "turnover" | "responseCodes">;

/** What completed payments must add up to. */
function businessOf(payments: readonly Payment[]) {
  const approved = payments.filter(({ statusCode }) => statusCode === "00");
  return {
    transactions: { "00": approved.length, "11": payments.length - approved.length },
    turnover: inCurrencies(approved).map(({ currency, transAmt }) => ({ currency, transAmt })),
    codes: counted(payments, ({ responseCode }) => responseCode),
  };
}

function shownBusiness({ transactions, turnover, responseCodes }: Business) {
  const codes = by(responseCodes, ({ responseCode }) => responseCode);
  const sums = codes.map(([code, rows]) => [code, rows.reduce((all, { count }) => all + count, 0)] as const);
  return { transactions, turnover, codes: Object.fromEntries(sums) as Record<string, number> };
}

const statistics = (query: Record<string, string>): Promise<StatisticsRow[]> =>
  operator.rows<StatisticsRow>("/statistics", query, Infinity);

const completedOf = (wanted: string) => fleet.completed.filter(({ counter }) => counter.shop.posId === wanted);

const kept = ({ referenceId, transType, statusCode, responseCode }: Payment | AccountTransaction): string =>
  [referenceId, transType, statusCode, responseCode].join(" ");

/** Waits until every account has recorded what the ledger has. */
async function recorded(): Promise<void> {
  const own = by(fleet.ledger, ({ counter }) => counter.shop.posId);
  await inParallel(own, 4, async ([posId, payments]) => {
    await eventually(async () => {
      const rows = await operator.rows<AccountTransaction>(`/accounts/${posId}/transactions`, {}, Infinity);
      expect(rows.map(kept).toSorted()).toEqual(payments.map(kept).toSorted());
    });
    const at = Date.now();
    for (const payment of completedOf(posId)) payment.recordedBy = Math.min(payment.recordedBy, at);
  });
}

/** No figure counts what did not happen, or lacks what it says it has; a terminal's own are complete. */
async function judgeBusiness(): Promise<void> {
  await recorded();
  for (const row of await statistics({ by: "account" })) {
    const all = completedOf(row.posId ?? "");
    const least = all.filter(({ recordedBy }) => recordedBy <= Date.now() - STATISTICS_WITHIN);
    within(shownBusiness(row).codes, businessOf(least).codes, businessOf(all).codes);
  }
  const shown = await overview();
  const least = fleet.completed.filter(({ recordedBy }) => recordedBy <= Date.now() - STATISTICS_WITHIN);
  within(shownBusiness(shown.lastDay).codes, businessOf(least).codes, businessOf(fleet.completed).codes);
  for (const { terminalId } of some(fleet.counters, 5)) {
    const own = fleet.completed.filter(({ counter }) => counter.terminalId === terminalId);
    await eventually(async () => {
      const [row] = await statistics({ terminalId, by: "account" });
      const nothing = { transactions: { "00": 0, "11": 0 }, turnover: [], responseCodes: [] };
      expect(shownBusiness(row ?? nothing)).toEqual(businessOf(own));
    });
  }
}

function within(codes: Record<string, number>, least: Record<string, number>, most: Record<string, number>): void {
  for (const [code, count] of Object.entries(codes)) expect(count, code).toBeLessThanOrEqual(most[code] ?? 0);
  for (const [code, count] of Object.entries(least)) expect(codes[code] ?? 0, code).toBeGreaterThanOrEqual(count);
}

async function command(...args: string[]): Promise<unknown> {
  const program = new Program([join(ROOT, "src", "command-line", "operator.ts"), ...args, "--json"], {
    cwd: ROOT,
    env: { GATEWAY_URL: baseUrl, OPERATOR_TOKEN: TOKEN, PERSIST_TO: gateway.dataFolder },
  });
  await program.end();
  return JSON.parse(program.stdout);
}

/** What promtool says against the metrics; null without promtool. */
async function promtool(text: string): Promise<string | null> {
  const child = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "ignore", "pipe"] });
  const isThere = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  let problems = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => (problems += more));
  child.stdin.end(text);
  const [status] = (await once(child, "close")) as [number];
  return status === 0 ? "" : problems;
}

describe(`what an operator sees (FIGURES_SEED=${SEED})`, { timeout: 2 * TEST_PATIENCE }, () => {
  beforeAll(async () => {
    const folder = await mkdtemp(join(inject("gateway").folder, "figures-"));
    const key = Buffer.alloc(32, "the key of this test").toString("base64");
    gateway = await Gateway.start(folder, { MASTER_KEYS: `k1:${key}`, OPERATOR_TOKENS: `operator:${TOKEN}` });
    baseUrl = gateway.url;
    operator = new Operator(baseUrl, TOKEN);
    fleet = await KeptFleet.open(baseUrl, operator, SEED, SIZE);
    for (const terminalId of SPARE) await operator.must("POST", "/terminals", { terminalId, isVT: 1 });
    await inParallel(some(fleet.counters, 44), 8, (counter) => counter.start());
  });

  afterAll(async () => {
    await Promise.all(fleet.counters.map(async (counter) => counter.client?.stop()));
    await gateway.end();
  });

  it("has the first payments of every account at once, to the cent", async () => {
    const plans = by(fleet.counters, ({ shop }) => shop.posId).map(([, counters]) => {
      const [first, second] = some(counters, 2) as [Counter, Counter];
      return { first, second, code: random.pick(["00", "05", "51"]), isVoided: random.chance(0.3) };
    });
    // At most three for each account.
    await inParallel(plans, 4, async ({ first, second, code, isVoided }) => {
      await fleet.sell(first, "00");
      await fleet.sell(second, code);
      const sale = fleet.completed.find(({ counter, statusCode }) => counter === first && statusCode === "00");
      if (sale !== undefined && isVoided) await fleet.takeBack(sale);
    });
    await recorded();
    const expected = businessOf(fleet.completed);
    await eventually(async () => {
      const { lastDay, hours } = await overview();
      expect(shownBusiness(lastDay)).toEqual(expected);
      expect(hours.reduce((all, { transactions }) => all + transactions["00"], 0)).toBe(expected.transactions["00"]);
      const sums = samplesOf(await metrics(), "turnover|transactions|not_approved");
      for (const status of ["00", "11"] as const) {
        expect(sums[`transactions{status="${status}",window="day"}`]).toBe(expected.transactions[status]);
      }
      for (const { currency, transAmt } of expected.turnover) {
        expect(sums[`turnover{currency="${currency}",window="day"}`]).toBe(Number(transAmt));
      }
      const codes = (await statistics({ by: "responseCode" })).map(({ responseCode, transactions }) => [
        responseCode,
        transactions["00"] + transactions["11"],
      ]);
      expect(Object.fromEntries(codes)).toEqual(expected.codes);
      for (const row of await statistics({ by: "account" })) {
        expect(shownBusiness(row)).toEqual(businessOf(completedOf(row.posId ?? "")));
      }
    });
    await settle();
  });

  it("follows terminals that stop and come back, and money that nobody knows of, for rounds of both", async () => {
    for (let round = 0; round < 3; round++) {
      const codes = ["22", "22", "00", "51"] as const;
      const sellers = some(fleet.in("connected"), 12);
      await Promise.all(sellers.map((counter, index) => fleet.sell(counter, codes[index % codes.length] ?? "00")));
      await fleet.sell(random.pick(fleet.in("new")), "00");
      for (const payment of some(fleet.unresolved, 3)) await fleet.resolve(payment);
      const resolved = fleet.completed.filter(({ responseCode }) => responseCode === "RESOLVED");
      const reported = [fleet.unresolved, resolved].flatMap((payments) => some(fleet.reportable(payments), 2));
      await inParallel(reported, 4, (payment) => fleet.report(payment));
      for (const payment of some(fleet.contrary, 1)) await fleet.close(payment);
      const back = some(fleet.in("offline"), 2);
      const [cut, ...stopped] = some(fleet.in("connected"), 4) as [Counter, ...Counter[]];
      await Promise.all([
        cut.cut(),
        ...stopped.map((counter) => counter.stop()),
        ...back.map((counter) => counter.start()),
      ]);
      // The lists ask the objects; the overview may be ten seconds behind.
      await eventually(async () => expect(await lists()).toEqual(present().lists));
      await judgeBusiness();
    }
    await settle();
  });

  it("is told if the database does not answer, and later what happened meanwhile", async () => {
    const unlock = await gateway.lockDatabase();
    const [stops, sells, fails] = some(fleet.in("connected"), 3) as [Counter, Counter, Counter];
    await Promise.all([stops.stop(), fleet.sell(sells, "00"), fleet.sell(fails, "22")]);
    expect(samplesOf(await metrics(), ".*")).toEqual({ d1_up: 0 });
    expect(await operator.call("GET", "/overview")).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining("Payments continue") },
    });
    unlock();
    await settle();
    await judgeBusiness();
  });

  it("loses nothing if the gateway is killed in the middle of a payment", async () => {
    const [sells, stops] = some(fleet.in("connected"), 2) as [Counter, Counter];
    const [begun, time] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sale = fleet.sell(sells, "00", time.promise, begun.resolve);
    await begun.promise;
    await gateway.kill();
    const restarted = gateway.restart();
    await stops.stop();
    time.resolve();
    await restarted;
    await sale;
    await lists();
    // When it was heard was lost with its object, which has found the connection gone when it was asked.
    stops.heard[1] = Date.now();
    await settle();
    await judgeBusiness();
  });

  it("is the same on the command line, and readable for Prometheus", async () => {
    expect(seen((await command("get", "/overview")) as Overview)).toEqual(seen(await overview()));
    const listed = (await command("terminals", "--offline")) as TerminalAnswer[];
    expect(idsOf(listed)).toEqual([...present().lists.notConnected, ...SPARE].toSorted());
    expect((await promtool(await metrics())) ?? "").toBe("");
  });
});
