import { afterEach, describe, it, vi } from "vitest";
import { verifySignature } from "../../src/signing/signature.ts";
import { cutLongWaitsShort, skip, useFakeClock } from "../support/clock.ts";
import { bind, call, type ErrorBody } from "../support/gateway.ts";
import { AT_ONCE, Till, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();
const other = useAccount();
afterEach(() => {
  vi.unstubAllGlobals();
});

const SECOND = 1_000;

describe("the cancel of a transaction", () => {
  it("that is unknown is 11 CANCELLED, of type cancel, and needs a binding", async ({ expect }) => {
    const here = await scene();
    const referenceId = here.till.reference();
    const { status, body } = await here.till.cancel(referenceId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      transType: "cancel",
      posId: here.till.account.posId,
      deviceId: here.terminal.terminalId,
      referenceId,
      statusCode: "11",
      responseCode: "CANCELLED",
      apiVersion: "v1",
    });
    expect(verifySignature(body as never, here.till.account.signingKey)).toBe(true);
    const again = await here.till.cancel(referenceId);
    expect(again.body).toEqual(body);

    const there = await other();
    const stranger = new Till(there.till.account, here.terminal, there.till.token, there.books);
    const refused = await stranger.cancel(stranger.reference());
    expect(refused.status).toBe(400);
    expect(refused.body.details?.[0]?.path).toBe("deviceId");
  });

  it("that waits for the lane is 11 CANCELLED at once, and it is never sent", async ({ expect }) => {
    const here = await scene();
    const { connection, answer: first, request } = await here.accepted();
    const { referenceId, answer } = await here.queued();
    const { body: told } = await here.till.cancel(referenceId);
    expect(told).toMatchObject({ transType: "sale", statusCode: "11", responseCode: "CANCELLED" });
    expect((await answer).body).toEqual(told);
    here.approve(connection, request);
    await first;
    expect((await connection.frames()).map((frame) => (frame as { type: string }).type)).toEqual(["ack"]);
  });

  it("that waits for its terminal to come back is 11 CANCELLED at once, and it is never sent", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    await first.lose();
    const { referenceId, answer } = await here.queued();
    expect((await here.till.cancel(referenceId)).body.responseCode).toBe("CANCELLED");
    expect((await answer).body.responseCode).toBe("CANCELLED");
    const second = await here.connect();
    expect(await second.frames()).toEqual([]);
  });

  it("that was accepted is the terminal's own 11, with its responseCode", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    const cancelled = here.till.cancel(referenceId);
    expect(await connection.next("cancel")).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    connection.result(request, "11", { responseCode: "C1", responseText: "CANCELLED BY CASHIER" });
    for (const { body: told } of [await cancelled, await answer]) {
      expect(told).toMatchObject({ statusCode: "11", responseCode: "C1", responseText: "CANCELLED BY CASHIER" });
    }
  });

  it("that the terminal can no longer stop is its 22, then its final result", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    const cancelled = here.till.cancel(referenceId);
    await connection.next("cancel");
    connection.result(request, "22");
    for (const { body: told } of [await cancelled, await answer]) {
      expect(told).toMatchObject({ statusCode: "22", responseCode: "09" });
    }
    here.approve(connection, request);
    await connection.frames();
    expect((await here.till.cancel(referenceId)).body).toMatchObject({
      statusCode: "00",
      transData: { transId: request.transId },
    });
  });

  it("that nobody confirms is its 22 after ten seconds, and the cancel stays requested", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.till.saleBody();
    const referenceId = String(body["referenceId"]);
    await here.till.transfer(body, AT_ONCE);
    const request = await connection.acceptNext();
    await here.reaches(referenceId, "accepted");
    cutLongWaitsShort();
    expect((await here.till.cancel(referenceId)).body).toMatchObject({
      transType: "sale",
      statusCode: "22",
      responseCode: "IN_PROGRESS",
    });
    expect(await here.row(referenceId)).toMatchObject({ state: "accepted", cancelled: true });
    const back = await here.connect({ open: [request.requestId] });
    expect(await back.next("cancel")).toMatchObject({ requestId: request.requestId });
  });

  it("that seemed undelivered is sent when the terminal accepts it after all", async ({ expect }) => {
    const here = await scene();
    const { connection: first, referenceId, answer, request } = await here.sent();
    await first.lose();
    await here.till.cancel(referenceId, {}, AT_ONCE);
    const second = await here.connect();
    second.accept(request);
    expect(await second.next("cancel")).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    second.result(request, "11");
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "05" });
  });

  it("that is pending asks the terminal for its final result", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    connection.result(request, "22");
    await answer;
    const cancelled = here.till.cancel(referenceId);
    await connection.next("cancel");
    connection.result(request, "11");
    expect((await cancelled).body).toMatchObject({ statusCode: "11", responseCode: "05" });
  });

  it("that is completed returns its outcome and sends nothing", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    for (const statusCode of ["00", "11"] as const) {
      const body = here.till.saleBody();
      const answer = here.till.transfer(body);
      const request = await connection.acceptNext();
      if (statusCode === "00") here.approve(connection, request);
      else connection.result(request, "11");
      const { body: first } = await answer;
      await connection.frames();
      expect((await here.till.cancel(String(body["referenceId"]))).body).toEqual(first);
      expect(await connection.frames()).toEqual([]);
    }
  });

  it("affects that transaction and no other", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    const [waiting, kept] = [here.till.saleBody(), here.till.saleBody()];
    const waitingAnswer = here.till.transfer(waiting);
    await here.reaches(waiting["referenceId"], "queued");
    const keptAnswer = here.till.transfer(kept);
    await here.reaches(kept["referenceId"], "queued");
    await here.till.cancel(String(waiting["referenceId"]));
    expect((await waitingAnswer).body.responseCode).toBe("CANCELLED");
    expect(await connection.frames()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
    here.approve(connection, await connection.acceptNext());
    expect((await keptAnswer).body.statusCode).toBe("00");
  });

  it("of a void stops the void, and its type is void", async ({ expect }) => {
    const here = await scene();
    const { connection, answer: sale, request } = await here.accepted();
    here.approve(connection, request);
    await sale;
    const referenceId = here.till.reference();
    const answer = here.till.void(request.transId, { referenceId });
    const voiding = await connection.acceptNext();
    await here.reaches(referenceId, "accepted");
    const cancelled = here.till.cancel(referenceId);
    expect(await connection.next("cancel")).toMatchObject({ requestId: voiding.requestId });
    connection.result(voiding, "11");
    expect((await cancelled).body).toMatchObject({ transType: "void", statusCode: "11" });
    expect((await answer).body.statusCode).toBe("11");
    expect((await here.till.inquiry({ transId: request.transId })).body).not.toHaveProperty("voidStatus");
  });

  it("needs no binding if the account has the transaction on this device", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const { connection, referenceId, answer, request } = await here.accepted();
    connection.result(request, "22");
    await answer;
    await bind(there.till.token, here.terminal);
    const cancelled = here.till.cancel(referenceId);
    await connection.next("cancel");
    connection.result(request, "11");
    expect((await cancelled).body.statusCode).toBe("11");
    // Nor where it has another one: what has not arrived by now never will.
    expect((await here.till.cancel(here.till.reference())).body.responseCode).toBe("CANCELLED");
  });

  it("is never caused by a sale or an inquiry that is sent to its path", async ({ expect }) => {
    const here = await scene();
    const { till } = here;
    const { connection, body: running, answer, request } = await here.accepted();
    const { referenceId } = running;
    for (const body of [running, till.body("inquiry", { referenceId }), till.body("", { referenceId })]) {
      const refused = await call<ErrorBody>("POST", "/api/transfer/cancel", {
        token: till.token,
        body: till.sign(body),
      });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ code: 40000, details: [{ path: "transType" }] });
      expect(refused.body.details?.[0]?.message).toContain("POST /api/transfer");
    }
    expect(await connection.frames()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("is refused if it is not signed, not current, or not of this account", async ({ expect }) => {
    const here = await scene();
    const referenceId = here.till.reference();
    const path = async (members: Record<string, unknown>, body?: unknown): Promise<string | undefined> => {
      const answer = await here.till.cancel(referenceId, members, body === undefined ? {} : { body });
      expect(answer.status).toBe(400);
      return answer.body.details?.[0]?.path;
    };
    expect(await path({ datetime: "20200101000000" })).toBe("datetime");
    expect(await path({ posId: "somebody" })).toBe("posId");
    expect(await path({ deviceId: "no-such-terminal" })).toBe("deviceId");
    expect(await path({ statusCode: "00" })).toBe("statusCode");
    expect(await path({ type: "cancel" })).toBe("type");
    expect(await path({ referenceId: "" })).toBe("referenceId");
    expect(await path({}, { posId: here.till.account.posId })).toBe("deviceId");
    const { transType: _type, ...unsigned } = here.till.body("", { referenceId, signature: "0".repeat(64) });
    expect(await path({}, unsigned)).toBe("signature");
    expect(await here.journal()).toEqual([]);
  });
});

describe("a customer who walks away", () => {
  it("is an 11: the gateway cancels ten seconds before the end, once, and the terminal confirms", async ({
    expect,
  }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    connection.send({ type: "progress", requestId: request.requestId, stage: "present" });
    await here.pass(80 * SECOND - 1);
    expect(await connection.frames()).toEqual([]);
    await here.pass(1);
    expect(await connection.frames()).toEqual([{ type: "cancel", requestId: request.requestId, attempt: 1 }]);
    await here.pass(5 * SECOND);
    expect(await connection.frames()).toEqual([]);
    connection.result(request, "11", { responseCode: "TO" });
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "TO" });
  });

  it("is still an 11 after the end, even though the POS got a 22", async ({ expect }) => {
    const here = await scene();
    const { connection, body, answer, request } = await here.accepted();
    await here.pass(90 * SECOND);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
    await connection.next("cancel");
    connection.result(request, "11");
    expect(await connection.next("ack")).toMatchObject({ statusCode: "11" });
    skip(SECOND);
    expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "11", responseCode: "05" });
  });
});
