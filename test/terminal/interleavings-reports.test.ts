/** Sequences that lost money under rules that had looked complete: early, late, repeated or wrong terminal reports. */
import { describe, it } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import { AT_ONCE, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("a transaction that is completed 11", () => {
  it("by the operator stays 11 when the terminal reports 00, which is kept for the operator to see", async ({
    expect,
  }) => {
    const here = await scene();
    const { connection, body, referenceId, answer, request } = await here.accepted();
    connection.result(request, "22");
    await answer;
    const resolved = await here.resolve(request.requestId, "11", "The host knows of no such payment.");
    expect(resolved.status).toBe(200);
    const after = await here.till.transfer(body);
    expect(after.body).toMatchObject({
      statusCode: "11",
      responseCode: "RESOLVED",
      responseText: "The host knows of no such payment.",
    });

    // The operator was wrong; the books are not asked, they would say so.
    connection.result(request, "00", { transData: { transAmt: "12.50", cardNo: "4111111111111111", rrn: "77" } });
    expect(await connection.frames()).toContainEqual({ type: "ack", requestId: request.requestId, statusCode: "00" });
    connection.result(request, "00", { transData: { transAmt: "12.50", cardNo: "4111111111111111", rrn: "77" } });
    expect(await connection.frames()).toContainEqual({ type: "ack", requestId: request.requestId, statusCode: "00" });
    expect((await here.till.transfer(body)).body).toEqual(after.body);
    const row = await here.row(referenceId);
    expect(row).toMatchObject({ state: "completed", completedBy: "operator", outcome: { statusCode: "11" } });
    expect(row.conflicts).toHaveLength(1);
    expect(row.conflicts[0]?.report).toMatchObject({ statusCode: "00", transData: { rrn: "77" } });
    expect(JSON.stringify(row.conflicts)).not.toContain("411111");
  });

  it("by the terminal stays 11 when the terminal reports 00, which is kept for the operator to see", async ({
    expect,
  }) => {
    const here = await scene();
    const { connection, body, referenceId, answer, request } = await here.accepted();
    connection.result(request, "11", { responseText: "DECLINED" });
    const { body: first } = await answer;
    expect(first).toMatchObject({ statusCode: "11", responseCode: "05" });
    connection.result(request, "00");
    expect(await connection.frames()).toContainEqual({ type: "ack", requestId: request.requestId, statusCode: "00" });
    expect((await here.till.transfer(body)).body).toEqual(first);
    expect((await here.row(referenceId)).conflicts).toHaveLength(1);
  });

  it("by the gateway is cancelled at once when the terminal accepts or lists it after all", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.till.sale();
    const request = await connection.nextRequest();
    connection.refuse(request, "unsupported");
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_REFUSED" });
    connection.accept(request);
    expect(await connection.next("cancel")).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    const back = await here.connect({ open: [request.requestId] });
    expect(await back.next("cancel")).toMatchObject({ requestId: request.requestId });
    back.result(request, "11");
    expect(await back.next("ack")).toMatchObject({ statusCode: "11" });
    expect((await here.journal())[0]).toMatchObject({ outcome: { responseCode: "TERMINAL_REFUSED" }, conflicts: [] });
  });
});

describe("a request and its cancel on one socket", () => {
  it("are read in order: a terminal that has never received the request refuses it as unknown, which is final", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.till.saleBody();
    const referenceId = String(body["referenceId"]);
    const answer = here.till.transfer(body);
    const request = await connection.nextRequest();
    const cancelled = here.till.cancel(referenceId);
    const cancel = await connection.next("cancel");
    expect(cancel).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    connection.refuse(request, "unknown");
    expect((await cancelled).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    const back = await here.connect();
    expect(await back.frames()).toEqual([]);
  });

  it("are read in order: the terminal accepts, cancels, and its own 11 is the answer to both", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.sent();
    const cancelled = here.till.cancel(referenceId);
    await connection.next("cancel");
    connection.accept(request);
    connection.result(request, "11", { responseCode: "17", responseText: "CANCELLED" });
    for (const each of [await answer, await cancelled]) {
      expect(each.body).toMatchObject({ transType: "sale", statusCode: "11", responseCode: "17" });
    }
  });

  it("end in the sale's 00 when the cancel comes too late", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    const cancelled = here.till.cancel(referenceId);
    await connection.next("cancel");
    here.approve(connection, request);
    expect((await cancelled).body).toEqual((await answer).body);
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("a terminal that restarts with an accepted request", () => {
  it("ends it as 11 after respondBy, and that is the answer", async ({ expect }) => {
    const here = await scene();
    const { connection: first, body, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    first.drop();
    await here.pass(request.respondBy + 1 - Date.now());
    const second = await here.connect({ open: [request.requestId] });
    second.result(request, "11", { responseCode: "21", responseText: "NOT STARTED" });
    expect(await second.next("ack")).toMatchObject({ statusCode: "11" });
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "21" });
    expect((await here.till.transfer(body)).body.statusCode).toBe("11");
  });
});

describe("a result in the wrong money", () => {
  for (const wrong of [{ transAmt: "12.51" }, { currency: "SGD" }, { cashAmt: "10.00" }]) {
    it(`(${JSON.stringify(wrong)}) is kept as evidence, acknowledged, and left to the operator`, async ({ expect }) => {
      const here = await scene();
      const { connection, body, referenceId, answer, request } = await here.accepted();
      here.approve(connection, request, { transData: { ...wrong, invNo: "000009" } });
      expect(await connection.next("ack")).toMatchObject({ requestId: request.requestId, statusCode: "00" });
      const { body: told } = await answer;
      expect(told).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
      expect(told.transData).toMatchObject({ transAmt: "12.50", currency: "MYR", invNo: "" });

      const back = await here.connect();
      expect(await back.frames()).toEqual([]);
      const row = await here.row(referenceId);
      expect(row).toMatchObject({ state: "pending", pendingReason: "contradiction", attempt: 1 });
      expect(row.evidence).toHaveLength(1);
      expect(row.evidence[0]?.report).toMatchObject({ statusCode: "00", named: wrong });
      expect((await here.resolve(request.requestId, "00", "Charged, as the host says.")).status).toBe(200);
      expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "00", responseCode: "RESOLVED" });
    });
  }
});

