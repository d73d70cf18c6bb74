/** What D1 keeps of what objects deliver, where a delivery may come late, twice or never. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStatements } from "../../../../src/gateway/d1/accounts.ts";
import { readService, webhookAlertsStatement } from "../../../../src/gateway/d1/overview.ts";
import { insertTerminal } from "../../../../src/gateway/d1/terminals.ts";
import {
  highestNumber,
  noteBlock,
  noteWaiting,
  noWaiting,
  terminalsOfNumber,
} from "../../../../src/gateway/d1/objects.ts";
import { operator, uniqueId } from "../../../support/gateway.ts";

const db = env.DATABASE;
const MINUTE = 60_000;

/** Everything but statistics, at a time. */
const serviceAt = (now: number) => readService(db, now);

async function enrolled(merchantId: string | null = null): Promise<string> {
  const terminalId = uniqueId("term");
  const terminal = { terminalId, isVT: 0, merchantId, name: null, createdAt: 1, sealedUnder: "test-1" } as const;
  const audit = { at: 1, actor: "tester", action: "terminal.enrol", target: terminalId, details: {} } as const;
  await insertTerminal(db, terminal, audit);
  return terminalId;
}

/** When the oldest change was made that D1 lacks, as far as it knows at a time. */
const oldest = async (now: number) => (await serviceAt(now)).outbox.oldest;

const alertOf = (webhookId: string, since: number) => ({ webhookId, host: "h.example", disabledBy: null, since });

/** A terminal that has gone offline. */
const lost = (merchantId: string | null, at: number | null, boundTo: string | null, rest = "connected = 0") =>
  enrolled(merchantId).then((terminalId) =>
    db
      .prepare(`UPDATE terminals SET offline_since = ?, bound_pos_id = ?, ${rest} WHERE terminal_id = ?`)
      .bind(at, boundTo, terminalId)
      .run(),
  );

describe("a deleted account", () => {
  it("has no open bind keys or prebind list, only its used keys", async ({ expect }) => {
    const posId = uniqueId("pos");
    const view = { posId, merchantId: "M-1", currency: "MYR", timezone: "UTC", name: null, region: null, createdAt: 1 };
    const copy = { ...view, signedChanges: false, sealedUnder: "test-1" };
    await db.batch([
      db.prepare("INSERT INTO bind_keys VALUES (1, 'open', 'test-1', ?, 9, NULL, NULL)").bind(posId),
      db.prepare("INSERT INTO bind_keys VALUES (2, 'used', 'test-1', ?, 9, 'T-1', 8)").bind(posId),
      db.prepare("INSERT INTO prebound_terminals VALUES (?, 'T-2', 0)").bind(posId),
    ]);
    const rows = `SELECT digest AS name FROM bind_keys WHERE pos_id = ?1
      UNION SELECT terminal_id FROM prebound_terminals WHERE pos_id = ?1`;
    const left = async () =>
      (await db.prepare(rows).bind(posId).all<{ name: string }>()).results.map(({ name }) => name);
    await db.batch(accountStatements(db, { ...copy, status: "suspended" }, 1));
    expect(await left()).toEqual(["T-2", "open", "used"]);
    await db.batch(accountStatements(db, { ...copy, sealedUnder: null, status: "deleted" }, 2));
    expect(await left()).toEqual(["used"]);
  });
});

describe("a transaction's number", () => {
  it("names the terminal that has its block", async ({ expect }) => {
    await db.batch([
      noteBlock(db, "T-1", { first: 100, last: 199 }, 1),
      noteBlock(db, "T-2", { first: 300, last: 399 }, 1),
    ]);
    const owners = await Promise.all([99, 100, 199, 200, 300].map((number) => terminalsOfNumber(db, number)));
    expect(owners).toEqual([[], ["T-1"], ["T-1"], [], ["T-2"]]);
    expect(await highestNumber(db)).toBe(399);
  });

  it("names both terminals if the counter was set back", async ({ expect }) => {
    await db.batch([
      noteBlock(db, "T-3", { first: 1_000, last: 1_999 }, 1),
      noteBlock(db, "T-4", { first: 1_000, last: 1_099 }, 1),
      noteBlock(db, "T-5", { first: 1_100, last: 1_999 }, 1),
    ]);
    const owners = await Promise.all([1_000, 1_100].map((number) => terminalsOfNumber(db, number)));
    expect(owners).toEqual([
      ["T-3", "T-4"],
      ["T-3", "T-5"],
    ]);
  });
});

