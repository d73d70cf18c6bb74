/**
 * The gateway dies (its objects are reset: memory and sockets gone) between any two steps of a transaction: the POS
 * that waited, and the one that repeats its request, get the truth, and never a 500.
 *
 * What this does not prove: that the platform keeps what it called durable through the loss of a machine.
 */
import { describe, it, type ExpectStatic } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import type { Answer } from "../support/gateway.ts";
import type { TransferAnswer } from "../support/pos.ts";
import { AT_ONCE, useAccount, type Scene } from "../support/scene.ts";
import type { RequestFrame, ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

interface Running {
  here: Scene;
  connection: ScriptedTerminal;
  referenceId: string;
  body: Record<string, unknown>;
  answer: Promise<Answer<TransferAnswer>>;
}

async function startSale(here: Scene): Promise<Running> {
  const connection = await here.connect();
  const body = here.till.saleBody();
  return { here, connection, body, referenceId: String(body["referenceId"]), answer: here.till.transfer(body) };
}

/** The terminal takes the request that comes, or goes on with the one that it holds, and approves it. */
async function finish(here: Scene, held: RequestFrame | null): Promise<void> {
  const connection = await here.connect({ open: held === null ? [] : [held.requestId] });
  const request = held ?? (await connection.acceptNext());
  await here.settle(connection, request);
}

async function expectTheTruth({ here, body, answer }: Running, expect: ExpectStatic): Promise<void> {
  const { status, body: told } = await answer;
  expect(status).toBe(200);
  expect(told.statusCode).toBe("00");
  const again = await here.till.transfer(body);
  expect(again.status).toBe(200);
  expect(again.body).toEqual(told);
  expect(await here.journal()).toHaveLength(1);
}

describe("a sale whose gateway crashes", () => {
  it("before the object has heard of it is processed once", async ({ expect }) => {
    const sale = await startSale(await scene());
    await sale.here.crash();
    const connection = await sale.here.connect();
    const request = await connection.acceptNext();
    sale.here.approve(connection, request);
    await expectTheTruth(sale, expect);
  });

  it("while it waits for its terminal is processed once", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    await first.lose();
    const body = here.till.saleBody();
    const referenceId = String(body["referenceId"]);
    const answer = here.till.transfer(body);
    await here.reaches(referenceId, "queued");
    await here.crash();
    await here.crash();
    await finish(here, null);
    await expectTheTruth({ here, connection: first, body, referenceId, answer }, expect);
  });

  it("after it was sent is sent again when the terminal says that it never accepted it", async ({ expect }) => {
    const sale = await startSale(await scene());
    const lost = await sale.connection.nextRequest();
    await sale.here.crash();
    expect(await sale.connection.closed()).toBe(1006);
    const connection = await sale.here.connect();
    const request = await connection.acceptNext();
    expect(request).toMatchObject({ requestId: lost.requestId, attempt: 2, respondBy: lost.respondBy });
    sale.here.approve(connection, request);
    await expectTheTruth(sale, expect);
  });

  it("before it heard of the acceptance continues when the terminal lists it", async ({ expect }) => {
    const sale = await startSale(await scene());
    const request = await sale.connection.nextRequest();
    await sale.here.crash();
    await finish(sale.here, request);
    await expectTheTruth(sale, expect);
  });

  it("after it was accepted continues", async ({ expect }) => {
    const sale = await startSale(await scene());
    const request = await sale.connection.acceptNext();
    await sale.here.reaches(sale.referenceId, "accepted");
    await sale.here.crash();
    await finish(sale.here, request);
    await expectTheTruth(sale, expect);
  });

  it("at the moment of the result is completed when the result is sent again", async ({ expect }) => {
    const sale = await startSale(await scene());
    const request = await sale.connection.acceptNext();
    await sale.here.reaches(sale.referenceId, "accepted");
    sale.connection.result(request, "00");
    await sale.here.crash();
    await finish(sale.here, request);
    await expectTheTruth(sale, expect);
  });

  it("after it was completed is replayed", async ({ expect }) => {
    const sale = await startSale(await scene());
    const request = await sale.connection.acceptNext();
    sale.here.approve(sale.connection, request);
    await sale.connection.next("ack");
    await sale.here.crash();
    await expectTheTruth(sale, expect);
    const back = await sale.here.connect({ open: [request.requestId] });
    back.result(request, "00");
    expect(await back.frames()).toEqual([{ type: "ack", requestId: request.requestId, statusCode: "00" }]);
  });

  it("after its 22 is still pending, and completed by the later 00", async ({ expect }) => {
    const sale = await startSale(await scene());
    const { here, body } = sale;
    const request = await sale.connection.acceptNext();
    sale.connection.result(request, "22");
    expect((await sale.answer).body.statusCode).toBe("22");
    await here.crash();
    expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "22", responseCode: "09" });
    await finish(here, request);
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("before its end is answered 22 at its end, by the alarm that was set before", async ({ expect }) => {
    const sale = await startSale(await scene());
    const { here } = sale;
    const request = await sale.connection.acceptNext();
    await here.reaches(sale.referenceId, "accepted");
    await here.pass(85 * SECOND);
    await here.crash();
    await here.pass(5 * SECOND);
    const { status, body } = await sale.answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_LOST" });
    await here.crash();
    await finish(here, request);
    expect((await here.till.transfer(sale.body)).body.statusCode).toBe("00");
  });

  it("between the proof of non-delivery and the time it may be reported is CANCELLED without another proof", async ({
    expect,
  }) => {
    const sale = await startSale(await scene());
    const { here } = sale;
    const request = await sale.connection.nextRequest();
    await sale.connection.lose();
    await here.till.cancel(sale.referenceId, {}, AT_ONCE);
    const second = await here.connect();
    expect(await second.frames()).toEqual([]);
    await here.crash();
    await here.pass(request.deliverBy + 15 * SECOND - 1 - Date.now());
    expect((await here.row(sale.referenceId)).outcome).toBeNull();
    await here.pass(1);
    expect((await sale.answer).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect((await here.till.transfer(sale.body)).body.responseCode).toBe("CANCELLED");
    expect(request.attempt).toBe(1);
  });
});

describe("a void whose gateway crashes", () => {
  it("is processed once, and answers with the sale's number", async ({ expect }) => {
    const here = await scene();
    const { connection: first, answer: sale, request: saleRequest } = await here.accepted();
    here.approve(first, saleRequest);
    await sale;
    const referenceId = here.till.reference();
    const body = here.till.body("void", { referenceId, transData: { transId: saleRequest.transId } });
    const answer = here.till.transfer(body);
    const request = await first.acceptNext();
    await here.reaches(referenceId, "accepted");
    await here.crash();
    const another = await here.till.void(saleRequest.transId);
    expect(another.body).toMatchObject({ statusCode: "11", responseCode: "NOT_VOIDABLE" });
    await finish(here, request);
    expect((await answer).body).toMatchObject({ statusCode: "00", transData: { transId: saleRequest.transId } });
    await here.crash();
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
    expect((await here.till.void(saleRequest.transId)).body.responseCode).toBe("ALREADY_VOIDED");
  });
});

describe("an inquiry and a cancel whose gateway crashes while it asks the terminal", () => {
  it("are asked again, and answered with the outcome", async ({ expect }) => {
    const sale = await startSale(await scene());
    const { here } = sale;
    const request = await sale.connection.acceptNext();
    sale.connection.result(request, "22");
    await sale.answer;
    const inquiry = here.till.inquiry({ referenceId: sale.referenceId });
    await sale.connection.next("ask");
    await here.crash();
    const back = await here.connect({ open: [request.requestId] });
    const cancelled = here.till.cancel(sale.referenceId);
    await back.next("cancel");
    here.approve(back, request);
    expect((await cancelled).body.statusCode).toBe("00");
    expect((await inquiry).status).toBe(200);
    expect((await here.till.transfer(sale.body, AT_ONCE)).body.statusCode).toBe("00");
  });
});
