import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import type { StatisticsRow } from "../../../../src/protocol/schemas/operator-statistics.ts";
import { Account } from "../../../../src/gateway/index.ts";
import { cleanUp } from "../../../../src/gateway/d1/clean-up.ts";
import { statisticsStatements } from "../../../../src/gateway/d1/statistics.ts";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import {
  type CountedDay,
  count,
  type OutcomeKind,
  type Tally,
  tallyAt,
} from "../../../../src/gateway/statistics/tally.ts";
import { TIMES } from "../../../../src/protocol/statistics.ts";
import { openBooks } from "../../../support/gateway/account/books.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { isoWithOffset } from "../../../../src/protocol/time/zone.ts";
import {
  accessToken,
  bindTerminal,
  call,
  createAccount,
  type ErrorBody,
  operator,
  uniqueId,
} from "../../../support/gateway.ts";
import { approved, reportedOpen, Scene, ScenePos, useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";
import { deliverStatistics } from "../../../support/statistics.ts";

useFakeClock();
const scene = useAccount();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Page {
  data: StatisticsRow[];
  next: string | null;
}

async function statistics(query: Record<string, string>): Promise<Page> {
  const { status, body } = await operator<Page>("GET", `/operator/statistics?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

const PRICE = { currency: "MYR", amount: 1_250 };
const SALE: OutcomeKind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };

/** What accounts have sent: up to which event, and their days. */
const sent = new Map<string, { upTo: number; days: Map<number, CountedDay> }>();

/** An account sends D1 more of an hour: so many sales, and one declined with each of these codes. */
async function hourOf(posId: string, at: number, sales: number, milliseconds = 10, codes = ["51"]): Promise<void> {
  const { upTo: before, days } = sent.get(posId) ?? { upTo: 0, days: new Map<number, CountedDay>() };
  const [hour, day, upTo] = [Math.floor(at / HOUR), Math.floor(at / DAY), before + sales + codes.length];
  const counted = { hours: days.get(day)?.hours ?? new Map<number, Tally>(), event: upTo };
  const tally = tallyAt(counted.hours, hour % 24);
  for (let sale = 0; sale < sales; sale++) count(tally, SALE, { gateway: milliseconds }, PRICE);
  for (const responseCode of codes) count(tally, { ...SALE, statusCode: "11", responseCode }, {});
  sent.set(posId, { upTo, days: days.set(day, counted) });
  const update = { days: new Map([[day, counted]]), payments: new Map<number, string[]>() };
  await env.DATABASE.batch(statisticsStatements(env.DATABASE, posId, update));
}

const approvedIn = ({ data }: Page): number[] => data.map(({ transactions }) => transactions["00"]);

const at = (time: number): string => new Date(time).toISOString();

describe("statistics", () => {
  it("are listed by the hour, newest first, for one or all accounts", async ({ expect }) => {
    const [one, other] = [uniqueId("pos"), uniqueId("pos")];
    const now = Date.now() + 10 * DAY;
    vi.setSystemTime(now);
    await hourOf(one, now, 2);
    await hourOf(one, now - HOUR, 3);
    await hourOf(other, now, 4);
    const all = await statistics({});
    expect(approvedIn(all)).toEqual([6, 3]);
    expect(all.data[0]).toMatchObject({
      hour: at(Math.floor(now / HOUR) * HOUR).replace("Z", "+00:00"),
      day: null,
      posId: null,
      transactions: { "00": 6, "11": 2 },
      approvalRate: 0.75,
      gateway: { count: 6, within: { "10": 6, "60000": 6 } },
      delivery: null,
    });
    expect(approvedIn(await statistics({ posId: one }))).toEqual([2, 3]);
    expect(approvedIn(await statistics({ posId: one, to: at(now - 1) }))).toEqual([3]);
    expect(approvedIn(await statistics({ posId: uniqueId("pos") }))).toEqual([]);
  });

  it("come in pages, of hours and of accounts", async ({ expect }) => {
    const now = Date.now() + 20 * DAY;
    vi.setSystemTime(now);
    const prefix = uniqueId("p");
    for (const name of ["a", "b", "c"]) await hourOf(`${prefix}-${name}`, now, 1);
    for (let back = 0; back < 5; back++) await hourOf(`${prefix}-d`, now - back * HOUR, back + 1);
    const hours: number[][] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await statistics({
        posId: `${prefix}-d`,
        limit: "2",
        from: at(now - 6 * HOUR),
        ...(cursor === "" ? {} : { cursor }),
      });
      hours.push(approvedIn(page));
      cursor = page.next;
    }
    expect(hours).toEqual([[1, 2], [3, 4], [5], []]);
    const first = await statistics({ by: "account", limit: "3" });
    expect(first.data.map(({ posId }) => posId)).toEqual(["a", "b", "c"].map((name) => `${prefix}-${name}`));
    expect(first.data.map(({ timezone }) => timezone)).toEqual(["UTC", "UTC", "UTC"]);
    const second = await statistics({ by: "account", limit: "3", cursor: first.next ?? "" });
    expect(approvedIn(second)).toEqual([15]);
    expect(second.next).toBeNull();
  });

  it("count how often each response code came, without times", async ({ expect }) => {
    const now = Date.now() + 30 * DAY;
    vi.setSystemTime(now);
    await hourOf(uniqueId("pos"), now, 3);
    const { data } = await statistics({ by: "responseCode" });
    const nothing = {
      hour: null,
      day: null,
      posId: null,
      timezone: "UTC",
      transTypes: { sale: 0, cashOut: 0, void: 0 },
      turnover: [],
      approvalRate: null,
      ...Object.fromEntries(TIMES.map((name) => [name, null])),
    };
    const counted = (responseCode: string, statusCode: "00" | "11", times: number) => ({
      ...nothing,
      responseCode,
      transactions: { "00": 0, "11": 0, [statusCode]: times },
      responseCodes: [{ responseCode, statusCode, count: times }],
    });
    expect(data).toEqual([counted("00", "00", 3), counted("51", "11", 1)]);
  });

  it("cover whole days by the day, for up to 400 days", async ({ expect }) => {
    const posId = uniqueId("pos");
    const first = Math.floor(Date.now() / DAY) * DAY + 60 * DAY;
    for (const hour of [0, 5, 23]) await hourOf(posId, first + hour * HOUR, 2, 10 + hour);
    await hourOf(posId, first + DAY, 7);
    const question = { by: "day", from: at(first + HOUR), to: at(first + 2 * DAY) };
    vi.setSystemTime(first + DAY + HOUR);
    const [all, own] = [await statistics(question), await statistics({ ...question, posId })];
    expect([approvedIn(all), approvedIn(own)]).toEqual([
      [7, 6],
      [7, 6],
    ]);
    expect(all.data[1]).toMatchObject({
      day: at(first).slice(0, 10),
      hour: null,
      gateway: { count: 6, within: { "10": 2, "25": 4, "50": 6 } },
    });
    expect(own.data[1]).toMatchObject({ day: at(first).slice(0, 10), transTypes: { sale: 9 }, gateway: { count: 6 } });
    vi.setSystemTime(first + 63 * DAY);
    await cleanUp(env.DATABASE, Date.now());
    expect(approvedIn(await statistics({ ...question, posId }))).toEqual([7]);
    vi.setSystemTime(first + 400 * DAY);
    await cleanUp(env.DATABASE, Date.now());
    expect(await statistics(question)).toEqual(all);
    await cleanUp(env.DATABASE, first + 403 * DAY);
    expect(approvedIn(await statistics(question))).toEqual([]);
  });

  it("come from the account's object where D1 no longer has them", async ({ expect }) => {
    const first = Math.floor(Date.now() / DAY) * DAY + 450 * DAY + 4 * HOUR;
    vi.setSystemTime(first);
    const books = await openBooks();
    const { posId } = books;
    await accountStub(env, posId).record([books.entry(), books.entry()]);
    // A day before D1 may have deleted them.
    vi.setSystemTime(first + 61 * DAY);
    const asked = vi.spyOn(Account.prototype, "statistics");
    for (const [from, times] of [
      [first, 0],
      [first - HOUR, 1],
    ] as const) {
      const question = { posId, from: at(from), to: at(first + HOUR) };
      await eventually(async () => {
        await deliverStatistics(posId);
        expect(approvedIn(await statistics(question))).toEqual([2]);
      });
      expect(asked).toHaveBeenCalledTimes(times);
    }
    asked.mockRestore();
    vi.setSystemTime(first + 100 * DAY);
    await cleanUp(env.DATABASE, Date.now());
    await books.object.record([books.entry()]);
    const period = { posId, from: at(first), limit: "100" };
    expect(approvedIn(await statistics({ ...period, by: "day", from: at(first + 12 * HOUR) }))).toEqual([1]);
    expect(approvedIn(await statistics({ ...period, by: "day", to: at(first + DAY) }))).toEqual([2]);
    expect(approvedIn(await statistics({ ...period, by: "account" }))).toEqual([3]);
    expect(approvedIn(await statistics({ ...period, by: "responseCode" }))).toEqual([3]);
    const hour = await statistics({ ...period, to: at(first + HOUR) });
    expect(hour.data).toMatchObject([{ hour: isoWithOffset(first, hour.data[0]?.timezone ?? "") }]);
    expect(approvedIn(await statistics({ from: at(first), posId: uniqueId("pos"), by: "account" }))).toEqual([]);
  });

  it("come from a terminal's own journal for that terminal", async ({ expect }) => {
    vi.setSystemTime(Date.now() + 50 * MINUTE);
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    await approved(here, connection);
    const { terminalId } = here.terminal;
    const { data } = await statistics({ terminalId });
    expect(data).toMatchObject([{ transactions: { "00": 2, "11": 0 }, transTypes: { sale: 2 } }]);
    expect(Date.parse(data[0]?.hour ?? "")).toBe(Math.floor(Date.now() / HOUR) * HOUR);
    expect(data[0]?.delivery).not.toBeNull();
    const hour = Math.floor(Date.now() / HOUR);
    const countedIn = async (from: number, to: number) =>
      approvedIn(await statistics({ terminalId, from: at(from * HOUR), to: at(to * HOUR) }));
    expect(await countedIn(hour - 2, hour)).toEqual([]);
    expect(await countedIn(hour, hour + 1)).toEqual([2]);
    expect(await countedIn(hour + 1, hour + 2)).toEqual([]);
    const byAccount = await statistics({ terminalId, by: "account" });
    expect(byAccount.data.map(({ posId }) => posId)).toEqual([here.pos.account.posId]);
    const { timezone } = here.pos.account;
    expect((await statistics({ terminalId, by: "day" })).data).toMatchObject([{ timezone }]);
    expect((await statistics({ terminalId, by: "responseCode" })).data).toMatchObject([{ responseCode: "00" }]);
    expect((await statistics({ terminalId, posId: uniqueId("pos") })).data).toEqual([]);
    // Later it works for another account, whose posId comes first.
    const other = await createAccount({ posId: uniqueId("A") });
    await bindTerminal(other, here.terminal);
    const answer = new ScenePos(other, here.terminal, await accessToken(other), here.books).sale();
    here.approve(connection, await connection.acceptNext());
    await answer;
    const each = await statistics({ terminalId, by: "account" });
    expect(each.data.map(({ posId }) => posId)).toEqual([other.posId, here.pos.account.posId]);
    expect(approvedIn(each)).toEqual([1, 2]);
    expect(approvedIn(await statistics({ terminalId, posId: other.posId }))).toEqual([1]);
    const nobody = await operator("GET", `/operator/statistics?terminalId=${uniqueId("term")}`);
    expect(nobody.status).toBe(404);
  });

  it("refuse invalid questions, naming what is wrong", async ({ expect }) => {
    const wrong: [query: string, path: string][] = [
      ["by=week", "by"],
      ["from=yesterday", "from"],
      ["from=2026-11-20T10:00:00Z&to=2026-11-19T10:00:00Z", "to"],
      ["cursor=x", "cursor"],
      ["limit=0", "limit"],
    ];
    for (const [query, path] of wrong) {
      const { status, body } = await operator<ErrorBody>("GET", `/operator/statistics?${query}`);
      expect([status, body.details?.map((detail) => detail.path)]).toEqual([400, [path]]);
    }
  });
});

/** Hundredths of a decimal text. */
const exactly = (amount = "0"): number => Math.round(Number(amount) * 100);

interface Totals {
  data: { transType: string; approved: { transAmt: string } }[];
}

describe("the turnover", () => {
  it("is exact, and equals the account's own totals", async ({ expect }) => {
    const here = await Scene.alone();
    const { pos, terminal } = here;
    const { posId } = pos.account;
    const connection = await here.connect();
    const voided = await approved(here, connection);
    await approved(here, connection, pos.saleBody({}, { transAmt: "0.05" }));
    const transData = { transAmt: "20.10", cashAmt: "50.00", paymentMethod: "bankCard" };
    await approved(here, connection, pos.body("cashOut", { transData }));
    const { transId } = voided.answer.body.transData ?? {};
    const taken = await approved(here, connection, pos.body("void", { transData: { transId } }));
    const again = await pos.void(taken.request.requestId);
    expect(again.body.statusCode).not.toBe("00");
    const settled = await reportedOpen(here, connection, pos.saleBody({}, { transAmt: "7.77" }));
    await here.resolve(settled.request.requestId, "00", "Seen at the host.");
    const conflict = await reportedOpen(here, connection, pos.saleBody({}, { transAmt: "1000.00" }));
    await here.resolve(conflict.request.requestId, "11", "The host knows of no such payment.");
    connection.result(conflict.request, "00");
    await connection.next("ack");
    await reportedOpen(here, connection, pos.saleBody({}, { transAmt: "3000.00" }));
    const turnover = [{ currency: "MYR", transAmt: "27.92" }];
    expect((await statistics({ terminalId: terminal.terminalId, by: "account" })).data).toMatchObject([{ turnover }]);

    await eventually(async () => {
      const { data } = (await call<Totals>("GET", "/api/totals", { token: pos.token })).body;
      const amounts = data.map(({ transType, approved: { transAmt } }) =>
        transType === "void" ? `-${transAmt}` : transAmt,
      );
      expect(amounts.reduce((sum, amount) => sum + exactly(amount), 0)).toBe(2_792);
    });

    // A deleted account's last figures come, too.
    expect((await operator("DELETE", `/operator/accounts/${posId}?force=true`)).status).toBe(200);
    await eventually(async () => {
      await deliverStatistics(posId);
      const { data } = await statistics({ posId, by: "account" });
      expect(data).toMatchObject([{ turnover, transTypes: { sale: 4, cashOut: 1 } }]);
    });
    const { hours } = (await operator<Overview>("GET", "/operator/overview")).body;
    const accounts = await statistics({ by: "account", from: hours.at(-2)?.hour ?? "", limit: "100" });
    const all = accounts.data.reduce((sum, row) => sum + exactly(row.turnover[0]?.transAmt), 0);
    expect(await serviceTurnover()).toBe(all);
  });
});

/** Hundredths of MYR in the last 24 hours, as the overview has them. */
async function serviceTurnover(): Promise<number> {
  const { lastDay } = (await operator<Overview>("GET", "/operator/overview")).body;
  return exactly(lastDay.turnover.find(({ currency }) => currency === "MYR")?.transAmt);
}

describe("a search for one transaction", () => {
  it("finds it by account and reference, recorded or not", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { referenceId, request } = await approved(here, connection);
    const { posId } = here.pos.account;
    const path = `/operator/transactions?posId=${posId}&referenceId=`;
    await eventually(async () => {
      const { body } = await operator("GET", `${path}${referenceId}&amount=`);
      expect(body).toMatchObject({
        terminalId: here.terminal.terminalId,
        transaction: { requestId: request.requestId, referenceId, state: "completed" },
      });
    });
    const running = here.pos.saleBody();
    const answer = here.pos.transfer(running);
    const open = await connection.acceptNext();
    const found = await operator("GET", `${path}${String(running["referenceId"])}`);
    expect(found.body).toMatchObject({ transaction: { requestId: open.requestId } });
    here.approve(connection, open);
    await answer;
    expect((await operator("GET", `${path}nothing`)).status).toBe(404);
    expect((await operator("GET", `/operator/transactions?posId=nobody&referenceId=${referenceId}`)).status).toBe(404);
  });
});
