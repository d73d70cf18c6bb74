/** What operators see of the service: overview, metrics, and what is 22. */
import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Account, Terminal } from "../../../../src/gateway/index.ts";
import { metricsText } from "../../../../src/gateway/http/operator/overview/metrics.ts";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import type { PendingTransaction } from "../../../../src/protocol/schemas/operator-transactions.ts";
import { type Books, openBooks } from "../../../support/gateway/account/books.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { failAccountNotes, failAlerts } from "../../../support/database.ts";
import { createAccount, enrolTerminal, operator, OPERATOR_TOKEN, send, uniqueId } from "../../../support/gateway.ts";
import { Receivers } from "../../../support/receiver.ts";
import { approved, reportedOpen, useAccount } from "../../../support/scene.ts";
import { Shop } from "../account/webhooks/endpoints.ts";
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

function asOperator(path: string): Promise<Response> {
  return send("GET", path, { token: OPERATOR_TOKEN });
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
    const { merchantId } = here.till.account;
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
      await deliverStatistics(here.till.account.posId);
      const { lastHour, lastDay, hours } = await overview();
      expect(lastHour.transactions["00"]).toBe(before.lastHour.transactions["00"] + 1);
      expect(lastDay.transactions["00"]).toBe(before.lastDay.transactions["00"] + 1);
      expect(lastHour.approvalRate).toBe(1);
      for (const part of ["gateway", "delivery", "customer"] as const) {
        expect(lastHour[part]?.count).toBeGreaterThan(0);
      }
      expect(hours).toHaveLength(24);
      expect(hours.at(-1)?.transactions["00"]).toBe(lastHour.transactions["00"]);
    });
    connection.drop();
    await here.pass(MINUTE);
    await here.till.sale();
    await eventually(async () => {
      await deliverStatistics(here.till.account.posId);
      const { notApproved } = await overview();
      expect(notApproved).toContainEqual({
        responseCode: "TERMINAL_OFFLINE",
        statusCode: "11",
        count: expect.any(Number),
      });
    });
  });

  it("names webhooks that lag or are disabled, until they work again", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop } = await Shop.withEndpoint();
    receivers.answer = () => 500;
    const own = async () => (await overview()).webhooks.endpoints.filter(({ posId }) => posId === shop.books.posId);
    await shop.sell(1);
    await shop.failed(1);
    expect(await own()).toEqual([]);
    for (const [times, pause] of [
      [2, 6 * SECOND],
      [3, 31 * SECOND],
    ] as const) {
      await shop.pass(pause);
      await shop.failed(times);
    }
    await eventually(async () => expect(await own()).toMatchObject([{ webhookId: "wh_1", disabledBy: null }]));
    await shop.object.switchWebhook({ id: 1, enabled: false }, "anna");
    await eventually(async () => expect(await own()).toMatchObject([{ webhookId: "wh_1", disabledBy: "operator" }]));
    receivers.answer = () => 204;
    await shop.object.switchWebhook({ id: 1, enabled: true }, "tester");
    await eventually(async () => expect(await own()).toEqual([]));
  });

  it("says since when D1 lacks a change, until D1 has it", async ({ expect }) => {
    const { posId } = await createAccount();
    expect((await overview()).outbox.oldest).toBeNull();
    const database = failAccountNotes("fail");
    const began = Date.now();
    const changed = operator("PATCH", `/operator/accounts/${posId}`, { name: "Late" });
    await eventually(async () => {
      const { oldest } = (await overview()).outbox;
      expect(Date.parse(oldest ?? "")).toBeGreaterThanOrEqual(began);
    });
    database.recover();
    vi.setSystemTime(Date.now() + MINUTE);
    await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
    await eventually(async () => expect((await overview()).outbox.oldest).toBeNull());
    expect((await changed).status).toBe(200);
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
      expect((await asOperator(`/operator/${path}`)).status).toBe(200);
    }
    vi.restoreAllMocks();
    expect(woken).toEqual([]);
  });
});

