/** What operators see of the service: overview, metrics, and what is 22. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Account, Terminal } from "../../../../src/gateway/index.ts";
import { cleanUp } from "../../../../src/gateway/d1/clean-up.ts";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import type { PendingTransaction } from "../../../../src/protocol/schemas/operator-transactions.ts";
import { type Books, openBooks } from "../../../support/gateway/account/books.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import {
  accessToken,
  createAccount,
  enrolTerminal,
  operator,
  OPERATOR_TOKEN,
  send,
  uniqueId,
} from "../../../support/gateway.ts";
import { metricValue } from "../../../support/metrics.ts";
import { approved, reportedOpen, Scene, useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";
import { deliverStatistics } from "../../../support/statistics.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

async function overview(): Promise<Overview> {
  const { status, body } = await operator<Overview>("GET", "/operator/overview");
  if (status !== 200) throw new Error(`the overview answers ${status}`);
  return body;
}

interface Page {
  data: PendingTransaction[];
  next: string | null;
}

async function pending(query = ""): Promise<Page> {
  return (await operator<Page>("GET", `/operator/pending${query}`)).body;
}

/** Those of one account, by their references. */
async function openOf({ posId }: Books): Promise<string[]> {
  return (await pending(`?posId=${posId}`)).data.map(({ referenceId }) => referenceId);
}

describe("the overview", () => {
  it("counts enrolled, bound and connected terminals as they come and go", async ({ expect }) => {
    const before = (await overview()).terminals;
    const here = await scene();
    const { terminalId } = await enrolTerminal();
    const connection = await here.connect();
    const { enrolled, bound, connected } = before;
    await eventually(async () => {
      expect((await overview()).terminals).toEqual({
        enrolled: enrolled + 2,
        bound: bound + 1,
        connected: connected + 1,
      });
    });
    connection.drop();
    await here.pass(MINUTE);
    await operator("DELETE", `/operator/terminals/${terminalId}`);
    await eventually(async () => {
      expect((await overview()).terminals).toEqual({ enrolled: enrolled + 1, bound: bound + 1, connected });
    });
  });

  it("lists shops with terminals that are offline, and since when", async ({ expect }) => {
    const here = await scene();
    const { merchantId } = here.pos.account;
    await operator("PUT", `/operator/shops/${merchantId}`, { name: "Corner shop", timezone: "UTC" });
    const lost = Date.now();
    (await here.connect()).drop();
    await here.pass(MINUTE);
    await eventually(async () => {
      const { offline } = await overview();
      const shop = offline.shops.find((one) => one.merchantId === merchantId);
      expect(shop).toMatchObject({ shopName: "Corner shop" });
      expect(Date.parse(shop?.latest ?? "")).toBeGreaterThanOrEqual(lost);
      expect(offline.terminals).toBeGreaterThanOrEqual(shop?.terminals ?? 1);
    });
  });

  it("shows business and speed of the last hour and day", async ({ expect }) => {
    // Not the beginning of an hour.
    skip(MINUTE);
    const before = await overview();
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    await eventually(async () => {
      await deliverStatistics(here.pos.account.posId);
      const { lastDay, hours, dayBefore } = await overview();
      expect(dayBefore.transactions).toEqual(before.dayBefore.transactions);
      expect(lastDay.transactions["00"]).toBe(before.lastDay.transactions["00"] + 1);
      expect(hours.at(-1)?.approvalRate).toBe(1);
      for (const part of ["gateway", "delivery", "customer"] as const) {
        expect(hours.at(-1)?.[part]?.count).toBeGreaterThan(0);
      }
      expect(hours).toHaveLength(24);
      expect(hours.at(-1)?.transactions["00"]).toBe((before.hours.at(-1)?.transactions["00"] ?? 0) + 1);
    });
    connection.drop();
    await here.pass(MINUTE);
    await here.pos.sale();
    await eventually(async () => {
      await deliverStatistics(here.pos.account.posId);
      const { notApproved } = await overview();
      expect(notApproved).toContainEqual({
        responseCode: "TERMINAL_OFFLINE",
        statusCode: "11",
        count: expect.any(Number),
      });
    });
  });

  it("wakes no object, nor does anything else that pages poll", async ({ expect }) => {
    const books = await openBooks();
    await books.object.record([books.entry(), books.entry(OPEN)]);
    await eventually(async () => expect(await openOf(books)).toHaveLength(1));
    const woken: string[] = [];
    for (const { prototype } of [Account, Terminal]) {
      for (const name of Object.getOwnPropertyNames(prototype)) {
        if (name === "constructor") continue;
        vi.spyOn(prototype as unknown as Record<string, () => void>, name).mockImplementation(() => {
          woken.push(name);
        });
      }
    }
    const asked = ["overview", "metrics", "pending", "statistics", "statistics?by=day", "statistics?by=account"];
    for (const path of [...asked, "statistics?by=responseCode", "statistics?posId=POS-1"]) {
      expect((await send("GET", `/operator/${path}`, { token: OPERATOR_TOKEN })).status).toBe(200);
    }
    vi.restoreAllMocks();
    expect(woken).toEqual([]);
  });
});

