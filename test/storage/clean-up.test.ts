import { createScheduledController, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import worker from "../../src/index.ts";
import { AUDIT_LIFE, CLAIMS_WALK_ROWS, CLEAN_UP_ROWS } from "../../src/storage/limits.ts";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
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

/** `rows` claims of one account, made at `claimedAt`, beginning with number `first`. */
async function claim(posId: string, first: number, rows: number, claimedAt: number): Promise<void> {
  await env.DATABASE.prepare(
    `INSERT INTO reference_claims (pos_id, reference_id, device_id, messages, claimed_at)
     WITH RECURSIVE n(i) AS (VALUES (?2) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 + ?3 - 1)
     SELECT ?1, printf('R%08d', i), 'device', 1, ?4 FROM n`,
  )
    .bind(posId, first, rows, claimedAt)
    .run();
}

describe("the daily clean-up", () => {
  it("deletes sessions and bind keys that have expired, and no others", async ({ expect }) => {
    const account = await createAccount();
    const { access } = await login(account);
    await bindKey(access.token);
    await cleanUpAt(Date.now());
    expect(await count("sessions")).toBe(1);
    expect(await count("bind_keys")).toBe(1);
    await cleanUpAt(Date.now() + 2 * DAY);
    expect(await count("sessions")).toBe(0);
    expect(await count("bind_keys")).toBe(0);
    expect(await count("accounts")).toBe(1);
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

  it("deletes claims that are older than the journal, over many steps, and starts again at the end", async ({
    expect,
  }) => {
    const now = Date.now();
    const old = now - JOURNAL_LIFE - 1;
    const rows = CLAIMS_WALK_ROWS + CLEAN_UP_ROWS + 1;
    await claim("walk-a", 0, rows, old);
    await claim("walk-a", rows, 10, now);
    await claim("walk-b", 0, CLAIMS_WALK_ROWS - 5, now);
    await claim("walk-c", 0, 3, old);
    await cleanUpAt(now);
    expect(await count("reference_claims", `claimed_at = ${old}`)).toBe(0);
    expect(await count("reference_claims")).toBe(10 + CLAIMS_WALK_ROWS - 5);
    // Whatever grew old behind the walk is found by the next one.
    await claim("walk-0", 0, 2, old);
    await cleanUpAt(now);
    expect(await count("reference_claims", `claimed_at = ${old}`)).toBe(0);
  });

  it("goes on where it stopped", async ({ expect }) => {
    const now = Date.now();
    const old = now - JOURNAL_LIFE - 1;
    await claim("zone-a", 0, 2, old);
    await claim("zone-b", 0, 2, old);
    await env.DATABASE.prepare("UPDATE claims_walk SET pos_id = 'zone-a', reference_id = 'R00000000'").run();
    await cleanUpAt(now);
    // What lies before the place waits for the next walk, which begins at the beginning.
    expect(await count("reference_claims", "pos_id LIKE 'zone-%'")).toBe(1);
    await cleanUpAt(now);
    expect(await count("reference_claims", "pos_id LIKE 'zone-%'")).toBe(0);
  });
});
