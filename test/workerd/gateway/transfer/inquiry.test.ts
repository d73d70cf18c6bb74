import { describe, it } from "vitest";
import { verifySignature } from "../../../../src/protocol/signing/signature.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { approved, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

describe("an inquiry", () => {
  it("is answered from the journal in full, even offline", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    connection.drop();
    await here.pass(60_000);
    const referenceId = here.pos.reference();
    const { status, headers, body } = await here.pos.inquiry({ transId: sale.request.transId }, { referenceId });
    expect(status).toBe(200);
    const { transData, ...told } = sale.answer.body;
    // No member about the original within transData: they stand at the top level only.
    expect(body.transData).toEqual(transData);
    expect(body).toMatchObject({
      ...told,
      transType: "inquiry",
      referenceId,
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
      originalTransType: "sale",
      originalReferenceId: sale.referenceId,
    });
    expect(body).not.toHaveProperty("voidStatus");
    expect(headers.has("Idempotent-Replayed")).toBe(false);
    expect(verifySignature(body as never, here.pos.account.signingKey)).toBe(true);
    expect(await here.journal()).toHaveLength(1);
  });

  it("names a sale or cashOut by transId, and nothing else", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const voiding = here.pos.void(sale.request.transId);
    const request = await connection.acceptNext();
    here.approve(connection, request);
    await voiding;
    for (const transId of [sale.request.transId, Number(sale.request.transId)]) {
      expect((await here.pos.inquiry({ transId })).body).toMatchObject({
        originalReferenceId: sale.referenceId,
        voidStatus: "00",
      });
    }
    for (const transId of [request.requestId, "9876543210"]) {
      const { status, body } = await here.pos.inquiry({ transId });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 40004, details: [{ path: "transData.transId" }] });
    }
  });

  it("gets the gateway's own answer by number, byte for byte", async ({ expect }) => {
    const here = await scene();
    const transData = { transAmt: "5.00", cashAmt: "50.00", paymentMethod: "bankCard", metadata: "table 7" };
    const body = here.pos.body("cashOut", { transData });
    const offline = await here.pos.transfer(body);
    const { transData: known, ...told } = offline.body;
    expect(told.responseCode).toBe("TERMINAL_OFFLINE");
    expect(known).toEqual({
      transId: expect.stringMatching(/^[1-9][0-9]{9}$/),
      transAmt: "5.00",
      cashAmt: "50.00",
      currency: "MYR",
      metadata: "table 7",
      transDateTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T12:00:00$/),
      paymentChannel: "",
      invNo: "",
      tid: "",
      mid: "",
    });
    await here.crash();
    await here.pass(60_000);
    expect((await here.pos.transfer(body)).body).toEqual(offline.body);
    const asked = await here.pos.inquiry({ transId: known?.["transId"] });
    expect(asked.body).toMatchObject({ responseCode: "TERMINAL_OFFLINE", originalReferenceId: body["referenceId"] });
    expect(asked.body.transData).toEqual(known);
    // Of a void only what it did not void is known, of a reference that never arrived nothing.
    expect((await here.pos.void(known?.["transId"])).body).not.toHaveProperty("transData");
    expect((await here.pos.cancel(here.pos.reference())).body).not.toHaveProperty("transData");
    const [row] = await here.journal();
    expect(row).not.toHaveProperty("outcome.transData");
  });

  it("asks about its own reference if it names nothing", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const first = await approved(here, connection);
    await approved(here, connection);
    const { body } = await here.pos.inquiry(undefined, { referenceId: first.referenceId });
    expect(body).toMatchObject({ originalReferenceId: first.referenceId, statusCode: "00" });
  });

  it("names the device of its reference if it names nothing", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const sale = await approved(here, await here.connect());
    const { referenceId } = sale;
    const { status, body } = await nextDoor.inquiry(undefined, { referenceId });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 40009, details: [{ path: "referenceId" }] });
    expect(body.details?.[0]?.message).toContain(here.terminal.terminalId);
    expect((await here.pos.inquiry(undefined, { referenceId })).body.statusCode).toBe("00");
    // Its own reference is nobody's business if it has a name.
    const transData = { transId: sale.request.transId };
    expect((await nextDoor.inquiry(transData, { referenceId })).body.details).toMatchObject([
      { path: "transData.transId" },
    ]);
    expect((await nextDoor.getLast({ referenceId })).body).toMatchObject({
      code: 40004,
      details: [{ path: "deviceId" }],
    });
  });
});

describe("getLast", () => {
  it("is the newest that reached the terminal, of any type and outcome", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    expect((await here.pos.getLast()).body).toMatchObject({
      transType: "getLast",
      statusCode: "00",
      originalTransType: "sale",
    });
    const declined = here.pos.saleBody();
    const answer = here.pos.transfer(declined);
    connection.result(await connection.acceptNext(), "11");
    await answer;
    expect((await here.pos.getLast()).body).toMatchObject({
      statusCode: "11",
      responseCode: "05",
      originalReferenceId: declined["referenceId"],
    });
    const body = here.pos.body("void", { transData: { transId: sale.request.transId } });
    await approved(here, connection, body);
    expect((await here.pos.getLast()).body).toMatchObject({
      statusCode: "00",
      originalTransType: "void",
      originalReferenceId: body["referenceId"],
      transData: { transId: sale.request.transId },
    });
  });

  it("ignores its transData", async ({ expect }) => {
    const here = await scene();
    const sale = await approved(here, await here.connect());
    const body = here.pos.body("getLast", { transData: { anything: "goes" } });
    expect((await here.pos.transfer(body)).body.originalReferenceId).toBe(sale.referenceId);
  });
});
