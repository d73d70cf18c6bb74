import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { operator } from "../../../support/gateway.ts";
import { approved, Scene, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();
describe("a void", () => {
  it("goes to the terminal with the sale's number, amount and currency", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const referenceId = here.pos.reference();
    const answer = here.pos.transfer(
      here.pos.body("void", {
        referenceId,
        transData: { transId: Number(sale.request.transId), invNo: "000123", printCount: "1", metadata: "m" },
      }),
    );
    const request = await connection.acceptNext();
    expect(request).toMatchObject({
      transType: "void",
      referenceId,
      currency: "MYR",
      transId: sale.request.transId,
      transData: { transId: sale.request.transId, invNo: "000123", printCount: 1, metadata: "m" },
    });
    expect(Number(request.requestId)).toBeGreaterThan(Number(sale.request.requestId));
    here.approve(connection, request, { transData: { paymentChannel: "VISA", invNo: "7", tid: "1", mid: "2" } });
    expect((await answer).body).toMatchObject({
      transType: "void",
      referenceId,
      statusCode: "00",
      transData: { transId: sale.request.transId, transAmt: "12.50", currency: "MYR", invNo: "7", metadata: "m" },
    });
  });

  it("refunds both amounts of a cashOut", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const transData = { transAmt: "5.00", cashAmt: "50.00", paymentMethod: "bankCard" };
    const sale = await approved(here, connection, here.pos.body("cashOut", { transData }));
    expect(sale.answer.body.transData).toMatchObject({ transAmt: "5.00", cashAmt: "50.00" });
    const body = here.pos.body("void", { transData: { transId: sale.request.transId } });
    const { answer } = await approved(here, connection, body);
    expect(answer.body.transData).toMatchObject({ transAmt: "5.00", cashAmt: "50.00" });
  });

  it("is in the sale's currency, even after the account's has changed", async ({ expect }) => {
    const here = await Scene.alone();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const changed = await operator("PATCH", `/operator/accounts/${here.pos.account.posId}`, { currency: "SGD" });
    expect(changed.status).toBe(200);
    const answer = here.pos.void(sale.request.transId);
    const request = await connection.acceptNext();
    expect(request.currency).toBe("MYR");
    here.approve(connection, request, { transData: { transAmt: "12.50", currency: "MYR" } });
    expect((await answer).body).toMatchObject({ statusCode: "00", transData: { currency: "MYR" } });
  });

  it("is left to the operator if its result names another amount", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const answer = here.pos.void(sale.request.transId);
    const request = await connection.acceptNext();
    here.approve(connection, request, { transData: { transAmt: "1.00" } });
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    expect((await here.pos.inquiry({ transId: sale.request.transId })).body.voidStatus).toBe("22");
  });
});

describe("a void without a target", () => {
  it("is 11 TRANSACTION_NOT_FOUND if there is no such transaction", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.body("void", { transData: { transId: "9876543210" } });
    const { status, body: told } = await here.pos.transfer(body);
    expect(status).toBe(200);
    expect(told).toMatchObject({ transType: "void", statusCode: "11", responseCode: "TRANSACTION_NOT_FOUND" });
    expect(await connection.frames()).toEqual([]);
    // It is journaled: the same request gets the same answer.
    const again = await here.pos.transfer(body);
    expect(again.body).toEqual(told);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect((await here.pos.getLast()).body.code).toBe(40004);
  });
});
