/** Open transactions that D1 has to be told of: each until D1 has its newest state. */
import { describe, it } from "vitest";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import { UnsettledNews, type UnsettledNewsRow } from "../../../src/account/storage/unsettled-news.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const OPEN: UnsettledNewsRow = {
  requestId: 1_000_000_001,
  event: 7,
  copy: {
    receivedAt: 1,
    currency: "MYR",
    transAmt: 1_250,
    cashAmt: null,
    terminalId: "T-1",
    referenceId: "R-1",
    transType: "sale",
    responseCode: "TERMINAL_TIMEOUT",
    responseText: null,
  },
};

const SETTLED: UnsettledNewsRow = { requestId: 1_000_000_002, event: 3, copy: null };

function newsWith(...rows: UnsettledNewsRow[]): { sql: SqlStorage; news: UnsettledNews } {
  const sql = memoryStorage(MIGRATIONS);
  const news = new UnsettledNews(sql);
  for (const row of rows) news.put(row);
  return { sql, news };
}

describe("what D1 does not know of open transactions", () => {
  it("is sent in the order of the events, also after a restart", ({ expect }) => {
    const { sql, news } = newsWith(OPEN, SETTLED);
    expect(news.isEmpty).toBe(false);
    expect(news.rows()).toEqual([SETTLED, OPEN]);
    const restarted = new UnsettledNews(sql);
    expect(restarted.isEmpty).toBe(false);
    expect(restarted.rows()).toEqual([SETTLED, OPEN]);
  });

  it("is one state for each transaction, the newest", ({ expect }) => {
    const { news } = newsWith(OPEN);
    const settled = { requestId: OPEN.requestId, event: 9, copy: null };
    news.put(settled);
    expect(news.rows()).toEqual([settled]);
  });

  it("is sent fifty at a time", ({ expect }) => {
    const { news } = newsWith(...Array.from({ length: 51 }, (_, event) => ({ ...OPEN, requestId: event, event })));
    expect(news.rows().map(({ event }) => event)).toEqual(Array.from({ length: 50 }, (_, event) => event));
    news.told(news.rows());
    expect(news.rows().map(({ event }) => event)).toEqual([50]);
  });

  it("is nothing once D1 has it, unless something has changed meanwhile", ({ expect }) => {
    const { news } = newsWith(OPEN, SETTLED);
    const told = news.rows();
    news.put({ ...OPEN, event: 8 });
    news.told(told);
    expect(news.isEmpty).toBe(false);
    expect(news.rows()).toEqual([{ ...OPEN, event: 8 }]);
    news.told(news.rows());
    expect(news.isEmpty).toBe(true);
    expect(news.rows()).toEqual([]);
  });

  it("is known again after an undone turn", ({ expect }) => {
    const { sql, news } = newsWith();
    expect(news.isEmpty).toBe(true);
    sql.exec("BEGIN");
    news.put(OPEN);
    sql.exec("ROLLBACK");
    news.rollBack();
    expect(news.isEmpty).toBe(true);
    news.put(OPEN);
    expect(news.isEmpty).toBe(false);
  });

  it("is not asked of the table in every turn", ({ expect }) => {
    const { sql, news } = newsWith();
    expect(news.isEmpty).toBe(true);
    sql.exec("INSERT INTO unsettled_news (request_id, event) VALUES (1, 1)");
    expect([news.isEmpty, news.rows()]).toEqual([true, []]);
  });
});
