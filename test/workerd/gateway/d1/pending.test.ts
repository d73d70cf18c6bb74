/** Open payments of many accounts: whoever has the most, every account is seen, and contradicted ones first. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import { type PendingCopy, pendingStatement } from "../../../../src/gateway/d1/pending.ts";
import { operator } from "../../../support/gateway.ts";
import { metricsText } from "../../../support/metrics.ts";

const { DATABASE: db } = env;

/** More than any list reads at once. */
const MANY = 1_200;

const BUSY = "pos-with-many";
const [QUIET, CHARGED] = ["pos-with-one", "pos-contradicted"];

const copy: PendingCopy = {
  receivedAt: 0,
  currency: "MYR",
  transAmt: 1_250,
  cashAmt: null,
  terminalId: "T-1",
  referenceId: "R-1",
  transType: "sale",
  responseCode: "UNCONFIRMED",
  responseText: null,
};

async function open(posId: string, count: number, members: Partial<PendingCopy>): Promise<void> {
  const statements = Array.from({ length: count }, (_, index) => {
    const body = { ...copy, receivedAt: 1_000 + index, ...members };
    return pendingStatement(
      db,
      posId,
      { requestId: 1_000_000_000 + index, terminalId: "T-1", version: 1, copy: body },
      1,
    );
  });
  for (let from = 0; from < count; from += 100) await db.batch(statements.slice(from, from + 100));
}

interface Page {
  data: { terminalId: string }[];
  next: string | null;
}

async function listed(query: string): Promise<string[]> {
  const { body } = await operator<{ data: { posId: string }[] }>("GET", `/operator/pending?${query}`);
  return body.data.map(({ posId }) => posId);
}

/** How D1 finds these open rows in the order of the list. */
async function plan(where: string): Promise<string> {
  const query = `EXPLAIN QUERY PLAN SELECT * FROM pending WHERE ${where} AND open = 1
    ORDER BY received_at, request_id, pos_id LIMIT 100`;
  const { results } = await db.prepare(query).all<{ detail: string }>();
  return results.map(({ detail }) => detail).join("; ");
}

describe("a page of pending payments", () => {
  it("continues after a payment with another's time and number", async ({ expect }) => {
    const posId = "pos-with-twins";
    const terminals = ["T-1", "T-2", "T-3"];
    const requestId = 1_000_000_000;
    const statements = terminals.map((terminalId) =>
      pendingStatement(db, posId, { requestId, terminalId, version: 1, copy: { ...copy, terminalId } }, 1),
    );
    await db.batch(statements);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const path: string = `/operator/pending?posId=${posId}&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page: Page = (await operator<Page>("GET", path)).body;
      seen.push(...page.data.map(({ terminalId }) => terminalId));
      cursor = page.next;
    }
    expect(seen).toEqual(terminals);
    await db.prepare("DELETE FROM pending WHERE pos_id = ?").bind(posId).run();
  });
});

describe("one account's 1,200 older pending payments", () => {
  it("hide neither other accounts' payments nor conflicting results", async ({ expect }) => {
    const reported = {
      statusCode: "00" as const,
      responseCode: "00",
      responseText: null,
      transAmt: "12.50",
      cashAmt: null,
      currency: "MYR",
    };
    await open(BUSY, MANY, {});
    await open(QUIET, 1, { receivedAt: 5_000 });
    await open(CHARGED, 1, {
      receivedAt: 6_000,
      conflict: { statusCode: "11", completedBy: "operator", reportedAt: 7_000, reported },
    });

    expect(await listed(`posId=${QUIET}`)).toEqual([QUIET]);
    expect(await listed("conflict=true")).toEqual([CHARGED]);
    expect(await listed(`posId=${CHARGED}&conflict=true`)).toEqual([CHARGED]);

    const { body } = await operator<Overview>("GET", "/operator/overview");
    const { accounts } = body;
    expect(accounts.open.map(({ posId, conflict, pending }) => [posId, conflict, pending])).toEqual([
      [CHARGED, 1, 0],
      [BUSY, 0, MANY],
      [QUIET, 0, 1],
    ]);
    expect(accounts.more).toBe(false);
    const metrics = await metricsText();
    expect(metrics).toContain(`pos_gateway_account_conflicting_payments{account="${CHARGED}"} 1\n`);
    expect(metrics).toMatch(new RegExp(`^pos_gateway_account_pending_oldest_seconds\\{account="${QUIET}"\\} `, "mu"));
  });

  it("are found by an index in the order of the list", async ({ expect }) => {
    expect(await plan("pos_id = 'x'")).toMatch(/USING (?:COVERING )?INDEX pending_by_account/u);
    expect(await plan("(body ->> 'conflict' IS NOT NULL)")).toMatch(/USING (?:COVERING )?INDEX pending_conflict/u);
  });
});
