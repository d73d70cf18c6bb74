/** Which rows of D1 a list or a sum finds, and when it has too many to read. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { listAccounts } from "../../../../src/gateway/d1/accounts.ts";
import { listAudit } from "../../../../src/gateway/d1/audit.ts";
import { listShops } from "../../../../src/gateway/d1/shops.ts";
import { readAccountHours } from "../../../../src/gateway/d1/statistics.ts";
import { listTerminals } from "../../../../src/gateway/d1/terminals.ts";
import { SCANNED_ROWS } from "../../../../src/gateway/d1/listing.ts";

const db = env.DATABASE;

/** More than a page checks row by row. The last one in each list's order is sought. */
const ROWS = SCANNED_ROWS + 1;

/** Of row i, in SQL. */
const ID = "printf('%04d', i)";
const OWNER = `iif(i = ${ROWS}, 'sought', 'other')`;
const SOUGHT = String(ROWS);

beforeAll(async () => {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  await db.batch(
    [
      `terminals (terminal_id, is_vt, merchant_id, status, created_at, sealed_under, bound_pos_id)
       ${numbers} SELECT ${ID}, 0, ${OWNER}, 'enrolled', 0, 'k', ${OWNER} FROM n`,
      `accounts (pos_id, merchant_id, currency, timezone, name, status, created_at, sealed_under, version)
       ${numbers} SELECT ${ID}, ${OWNER}, 'MYR', 'UTC', '', 'active', 0, 'k', 1 FROM n`,
      `shops (merchant_id, name, timezone, created_at) ${numbers} SELECT ${ID}, '', 'UTC', 0 FROM n`,
      // The newest first.
      `audit_log (at, actor, action, target, details)
       ${numbers} SELECT ${ROWS} - i, ${OWNER}, 'terminal.enrol', ${ID}, '{}' FROM n`,
      `account_hours (pos_id, day, event, hours) ${numbers} SELECT 'P-1', i, 1, '{}' FROM n`,
    ].map((rows) => db.prepare(`INSERT INTO ${rows}`)),
  );
});

describe("a list with more rows than a page checks", () => {
  it("finds terminals by id, merchant, account and start of posId", async ({ expect }) => {
    for (const filter of [{ terminalId: SOUGHT }, { merchantId: "sought" }, { boundTo: "sought" }]) {
      const { rows, judgedTo } = await listTerminals(db, filter, "", 10);
      expect([filter, rows.map(({ terminalId }) => terminalId), judgedTo]).toEqual([filter, [SOUGHT], null]);
    }
    const { rows, judgedTo } = await listTerminals(db, { posId: "sou" }, "0900", 10);
    expect([rows.length, judgedTo]).toEqual([1, null]);
  });

  it("finds accounts by posId and merchant", async ({ expect }) => {
    for (const filter of [{ posId: SOUGHT }, { merchantId: "sought" }]) {
      const { rows, judgedTo } = await listAccounts(db, filter, "", 10);
      expect([filter, rows.map(({ posId }) => posId), judgedTo]).toEqual([filter, [SOUGHT], null]);
    }
  });

  it("finds shops by merchant", async ({ expect }) => {
    const { rows, judgedTo } = await listShops(db, { merchantId: SOUGHT }, "", 10);
    expect([rows.map(({ merchantId }) => merchantId), judgedTo]).toEqual([[SOUGHT], null]);
  });

  it("finds audit entries by target, actor and time", async ({ expect }) => {
    for (const filter of [{ target: SOUGHT }, { actor: "sought" }, { to: 1 }, { from: 0, to: 1 }]) {
      const { rows, judgedTo } = await listAudit(db, filter, null, 10);
      expect([filter, rows.map(({ target }) => target), judgedTo]).toEqual([filter, [SOUGHT], null]);
    }
    const newest = await listAudit(db, { from: ROWS - 2 }, null, 10);
    expect(newest.rows.map(({ target }) => target)).toEqual(["0001", "0002"]);
  });
});

describe("the hours of accounts", () => {
  it("are all read, or none if there are too many days", async ({ expect }) => {
    const whose = { posId: "P-1", shop: undefined };
    const upTo = (day: number) => readAccountHours(db, whose, { from: 0, to: day * 24 });
    expect(await upTo(SCANNED_ROWS)).not.toBe("too-many");
    expect(await upTo(SCANNED_ROWS + 1)).toBe("too-many");
  });
});
