import { describe, it } from "vitest";
import { verifySignature } from "../../../../src/protocol/signing/signature.ts";
import { Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

describe("a sale", () => {
  it("goes to the named terminal, whose signed result is the answer", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await ScriptedTerminal.connect(pos.terminal);
    const referenceLabel = "Table";
    const body = pos.saleBody({ referenceLabel }, { note: "two coffees", metadata: "table 7", cashAmt: "0.00" });
    const answer = pos.transfer(body);
    const request = await terminal.acceptNext();
    expect(request).toMatchObject({
      transType: "sale",
      posId: pos.account.posId,
      merchantId: pos.account.merchantId,
      referenceId: body["referenceId"],
      referenceLabel,
      attempt: 1,
      currency: "MYR",
      transData: { transAmt: "12.50", paymentMethod: "bankCard", note: "two coffees", metadata: "table 7" },
    });
    expect(request.requestId).toMatch(/^[1-9][0-9]{9}$/);
    expect(request.transId).toBe(request.requestId);
    expect(verifySignature(request as never, pos.terminal.secret)).toBe(true);
    terminal.result(request, "00", { responseText: "APPROVED" });
    expect(await terminal.next("ack")).toEqual({ type: "ack", requestId: request.requestId, statusCode: "00" });

    const { status, body: response } = await answer;
    expect(status).toBe(200);
    expect(response).toMatchObject({
      transType: "sale",
      posId: pos.account.posId,
      deviceId: pos.terminal.terminalId,
      referenceId: body["referenceId"],
      statusCode: "00",
      responseCode: "00",
      responseText: "APPROVED",
      softwareVersion: "scripted-1.0",
      terminalSn: "SN-1",
      apiVersion: "v1",
      transData: {
        transId: request.requestId,
        transAmt: "12.50",
        currency: "MYR",
        paymentChannel: "VISA",
        metadata: "table 7",
      },
    });
    expect(verifySignature(response as never, pos.account.signingKey)).toBe(true);
    // A sale has no cash: whoever leaves it out sends the same sale.
    const { referenceId } = body;
    const { body: again } = await pos.sale(
      { referenceId, referenceLabel },
      { note: "two coffees", metadata: "table 7" },
    );
    expect(again).toEqual(response);
  });
});
