import { createScheduledController, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import worker from "../../src/index.ts";
import { AUDIT_LIFE, CLEAN_UP_ROWS } from "../../src/storage/limits.ts";
import { bindKey, createAccount, login } from "../support/gateway.ts";

const DAY = 86_400_000;

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
});
