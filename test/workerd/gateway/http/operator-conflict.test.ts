/** A terminal that contradicts a recorded outcome: an incident of the operator, and an event of the account. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import type { FoundPayments, PendingTransaction } from "../../../../src/protocol/schemas/operator-transactions.ts";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { failAlerts } from "../../../support/database.ts";
import { type Answer, call, operator } from "../../../support/gateway.ts";
import { metricValue } from "../../../support/metrics.ts";
import { eventually } from "../../../support/patience.ts";
import { reportedOpen, Scene } from "../../../support/scene.ts";

useFakeClock();

const MINUTE = 60_000;

async function incidents(): Promise<Overview["incidents"]> {
  return (await operator<Overview>("GET", "/operator/overview")).body.incidents;
}

async function conflict({ pos }: Scene): Promise<PendingTransaction[]> {
  const path = `/operator/pending?posId=${pos.account.posId}&conflict=true`;
  return (await operator<{ data: PendingTransaction[] }>("GET", path)).body.data;
}

interface FeedEvent {
  type: string;
  data: Record<string, unknown>;
}

async function found({ pos }: Scene): Promise<FoundPayments["data"]> {
  return (await operator<FoundPayments>("GET", `/operator/transactions?posId=${pos.account.posId}`)).body.data;
}

async function feed({ pos }: Scene): Promise<FeedEvent[]> {
  return (await call<{ data: FeedEvent[] }>("GET", "/api/events?after=0", { token: pos.token })).body.data;
}

function close({ pos }: Scene, requestId: string, reason = "Refunded."): Promise<Answer<Record<string, unknown>>> {
  return operator("POST", `/operator/accounts/${pos.account.posId}/transactions/${requestId}/close`, { reason });
}

/** An operator decides 11, and the terminal then reports 00. */
async function contradicted(here: Scene): Promise<{ requestId: string; again: () => void }> {
  const connection = await here.connect();
  const { request } = await reportedOpen(here, connection);
  const { requestId } = request;
  await here.resolve(requestId, "11", "The host knows of no such payment.");
  connection.result(request, "00");
  await connection.next("ack");
  return { requestId, again: () => connection.result(request, "00", { transData: { rrn: "78" } }) };
}

describe("a conflicting result after an operator's decision", () => {
  it("is the first incident everywhere until an operator closes it", async ({ expect }) => {
    const here = await Scene.alone();
    const { requestId, again } = await contradicted(here);
    await eventually(async () => expect(await conflict(here)).toHaveLength(1));
    expect(await conflict(here)).toMatchObject([
      {
        requestId,
        timezone: here.pos.account.timezone,
        conflict: { statusCode: "11", completedBy: "operator", reported: { statusCode: "00" } },
      },
    ]);
    expect((await incidents())[0]).toMatchObject({ kind: "conflict", title: "1 payment contradicted by its terminal" });
    expect(await metricValue("conflicting_payments")).toBe(1);
    expect(await metricValue("conflicting_results_total")).toBe(1);
    const told = await feed(here);
    expect(told.map(({ type }) => type).slice(-2)).toEqual(["transaction.completed", "transaction.conflict"]);
    expect(told.at(-1)?.data).toMatchObject({
      transaction: { requestId, statusCode: "11" },
      reported: { statusCode: "00" },
    });

    expect(await found(here)).toMatchObject([{ requestId, statusCode: "11", conflict: true }]);

    expect((await close(here, requestId)).status).toBe(200);
    expect(await conflict(here)).toEqual([]);
    expect(await found(here)).toMatchObject([{ requestId, statusCode: "11", conflict: false }]);
    expect((await incidents()).some(({ kind }) => kind === "conflict")).toBe(false);
    expect((await close(here, requestId)).status).toBe(409);
    expect((await close(here, "1999999999")).status).toBe(404);
    const { posId } = here.pos.account;
    const audit = await operator<{ data: unknown[] }>(
      "GET",
      `/operator/audit?target=${posId}&action=transaction.close`,
    );
    expect(audit.body.data).toMatchObject([{ details: { requestId, statusCode: "11", reason: "Refunded." } }]);

    // Another conflict report opens it again.
    again();
    await eventually(async () => expect(await conflict(here)).toHaveLength(1));
    expect(await metricValue("conflicting_results_total")).toBe(2);
    await close(here, requestId);
  });

  it("is listed as soon as D1 answers, and after a restore", async ({ expect }) => {
    const here = await Scene.alone();
    const alerts = failAlerts("fail");
    const { requestId } = await contradicted(here);
    await eventually(async () => expect((await feed(here)).at(-1)?.type).toBe("transaction.conflict"));
    expect(await conflict(here)).toEqual([]);
    alerts.recover();
    const account = accountStub(env, here.pos.account.posId);
    await here.pass(10 * MINUTE);
    await account.resync();
    await eventually(async () => expect(await conflict(here)).toHaveLength(1));
    await env.DATABASE.prepare("DELETE FROM pending").run();
    await account.resync();
    await eventually(async () => expect(await conflict(here)).toMatchObject([{ requestId }]));
    await close(here, requestId);
    await account.resync();
    expect(await conflict(here)).toEqual([]);
  });

  it("is reported once, after the completion that it conflicts with", async ({ expect }) => {
    const here = await Scene.alone();
    const { requestId } = await contradicted(here);
    await eventually(async () => expect(await conflict(here)).toHaveLength(1));
    const [known] = await conflict(here);
    const { posId } = here.pos.account;
    const account = accountStub(env, posId);
    const own = await here.journal();
    const { referenceId } = own.find((row) => row.requestId === requestId) ?? {};
    expect(known).toMatchObject({ referenceId });
    const events = (await feed(here)).filter(({ type }) => type === "transaction.conflict");
    await here.crash();
    await here.pass(MINUTE);
    await account.resync();
    expect((await feed(here)).filter(({ type }) => type === "transaction.conflict")).toEqual(events);
    await close(here, requestId);
  });
});