describe("pending transactions", () => {
  it("are listed until they end, with the amount at risk", async ({ expect }) => {
    const here = await scene();
    const sale = await reportedOpen(here, await here.connect());
    const { posId } = here.till.account;
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

  it("are listed after an outage of D1 only if still pending", async ({ expect }) => {
    const books = await openBooks();
    const database = failAlerts("fail");
    const [gone, stays] = [books.entry(OPEN), books.entry(OPEN)];
    await books.object.record([gone, stays]);
    await books.object.record([
      { ...gone, revision: 2, completedAt: Date.now(), transaction: { ...gone.transaction, statusCode: "00" } },
    ]);
    expect(await openOf(books)).toEqual([]);
    database.recover();
    // An object that was reset meanwhile has its alarm.
    await abortAllDurableObjects();
    await eventually(async () => {
      vi.setSystemTime(Date.now() + MINUTE);
      await runDurableObjectAlarm(env.ACCOUNT.getByName(books.posId));
      expect(await openOf(books)).toEqual([stays.transaction.referenceId]);
    });
  });

  it("cost D1 nothing if they end before they are reported", async ({ expect }) => {
    const books = await openBooks();
    const database = failAlerts("lose");
    await books.object.record([books.entry(), books.entry({ transaction: { statusCode: "11" } })]);
    expect(database.tries).toBe(0);
  });
});

/** OpenMetrics 1.0, section "ABNF", for gauges and summaries. */
const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const NUMBER = "[-+]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?";
const DESCRIPTOR = new RegExp(
  `^# (?:TYPE (${NAME}) (?:gauge|gaugehistogram)|UNIT (${NAME}) ([a-z]+)|HELP (${NAME}) .+)$`,
);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{${LABEL}(?:,${LABEL})*\\})? ${NUMBER}$`);

/** The lines that break the grammar, by themselves or by their place. */
function faultsOf(text: string): string[] {
  const faults: string[] = [];
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.pop() !== "# EOF") faults.push("it does not end with # EOF and a line feed");
  const seen = new Set<string>();
  const samples = new Set<string>();
  let family = "";
  for (const line of lines) {
    const [, typed, withUnit, unit, helped] = DESCRIPTOR.exec(line) ?? [];
    const name = typed ?? withUnit ?? helped;
    const [, sampled] = SAMPLE.exec(line) ?? [];
    if (name === undefined && sampled === undefined) faults.push(`no line of the grammar: ${line}`);
    if (typed !== undefined && seen.has(typed)) faults.push(`a family in two parts: ${line}`);
    if (typed !== undefined) seen.add((family = typed));
    if (name !== undefined && name !== family) faults.push(`of another family: ${line}`);
    if (unit !== undefined && !name?.endsWith(`_${unit}`)) faults.push(`a unit that is not in the name: ${line}`);
    if (sampled !== undefined && sampled.replace(/_bucket$/u, "") !== family)
      faults.push(`a sample of another family: ${line}`);
    const labels = line.replace(/ [^ ]*$/, "");
    if (sampled !== undefined && samples.has(labels)) faults.push(`a sample twice: ${line}`);
    samples.add(labels);
  }
  return faults;
}

describe("metrics", () => {
  it("are OpenMetrics text, in its grammar and under its content type", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    await reportedOpen(here, connection);
    await eventually(async () => expect((await overview()).pending.count).toBeGreaterThan(0));
    const answer = await asOperator("/operator/metrics");
    expect(answer.headers.get("Content-Type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    const text = await answer.text();
    expect(faultsOf(text)).toEqual([]);
    expect(text).toMatch(/^pos_gateway_part_seconds_bucket\{part="gateway",window="hour",le="0\.25"\} [0-9]+$/m);
    expect(text).toMatch(/^pos_gateway_pending_amount\{currency="MYR"\} [0-9.]+$/m);
  });

  it("stay in the grammar with any response code of a terminal", async ({ expect }) => {
    const shown = await overview();
    const code = 'a "quoted" \\ code\nin two lines';
    const text = metricsText({ ...shown, notApproved: [{ responseCode: code, statusCode: "11", count: 1 }] });
    expect(faultsOf(text)).toEqual([]);
    expect(text).toContain('pos_gateway_not_approved{code="a \\"quoted\\" \\\\ code\\nin two lines"} 1\n');
    expect(faultsOf(text.replace("# EOF", "nonsense"))).not.toEqual([]);
  });
});

describe("a name", () => {
  it("matches nothing if no account has it", async ({ expect }) => {
    expect((await pending(`?posId=${uniqueId("pos")}`)).data).toEqual([]);
  });
});
