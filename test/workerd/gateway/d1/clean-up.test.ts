import { createScheduledController, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import worker from "../../../../src/gateway/index.ts";
import { JOURNAL_LIFE } from "../../../../src/protocol/limits.ts";
import { insertActivationCode } from "../../../../src/gateway/d1/activation-codes.ts";
import { cleanUp, AUDIT_LIFE, CLEAN_UP_ROWS } from "../../../../src/gateway/d1/clean-up.ts";
import { noteBlock } from "../../../../src/gateway/d1/objects.ts";
import { bindKey, createAccount, login } from "../../../support/gateway.ts";
import { STATISTICS_LIFE, ACCOUNT_HOURS_LIFE } from "../../../../src/gateway/statistics/tally.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 20);

async function cleanUpAt(now: number): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController({ scheduledTime: new Date(now), cron: "17 19 * * *" }), env);
  await waitOnExecutionContext(context);
}

async function count(table: string, condition = "1"): Promise<number> {
  const row = await env.DATABASE.prepare(`SELECT COUNT(*) AS rows FROM ${table} WHERE ${condition}`).first<number>(
    "rows",
  );
  return row ?? -1;
}

describe("the daily clean-up", () => {
  it("deletes bind keys that have expired, and nothing else", async ({ expect }) => {
    const account = await createAccount();
    const { access } = await login(account);
    await bindKey(access.token);
    await cleanUpAt(Date.now());
    expect(await count("bind_keys")).toBe(1);
    await cleanUpAt(Date.now() + 2 * DAY);
    expect(await count("bind_keys")).toBe(0);
    expect(await count("accounts", `pos_id = '${account.posId}'`)).toBe(1);
  });

  it("deletes activation codes a day after they have expired", async ({ expect }) => {
    const code = { terminalId: "T-1", digest: "digest", kid: "test-1", expiresAt: Date.now() };
    await insertActivationCode(env.DATABASE, code);
    await cleanUpAt(Date.now());
    expect(await count("activation_codes")).toBe(1);
    await cleanUpAt(Date.now() + 2 * DAY);
    expect(await count("activation_codes")).toBe(0);
  });

  it("deletes audit rows after two years, however many", async ({ expect }) => {
    const now = Date.now();
    await env.DATABASE.prepare(
      `INSERT INTO audit_log (at, actor, action, target, details)
       WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       SELECT ?2, 'anna', 'channel.put', 'old', '{}' FROM n`,
    )
      .bind(CLEAN_UP_ROWS * 2 + 1, now)
      .run();
    await cleanUpAt(now + AUDIT_LIFE - 1);
    expect(await count("audit_log", "target = 'old'")).toBe(CLEAN_UP_ROWS * 2 + 1);
    await cleanUpAt(now + AUDIT_LIFE);
    expect(await count("audit_log", "target = 'old'")).toBe(0);
  });

  it("keeps a block of numbers as long as its transactions", async ({ expect }) => {
    const now = Date.now();
    const block = { first: 1_000_000_000, last: 1_000_000_099 };
    for (const at of [now, now + JOURNAL_LIFE]) await noteBlock(env.DATABASE, "T-1", block, at).run();
    // Sold just before the next note, which never came.
    const sold = now + 2 * JOURNAL_LIFE;
    await cleanUpAt(sold + JOURNAL_LIFE);
    expect(await count("number_blocks")).toBe(1);
    await cleanUpAt(sold + JOURNAL_LIFE + DAY);
    expect(await count("number_blocks")).toBe(0);
  });

  // Rows of a day or hour, by its number, stay for their life after it has ended.
  it.for([
    ["an ended open payment", "pending VALUES ('P-1', 1, 'T-1', 1, 0, ?, 0, 'MYR', NULL, '{}')", NOW, NOW + DAY],
    ["what D1 had refused", "outbox_waiting VALUES ('terminal:T-1', 1, 0, ?)", NOW, NOW + DAY],
    ["an account's hours", "account_hours VALUES ('P-1', ?, 1, '{}')", 100, 101 * DAY + ACCOUNT_HOURS_LIFE],
    ["a day's fingerprints", "fingerprints (day, pos_id, payments) VALUES (?, 'P-1', x'')", 100, 108 * DAY],
    ["an hour of the service", "statistics_hours VALUES (?, '{}')", 100, 101 * HOUR + STATISTICS_LIFE],
  ] as const)("keeps %s until its life is over", async ([, row, of, over], { expect }) => {
    const [table = ""] = row.split(" ");
    await env.DATABASE.prepare(`INSERT INTO ${row}`).bind(of).run();
    await cleanUp(env.DATABASE, over - 1);
    expect(await count(table)).toBe(1);
    await cleanUp(env.DATABASE, over);
    expect(await count(table)).toBe(0);
  });

  it("keeps a payment that is pending, however old", async ({ expect }) => {
    await env.DATABASE.exec("INSERT INTO pending VALUES ('P-1', 1, 'T-1', 1, 1, 0, 0, 'MYR', NULL, '{}')");
    await cleanUp(env.DATABASE, NOW);
    expect(await count("pending")).toBe(1);
  });
});
