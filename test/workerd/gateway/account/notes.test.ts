/** An account's copy in D1 and its rows in the audit log: what becomes of them if D1 refuses. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { failAccountNotes, failAlerts, failStatistics } from "../../../support/database.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { alarmOf, openBooks, ring } from "../../../support/gateway/account/books.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const SECOND = 1_000;

/** What D1 has refused of the account, as far as it says so. */
function refused(posId: string) {
  return env.DATABASE.prepare("SELECT entries, oldest, noted_at FROM outbox_waiting WHERE object = ?")
    .bind(`account:${posId}`)
    .first<{ entries: number; oldest: number; noted_at: number }>();
}

async function auditRows(posId: string): Promise<number> {
  const counted = env.DATABASE.prepare("SELECT COUNT(*) AS rows FROM audit_log WHERE target = ?").bind(posId);
  return (await counted.first<number>("rows")) ?? 0;
}

describe("a change that D1 refuses", () => {
  it("leaves the age of its outbox in D1 until all is delivered", async ({ expect }) => {
    const { posId, object } = await openBooks();
    const database = failAccountNotes("fail");
    const first = Date.now();
    const from = lines.length;
    await object.change({ currency: "SGD" }, "tester");
    const noted = { entries: 2, oldest: first, noted_at: first };
    await eventually(async () => expect(await refused(posId)).toEqual(noted));
    expect(logged("outbox_delivery_failed", from)).toMatchObject([{ level: "warning", account: posId, attempt: 1 }]);
    skip(SECOND);
    await object.change({ currency: "MYR" }, "tester");
    await eventually(async () =>
      expect(await refused(posId)).toEqual({ entries: 3, oldest: first, noted_at: first + SECOND }),
    );
    database.recover();
    await eventually(async () => {
      skip(30 * SECOND);
      await ring({ posId });
      expect(await refused(posId)).toBeNull();
    });
    expect(await auditRows(posId)).toBe(3);
  });
});

describe("a change that D1 does not answer", () => {
  it("wakes the object in case it is reset, and is written then", async ({ expect }) => {
    const { posId, object } = await openBooks();
    await eventually(async () => {
      await ring({ posId });
      expect(await alarmOf({ posId })).toBeNull();
    });
    const database = failAccountNotes("hang");
    const changed = object.change({ name: "Bar" }, "tester").catch(() => undefined);
    await eventually(() => expect(database.tries).toBe(1));
    expect(await alarmOf({ posId })).toBeLessThanOrEqual(Date.now() + 300 * SECOND);
    await abortAllDurableObjects();
    await changed;
    skip(300 * SECOND);
    await ring({ posId });
    await eventually(() => expect(database.tries).toBe(2));
    database.recover();
    await eventually(async () => expect(await auditRows(posId)).toBe(2));
  });
});

describe("the log", () => {
  it("names the account whose figures or pending transactions D1 refuses", async ({ expect }) => {
    const books = await openBooks();
    for (const fail of [failStatistics, failAlerts]) {
      const from = lines.length;
      const database = fail("fail");
      await books.object.record([books.entry(), books.entry(OPEN)]);
      // Statistics wait for a minute, so that a busy account writes them once.
      skip(60 * SECOND);
      await ring({ posId: books.posId });
      await eventually(() => expect(database.tries).toBeGreaterThan(0));
      await eventually(() => expect(logged("outbox_delivery_failed", from)[0]).toMatchObject({ account: books.posId }));
      database.recover();
    }
  });
});
