/** Rows that are written over keep the columns that they do not know: newer code has added them, and was rolled back. */
import { describe, it } from "vitest";
import { Claims } from "../../../../../src/gateway/account/storage/claims.ts";
import { Days, Hours } from "../../../../../src/gateway/account/storage/days.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { Sessions } from "../../../../../src/gateway/account/storage/sessions.ts";
import { Webhooks } from "../../../../../src/gateway/account/storage/webhooks.ts";
import { buildDayTally } from "../../../../../src/gateway/account/tally.ts";
import { putChannel } from "../../../../../src/gateway/d1/shops.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { newEndpoint } from "../../../../support/gateway/account/samples.ts";
import { MemoryD1 } from "../../../../workers-on-node/database.ts";

const PAIR = {
  kid: "test-1",
  timezone: "Asia/Kuala_Lumpur",
  issuedAt: 1,
  accessId: "access",
  accessExpiresAt: 2,
  refreshId: "refresh",
  refreshExpiresAt: 3,
  devices: [],
};

/** Writes the row of each table; a second time with another value. */
const WRITES: Record<string, (sql: SqlStorage, value: number) => void> = {
  claims: (sql, revision) =>
    new Claims(sql).save({
      referenceId: "R-1",
      deviceId: "T-1",
      admittedAt: 1,
      requestId: 1,
      revision,
      event: 1,
      completedAt: null,
      voided: null,
    }),
  day_totals: (sql, lastEvent) => {
    const line = { currency: "MYR", transType: "sale", paymentChannel: null, transAmt: 1, cashAmt: 0 } as const;
    const tally = buildDayTally([["T-1", [{ ...line, approved: lastEvent, notApproved: 0 }]]]);
    new Days(sql).save({ day: "2031-05-10", firstEvent: 1, lastEvent, mark: null }, tally);
  },
  days: (sql, lastEvent) =>
    new Days(sql).save({ day: "2031-05-10", firstEvent: 1, lastEvent, mark: null }, buildDayTally([])),
  hours: (sql, event) => new Hours(sql).save(20_000, { event, hours: new Map() }),
  sessions: (sql, rotatedAt) =>
    new Sessions(sql).save({ sessionId: "a", pair: PAIR, previousRefreshId: null, rotatedAt }),
  webhooks: (sql, generation) => new Webhooks(sql).save(newEndpoint({ generation })),
};

describe("a row that is written over", () => {
  it.for(Object.entries(WRITES))("keeps the columns of newer code in %s", ([table, write], { expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    sql.exec(`ALTER TABLE ${table} ADD COLUMN newer TEXT`);
    write(sql, 1);
    const row = () => sql.exec(`SELECT * FROM ${table}`).one();
    const before = row();
    sql.exec(`UPDATE ${table} SET newer = 'kept'`);
    write(sql, 2);
    expect(row()).not.toEqual({ ...before, newer: "kept" });
    expect(row()).toMatchObject({ newer: "kept" });
  });

  it("keeps the columns of newer code in the channels", async ({ expect }) => {
    const db = new MemoryD1() as unknown as D1Database;
    await db.prepare("ALTER TABLE channels ADD COLUMN newer TEXT").run();
    const put = (logoUrl3: string) => {
      const entry = { at: 1, actor: "olga", action: "channel.put", target: "wallet", details: {} } as const;
      return putChannel(db, { name: "wallet", status: 1, currency: ["MYR"], logoUrl3 }, entry);
    };
    expect(await put("https://one.example.com")).toBe(true);
    await db.prepare("UPDATE channels SET newer = 'kept'").run();
    expect(await put("https://other.example.com")).toBe(false);
    const row = await db.prepare("SELECT logo_url, newer FROM channels").first();
    expect(row).toEqual({ logo_url: "https://other.example.com", newer: "kept" });
  });
});
