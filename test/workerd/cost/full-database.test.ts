/** D1 with 50,000 accounts: what operators' pages and the daily clean-up read does not grow with them. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Coordinator } from "../../../src/gateway/coordinator/coordinator.ts";
import { ACCOUNT_HOURS_LIFE } from "../../../src/gateway/statistics/limits.ts";
import { cleanUp } from "../../../src/gateway/d1/clean-up.ts";
import { NUMBER_BLOCK_LIFE } from "../../../src/gateway/d1/limits.ts";
import { useFakeClock } from "../../support/clock.ts";
import { OPERATOR_TOKEN, send } from "../../support/gateway.ts";
import { Meter } from "../../cost/counting.ts";

useFakeClock();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const FULL = 50_000;
const SMALL = 2_000;

/** A page's questions, each with the most rows that it may read in a database of any size. */
const QUESTIONS: Record<string, number> = {
  "/operator/overview": 200,
  "/operator/metrics": 200,
  "/operator/pending": 500,
  "/operator/terminals": 700,
  "/operator/terminals?connected=false": 2_100,
  "/operator/accounts": 300,
  "/operator/statistics": 200,
  "/operator/statistics?by=day&from=2026-01-01T00:00:00Z": 30_000,
  "/operator/statistics?by=responseCode": 200,
  "/operator/statistics?by=account": 7_000,
  "/operator/statistics?posId=P-00000100": 100,
};

/** Accounts with one terminal each, that sold yesterday and today and whose webhook once failed. */
async function fill(from: number, to: number): Promise<void> {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})`;
  const [pos, term] = ["printf('P-%08d', i)", "printf('T-%08d', i)"];
  const today = Math.floor(Date.now() / DAY);
  const sold = `'{"0":{"00 terminal sale 00":5},"9":{"00 terminal sale 00":3,"11 terminal sale 51":1},"12":{"00 terminal sale 00":4}}'`;
  const now = Date.now();
  await env.DATABASE.batch(
    [
      `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, status, created_at, sealed_under, version)
       ${numbers} SELECT ${pos}, 'M-1', 'MYR', 'UTC', 'active', 1, 'test-1', 1 FROM n`,
      `INSERT INTO terminals (terminal_id, is_vt, merchant_id, status, created_at, sealed_under, bound_pos_id, connected)
       ${numbers} SELECT ${term}, 0, 'M-1', 'enrolled', 1, 'test-1', ${pos}, 1 FROM n`,
      `INSERT INTO number_blocks (first, last, terminal_id, noted_at)
       ${numbers} SELECT 1000000000 + i * 100, 1000000099 + i * 100, ${term}, ${now} FROM n`,
      `INSERT INTO webhook_troubles (pos_id, version, endpoints) ${numbers} SELECT ${pos}, 1, '[]' FROM n`,
      ...[today - 1, today].map(
        (day) =>
          `INSERT INTO account_hours (pos_id, day, event, hours) ${numbers} SELECT ${pos}, ${day}, 26, ${sold} FROM n`,
      ),
    ].map((sql) => env.DATABASE.prepare(sql)),
  );
}

/** What the whole service has sold: a row an hour. */
async function fillService(): Promise<void> {
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9599)";
  const hour = Math.floor(Date.now() / HOUR);
  const tally = `'{"00 terminal sale 00":5,"gateway 10":5}'`;
  await env.DATABASE.prepare(
    `INSERT INTO statistics_hours (hour, tally) ${numbers} SELECT ${hour} - i, ${tally} FROM n`,
  ).run();
}

async function asked(meter: Meter): Promise<Record<string, number>> {
  const read: Record<string, number> = {};
  for (const path of Object.keys(QUESTIONS)) {
    meter.restart();
    const { status } = await send("GET", path, { token: OPERATOR_TOKEN });
    if (status !== 200) throw new Error(`${path}: ${status}`);
    read[path] = meter.read().d1RowsRead;
  }
  return read;
}

async function cleaned(meter: Meter, at: number): Promise<number> {
  meter.restart();
  await cleanUp(env.DATABASE, at);
  return meter.read().d1RowsRead;
}

describe("D1 with 50,000 accounts", () => {
  it("reads no more rows for each question than with few accounts", async ({ expect }) => {
    vi.setSystemTime(Math.floor(Date.now() / DAY) * DAY + 20 * HOUR);
    const meter = await Meter.start("any terminal");
    // The first look after a restart starts a round of the coordinator, in the background: its reads are not the question's.
    vi.spyOn(Coordinator.prototype, "watch").mockResolvedValue();
    await fillService();
    await fill(0, SMALL);
    const small = { ...(await asked(meter)), "clean-up": await cleaned(meter, Date.now()) };
    await fill(SMALL, FULL);
    const full = { ...(await asked(meter)), "clean-up": await cleaned(meter, Date.now()) };
    expect(full).toEqual(small);
    for (const [path, most] of Object.entries(QUESTIONS)) {
      expect(full[path as keyof typeof full], path).toBeLessThanOrEqual(most);
    }
  });

  it("deletes a day in steps that read only what they delete", async ({ expect }) => {
    const meter = await Meter.start("any terminal");
    const at = Math.floor(Date.now() / DAY) * DAY + ACCOUNT_HOURS_LIFE + DAY;
    // Two days of accounts: each row is found by its index, and both are deleted.
    expect(await cleaned(meter, at)).toBeLessThan(2 * FULL * 5);
    const left = await env.DATABASE.prepare("SELECT COUNT(*) AS left FROM account_hours").first<number>("left");
    expect(left).toBeLessThanOrEqual(FULL);
    expect(await cleaned(meter, Date.now() + NUMBER_BLOCK_LIFE + DAY)).toBeLessThan(2 * FULL * 5);
    const blocks = await env.DATABASE.prepare("SELECT COUNT(*) AS left FROM number_blocks").first<number>("left");
    expect(blocks).toBe(0);
  });
});