describe("a write that D1 has refused", () => {
  it("counts until it is delivered, or its time to repeat ends", async ({ expect }) => {
    await noteWaiting(db, "account:A", { entries: 2, oldest: 1_000 }, 5 * MINUTE);
    await noteWaiting(db, "account:B", { entries: 1, oldest: 3_000 }, 9 * MINUTE);
    expect((await serviceAt(16 * MINUTE - 1)).outbox).toEqual({
      objects: 2,
      entries: 3,
      oldest: 1_000,
      object: "account:A",
    });
    expect((await serviceAt(16 * MINUTE)).outbox).toMatchObject({ objects: 1, oldest: 3_000, object: "account:B" });
    await db.batch([noWaiting(db, "account:B")]);
    expect(await oldest(16 * MINUTE - 1)).toBe(1_000);
    expect(await oldest(16 * MINUTE)).toBeNull();
  });
});

describe("webhooks that need attention", () => {
  it("are those of the account's newest update, the oldest problem first", async ({ expect }) => {
    const [one, other] = ["alerts-1", "alerts-2"];
    await db.batch([
      webhookAlertsStatement(db, one, 2, [alertOf("wh_1", 30), alertOf("wh_2", 10)]),
      webhookAlertsStatement(db, other, 1, [alertOf("wh_1", 20)]),
      webhookAlertsStatement(db, one, 1, []),
      webhookAlertsStatement(db, one, 2, []),
    ]);
    const { alerts } = await serviceAt(0);
    expect(alerts.map(({ posId, webhookId, since }) => [posId, webhookId, since])).toEqual([
      [one, "wh_2", 10],
      [other, "wh_1", 20],
      [one, "wh_1", 30],
    ]);
    await db.batch([one, other].map((posId) => webhookAlertsStatement(db, posId, 3, [])));
    expect((await serviceAt(0)).alerts).toEqual([]);
  });
});

describe("terminals that are offline", () => {
  it("are listed for every account, whatever another has lost", async ({ expect }) => {
    const [merchantId, busy] = [uniqueId("M"), uniqueId("M")];
    await lost(merchantId, 50, null);
    const fleet = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO terminals (terminal_id, is_vt, merchant_id, status, created_at, sealed_under, offline_since)
      SELECT 'fleet-' || i, 0, ?, 'enrolled', 1, 'test-1', 100 FROM n`;
    await db.prepare(fleet).bind(busy).run();
    const { offline, cut } = await serviceAt(0);
    expect(offline.map((shop) => [shop.merchantId, shop.terminals])).toEqual([
      [merchantId, 1],
      [busy, 1_000],
    ]);
    expect(cut).toEqual([]);
    await db.prepare("DELETE FROM terminals WHERE merchant_id IN (?, ?)").bind(merchantId, busy).run();
  });

  it("are enrolled, were connected before, and count for their merchant", async ({ expect }) => {
    const [assigned, account] = [uniqueId("M"), { posId: uniqueId("pos"), merchantId: uniqueId("M") }];
    await operator("POST", "/operator/accounts", { ...account, currency: "MYR", timezone: "Etc/UTC" });
    await operator("PUT", `/operator/shops/${assigned}`, { name: "Corner", timezone: "Etc/UTC" });
    await lost(assigned, 50, account.posId);
    await lost(assigned, 40, null);
    await lost(null, 60, account.posId);
    await lost(null, 70, null);
    await lost(assigned, 10, null, "status = 'retired'");
    await lost(assigned, 10, null, "connected = 1");
    await lost(assigned, null, null);
    expect((await serviceAt(0)).offline).toEqual([
      { merchantId: assigned, shopName: "Corner", terminals: 2, since: 40, latest: 50, allOffline: 0 },
      { merchantId: account.merchantId, shopName: null, terminals: 1, since: 60, latest: 60, allOffline: 1 },
      { merchantId: null, shopName: null, terminals: 1, since: 70, latest: 70, allOffline: 0 },
    ]);
  });
});