describe("pending transactions", () => {
  it("are listed until they end, with the amount at risk", async ({ expect }) => {
    const here = await scene();
    const sale = await reportedOpen(here, await here.connect());
    const { posId } = here.pos.account;
    await eventually(async () => {
      const { data } = await pending(`?posId=${posId}`);
      expect(data.find(({ referenceId }) => referenceId === sale.referenceId)).toMatchObject({
        requestId: sale.request.requestId,
        terminalId: here.terminal.terminalId,
        transType: "sale",
        transAmt: "12.50",
        cashAmt: null,
        currency: "MYR",
      });
    });
    const { count, amounts, oldest } = (await overview()).pending;
    expect(count).toBeGreaterThanOrEqual(1);
    expect(amounts.find(({ currency }) => currency === "MYR")?.count).toBeGreaterThanOrEqual(1);
    expect(oldest).not.toBeNull();
    await here.resolve(sale.request.requestId, "11", "Seen at the host.");
    await eventually(async () => {
      const { data } = await pending(`?posId=${posId}`);
      expect(data.map(({ referenceId }) => referenceId)).not.toContain(sale.referenceId);
    });
  });

  it("are listed by account and by terminal", async ({ expect }) => {
    const books = await openBooks();
    const [one, other] = [books.entry(OPEN), books.entry({ ...OPEN, deviceId: uniqueId("term") })];
    await books.object.record([one, other]);
    await eventually(async () => expect(await openOf(books)).toHaveLength(2));
    const { data } = await pending(`?terminalId=${other.deviceId}`);
    expect(data.map(({ referenceId }) => referenceId)).toEqual([other.transaction.referenceId]);
    expect((await pending(`?terminalId=${other.deviceId}&posId=${uniqueId("pos")}`)).data).toEqual([]);
  });

  it("come oldest first, in pages", async ({ expect }) => {
    const books = await openBooks();
    const received = [5, 1, 4, 2, 3].map((minute) => Date.now() - minute * MINUTE);
    const entries = received.map((receivedAt) => books.entry({ ...OPEN, receivedAt }));
    await books.object.record(entries);
    await eventually(async () => expect(await openOf(books)).toHaveLength(5));
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await pending(`?limit=2&posId=${books.posId}${cursor === "" ? "" : `&cursor=${cursor}`}`);
      paged.push(...page.data.map(({ receivedAt }) => receivedAt));
      cursor = page.next;
    }
    expect(paged).toEqual(paged.toSorted());
    expect(paged).toHaveLength(5);
    const young = new Date(Date.now() - 3.5 * MINUTE).toISOString();
    expect((await pending(`?posId=${books.posId}&before=${young}`)).data).toHaveLength(2);
  });
});

const APPROVED = 'transfers_total{status="00",code="00",completed_by="terminal"}';

describe("metrics", () => {
  it("count a sale and its times once, also after days", async ({ expect }) => {
    const here = await scene();
    await deliverStatistics();
    const before = (await metricValue(APPROVED)) || 0;
    const timed = await metricValue('transfer_seconds_count{part="gateway"}');
    await approved(here, await here.connect());
    await eventually(async () => {
      await deliverStatistics(here.pos.account.posId);
      expect(await metricValue(APPROVED)).toBe(before + 1);
    });
    expect(await metricValue('transfer_seconds_bucket{part="gateway",le="+Inf"}')).toBe(timed + 1);
    expect(await metricValue('transfer_seconds_sum{part="customer"}')).toBeGreaterThanOrEqual(0);
    // The clean-up adds the hours up, and deletes them after their time.
    for (const days of [5, 500, 501]) {
      await cleanUp(env.DATABASE, Date.now() + days * 24 * 60 * MINUTE);
      expect(await metricValue(APPROVED)).toBe(before + 1);
    }
  });

  it("count connections that open and that are lost", async ({ expect }) => {
    const here = await scene();
    const [opened, lost] = ["terminal_connections_opened_total", "terminal_connections_lost_total"];
    const before = { opened: await metricValue(opened), lost: await metricValue(lost) };
    const connection = await here.connect();
    await eventually(async () => expect(await metricValue(opened)).toBe(before.opened + 1));
    connection.drop();
    await here.pass(MINUTE);
    await eventually(async () => expect(await metricValue(lost)).toBe(before.lost + 1));
    expect(await metricValue(opened)).toBe(before.opened + 1);
  });

  it("name a shop only while every terminal of it is offline", async ({ expect }) => {
    const account = await createAccount();
    const { merchantId } = account;
    const here = await Scene.of(account, await accessToken(account));
    const series = `shop_offline{merchant="${merchantId}"}`;
    const other = await enrolTerminal();
    for (const { terminalId } of [here.terminal, other]) {
      await operator("PATCH", `/operator/terminals/${terminalId}`, { merchantId });
    }
    const { DATABASE: db } = env;
    const connect = (value: 0 | 1) =>
      db.prepare("UPDATE terminals SET connected = ? WHERE terminal_id = ?").bind(value, other.terminalId).run();
    await connect(1);
    (await here.connect()).drop();
    await here.pass(MINUTE);
    const shown = async () => (await overview()).offline.shops.find((shop) => shop.merchantId === merchantId);
    await eventually(async () => expect(await shown()).toMatchObject({ allOffline: false }));
    expect(await metricValue(series)).toBeNaN();
    await connect(0);
    expect(await shown()).toMatchObject({ allOffline: true });
    expect(await metricValue(series)).toBe(1);
  });

  it("count refused logins and limited requests, at most a write a minute", async ({ expect }) => {
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    const series = 'logins_refused_total{caller="operator"}';
    const before = await metricValue(series);
    await send("GET", "/operator/overview", { token: "x".repeat(24) });
    await eventually(async () => expect(await metricValue(series)).toBeGreaterThan(before));
    const written = await metricValue(series);
    await send("GET", "/operator/overview", { token: "x".repeat(24) });
    await send("GET", "/operator/overview", { token: "x".repeat(24) });
    expect(await metricValue(series)).toBe(written);
    vi.setSystemTime(Date.now() + MINUTE);
    await eventually(async () => expect(await metricValue(series)).toBe(written + 2));
  });
});
