/** What an account sees of its transactions and days, through the front door. */
import { describe, it, vi } from "vitest";
import type { AccountTransaction } from "../../../../src/protocol/events.ts";
import type { DayTotals } from "../../../../src/protocol/totals.ts";
import { Terminal } from "../../../../src/gateway/index.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { call, type ErrorBody, operator, send, uniqueId } from "../../../support/gateway.ts";
import { RecordCalls } from "../../../support/record-calls.ts";
import { Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

interface Page {
  data: AccountTransaction[];
  next: string | null;
}

type Status = "00" | "11" | "22";

interface Shop {
  pos: Pos;
  terminal: ScriptedTerminal;
}

/** A new account with one terminal, which is connected. */
async function openShop(): Promise<Shop> {
  const pos = await Pos.create();
  return { pos, terminal: await ScriptedTerminal.connect(pos.terminal) };
}

/** @returns the sale's reference */
async function sell(
  { pos, terminal }: Shop,
  statusCode: Status,
  members: object = {},
  referenceId = pos.reference(),
): Promise<string> {
  const answer = pos.sale({ referenceId });
  terminal.result(await terminal.acceptNext(), statusCode, members);
  await answer;
  if (statusCode !== "22") await terminal.next("ack");
  return referenceId;
}

async function list({ pos }: Shop, query = ""): Promise<Page> {
  const { status, body } = await call<Page>("GET", `/api/transactions${query}`, { token: pos.token });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The list, as soon as it has this many rows: a terminal's object records in the background. */
async function listed(shop: Shop, count: number, query = ""): Promise<Page> {
  return eventually(async () => {
    const page = await list(shop, query);
    if (page.data.length !== count) throw new Error(`${page.data.length} transactions`);
    return page;
  });
}

async function problems(shop: Shop, path: string): Promise<string[]> {
  const { status, body } = await call<ErrorBody>("GET", path, { token: shop.pos.token });
  return status === 400 ? (body.details ?? []).map((problem) => problem.path) : [String(status)];
}

describe("an account's transactions", () => {
  it("are listed newest first, as their newest events describe them", async ({ expect }) => {
    const shop = await openShop();
    const paid = await sell(shop, "00", { transData: { paymentChannel: "VISA" } });
    const declined = await sell(shop, "11");
    const open = await sell(shop, "22");
    const { data, next } = await listed(shop, 3);
    expect(next).toBeNull();
    expect(data.map(({ referenceId, statusCode }) => [referenceId, statusCode])).toEqual([
      [open, "22"],
      [declined, "11"],
      [paid, "00"],
    ]);
    expect(data[2]).toMatchObject({
      paymentChannel: "VISA",
      completedBy: "terminal",
      deviceId: shop.pos.terminal.terminalId,
    });
    const day = data[2]?.day ?? "";
    const references = async (query: string) => (await list(shop, query)).data.map(({ referenceId }) => referenceId);
    expect(await references(`?day=${day}`)).toEqual([declined, paid]);
    expect(await references("?day=2026-01-01")).toEqual([]);
    expect(await references("?statusCode=22")).toEqual([open]);
    expect(await references("?statusCode=00&transType=sale")).toEqual([paid]);
    expect(await references("?transType=void")).toEqual([]);
    expect(await references(`?deviceId=${shop.pos.terminal.terminalId}&statusCode=11`)).toEqual([declined]);
    expect(await references("?deviceId=T-nobody")).toEqual([]);
    expect(await references(`?referenceId=${declined}`)).toEqual([declined]);
    expect(await references(`?referenceId=${declined}&statusCode=00`)).toEqual([]);
    expect(await references("?referenceId=never")).toEqual([]);
  });

  it("are found by reference at their terminal before they are recorded", async ({ expect }) => {
    const shop = await openShop();
    const trouble = new RecordCalls("fail");
    const paid = await sell(shop, "00");
    expect((await list(shop)).data).toEqual([]);
    const { data } = await list(shop, `?referenceId=${paid}`);
    expect(data).toMatchObject([{ referenceId: paid, statusCode: "00", day: null }]);
    const { terminalId } = shop.pos.terminal;
    for (const [own, other] of [
      ["statusCode=00", "statusCode=11"],
      ["transType=sale", "transType=void"],
      [`deviceId=${terminalId}`, "deviceId=T-nobody"],
      ["", "day=2026-01-01"],
    ]) {
      const found = await Promise.all([own, other].map((filter) => list(shop, `?referenceId=${paid}&${filter}`)));
      expect([own, other, ...found.map((page) => page.data.length)]).toEqual([own, other, 1, 0]);
    }
    const coded = async (code: string) => {
      const path = `/operator/accounts/${shop.pos.account.posId}/transactions?referenceId=${paid}&responseCode=${code}`;
      return (await operator<Page>("GET", path)).body.data.length;
    };
    expect([await coded("00"), await coded("51")]).toEqual([1, 0]);
    trouble.become(null);
  });

  it("have a header, CRLF, next link and no formulas as CSV", async ({ expect }) => {
    const shop = await openShop();
    const formula = `=1+1,"${uniqueId("x").slice(-6)}"`;
    await sell(shop, "11", {}, formula);
    await sell(shop, "00");
    await listed(shop, 2);
    const ask = (query: string) =>
      send("GET", `/api/transactions${query}`, { token: shop.pos.token, headers: { Accept: "text/csv" } });
    const response = await ask("?limit=1");
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8; header=present");
    const [, next] = /^<(\/api\/transactions\?.*)>; rel="next"$/u.exec(response.headers.get("Link") ?? "") ?? [];
    expect(await response.text()).toMatch(
      /^requestId,transType,[^\r\n]*,voidedBy.referenceId\r\n[0-9]{10},sale,[^\n]*\r\n$/u,
    );
    const second = await send("GET", next ?? "", { token: shop.pos.token, headers: { Accept: "text/csv" } });
    expect(await second.text()).toContain(`,"'${formula.replaceAll('"', '""')}",11,`);
    expect(second.headers.get("Link")).toBeNull();
    const json = await send("GET", "/api/transactions", {
      token: shop.pos.token,
      headers: { Accept: "text/csv;q=0.5, application/json" },
    });
    expect(json.headers.get("Content-Type")).toMatch(/^application\/json/u);
    await json.body?.cancel();
  });

  it("are refused for invalid filters and cursors, naming them", async ({ expect }) => {
    const shop = await openShop();
    const query = "?day=2026-02-30&deviceId=a%20b&statusCode=99&transType=inquiry&limit=101&cursor=abc&colour=red";
    expect((await problems(shop, `/api/transactions${query}`)).toSorted()).toEqual([
      "",
      "cursor",
      "day",
      "deviceId",
      "limit",
      "statusCode",
      "transType",
    ]);
    expect(await problems(shop, `/api/transactions?referenceId=${"x".repeat(21)}`)).toEqual(["referenceId"]);
    expect(await problems(shop, "/api/totals?day=yesterday&limit=1")).toEqual(["day", ""]);
  });
});

describe("one transaction", () => {
  it("is returned with its stages, by its terminal", async ({ expect }) => {
    const shop = await openShop();
    const paid = await sell(shop, "00", { transData: { paymentChannel: "VISA", entryMode: "Contactless" } });
    const [sale] = (await listed(shop, 1)).data;
    const path = `/api/terminals/${shop.pos.terminal.terminalId}/transactions/${sale?.requestId}`;
    const { status, body } = await call<{ stages: { stage: string; at: string }[] }>("GET", path, {
      token: shop.pos.token,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...sale,
      referenceId: paid,
      state: "completed",
      transData: { entryMode: "Contactless" },
    });
    expect(body.stages.map(({ stage }) => stage)).toEqual(["received", "sent", "accepted", "completed"]);
    expect(body.stages[0]?.at).toMatch(/\+08:00$/u);
  });

  it("is not shown to another account, nor for another terminal", async ({ expect }) => {
    const [shop, other] = [await openShop(), await openShop()];
    await sell(shop, "00");
    const [sale] = (await listed(shop, 1)).data;
    const asked = vi.spyOn(Terminal.prototype, "ownTransaction");
    for (const [token, terminalId] of [
      [other.pos.token, shop.pos.terminal.terminalId],
      [shop.pos.token, other.pos.terminal.terminalId],
      [shop.pos.token, "T-nobody"],
    ] as const) {
      const path = `/api/terminals/${terminalId}/transactions/${sale?.requestId}`;
      expect((await call("GET", path, { token })).status).toBe(404);
    }
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
    const unknown = `/api/terminals/${shop.pos.terminal.terminalId}/transactions/1`;
    expect((await call("GET", unknown, { token: shop.pos.token })).status).toBe(404);
  });
});

describe("totals", () => {
  it("add up the day that is open, as JSON and as CSV", async ({ expect }) => {
    const shop = await openShop();
    await sell(shop, "00", { transData: { paymentChannel: "VISA" } });
    await sell(shop, "22");
    await listed(shop, 2);
    const { body } = await call<DayTotals>("GET", "/api/totals", { token: shop.pos.token });
    expect(body).toMatchObject({
      closed: false,
      deviceId: null,
      pending: { count: 1 },
      data: [{ transType: "sale", paymentChannel: "VISA", approved: { count: 1 }, notApproved: { count: 0 } }],
    });
    const path = `/api/totals?day=${body.day}&deviceId=${shop.pos.terminal.terminalId}`;
    const csv = await send("GET", path, { token: shop.pos.token, headers: { Accept: "text/csv" } });
    const lines = (await csv.text()).split("\r\n");
    expect(lines[0]).toMatch(/^day,closed,deviceId,currency,.*,notApproved.count$/u);
    expect(lines[1]).toMatch(new RegExp(`^${body.day},false,${shop.pos.terminal.terminalId},MYR,sale,VISA,1,`, "u"));
  });
});