describe("a sale's result that says that no cash was paid out", () => {
  it("is the sale's, and its answer has no cashAmt", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    here.approve(connection, request, { transData: { transAmt: "12.50", cashAmt: "0.00" } });
    const { body } = await answer;
    expect(body.statusCode).toBe("00");
    expect(body.transData).not.toHaveProperty("cashAmt");
  });
});

describe("a 22 and the 00 that follows it at once", () => {
  it("are each acknowledged with their own status, and the sale is 00", async ({ expect }) => {
    const here = await scene();
    const { connection, body, referenceId, answer, request } = await here.accepted();
    connection.result(request, "22");
    here.approve(connection, request);
    expect(await connection.next("ack")).toMatchObject({ statusCode: "22" });
    expect(await connection.next("ack")).toMatchObject({ statusCode: "00" });
    await answer;
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");

    // The repetition of the 22 that was still in transit.
    connection.result(request, "22");
    expect(await connection.frames()).toContainEqual({ type: "ack", requestId: request.requestId, statusCode: "22" });
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
    expect(await here.row(referenceId)).toMatchObject({ state: "completed", conflicts: [] });
  });
});

describe("a request that the terminal refuses as busy just after another one ends", () => {
  it("is 11 TERMINAL_BUSY at once, and never sent again", async ({ expect }) => {
    const here = await scene();
    const { connection, body: over, answer: overAnswer, request: overRequest } = await here.accepted();
    await here.pass(91 * SECOND);
    expect((await overAnswer).body.statusCode).toBe("22");
    await connection.next("cancel");

    const { body, referenceId, answer } = await here.queued();
    await here.pass(9 * SECOND);
    await connection.next("ping");
    connection.send("pong");
    const request = await connection.nextRequest();
    const { body: next, answer: nextAnswer } = await here.queued();
    connection.refuse(request, "busy");
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
    // The one that waits behind it is next.
    const nextRequest = await connection.acceptNext();
    expect(nextRequest.referenceId).toBe(next["referenceId"]);

    // The answer to the cancel of the one before is that one's, and no other's.
    connection.result(overRequest, "11");
    expect(await connection.next("ack")).toMatchObject({ requestId: overRequest.requestId });
    expect(await here.row(over["referenceId"])).toMatchObject({ state: "completed", outcome: { statusCode: "11" } });
    expect(await here.row(referenceId)).toMatchObject({ state: "completed", attempt: 1 });
    here.approve(connection, nextRequest);
    expect((await nextAnswer).body.statusCode).toBe("00");
    expect((await here.till.transfer(body)).body.responseCode).toBe("TERMINAL_BUSY");
    expect(await connection.frames()).not.toContainEqual(expect.objectContaining({ type: "request" }));
  });

  it("is 11 TERMINAL_BUSY even if the POS has cancelled it meanwhile", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const over = here.till.sale();
    await connection.acceptNext();
    await here.pass(95 * SECOND);
    expect((await over).body.statusCode).toBe("22");
    const { referenceId, answer } = await here.queued();
    await here.pass(5 * SECOND);
    await connection.next("ping");
    connection.send("pong");
    const request = await connection.nextRequest();
    await here.till.cancel(referenceId, {}, AT_ONCE);
    await connection.next("cancel");
    connection.refuse(request, "busy");
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
    await here.pass(10 * SECOND);
    expect(await connection.frames()).toEqual([]);
  });
});
