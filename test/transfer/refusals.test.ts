import { describe, it } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import { AT_ONCE, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

describe("a request that the terminal refuses", () => {
  const codes = {
    busy: "TERMINAL_BUSY",
    expired: "TERMINAL_REFUSED",
    unsupported: "TERMINAL_REFUSED",
    unbound: "TERMINAL_REFUSED",
    unknown: "NOT_DELIVERED",
  };
  for (const [reason, responseCode] of Object.entries(codes)) {
    it(`as ${reason} is 11 ${responseCode}, never sent again, and nothing that getLast shows`, async ({ expect }) => {
      const here = await scene();
      const connection = await here.connect({ softwareVersion: "9.9", terminalSn: "SN-77" });
      const body = here.till.saleBody();
      const answer = here.till.transfer(body);
      connection.refuse(await connection.nextRequest(), reason);
      const { body: told } = await answer;
      expect(told).toMatchObject({
        statusCode: "11",
        responseCode,
        softwareVersion: "9.9",
        terminalSn: "SN-77",
        responseText: expect.stringMatching(/^.{1,128}$/),
      });
      expect(told.transData).toMatchObject({ transAmt: "12.50", currency: "MYR", invNo: "" });
      const back = await here.connect();
      expect(await back.frames()).toEqual([]);
      expect((await here.till.transfer(body)).body).toEqual(told);
      expect((await here.till.getLast()).body.code).toBe(40004);
      expect((await here.till.inquiry({ referenceId: body["referenceId"] })).body).toMatchObject({
        statusCode: "11",
        responseCode,
      });
    });
  }

  it("after accepting it continues, or is pending if the reason is `unknown`: its memory is lost", async ({
    expect,
  }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    for (const reason of ["busy", "expired", "unsupported", "unbound"]) connection.refuse(request, reason);
    await connection.frames();
    expect(await here.row(referenceId)).toMatchObject({ state: "accepted", outcome: null });
    connection.refuse(request, "unknown");
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    expect(await here.row(referenceId)).toMatchObject({ state: "pending", pendingReason: "forgotten" });
    const back = await here.connect();
    expect(await back.frames()).toEqual([]);
  });

  it("is unaffected if the refusal comes on a connection other than its attempt's", async ({ expect }) => {
    const here = await scene();
    const { connection: first, referenceId, answer, request } = await here.sent();
    await first.lose();
    // A row with a cancel is not sent again: its newest attempt stays the one on the connection that is gone.
    await here.till.cancel(referenceId, {}, AT_ONCE);
    const second = await here.connect();
    for (const reason of ["expired", "unknown", "busy"]) second.refuse(request, reason);
    await second.frames();
    expect(await here.row(referenceId)).toMatchObject({ state: "sent", attempt: 1, outcome: null });
    here.approve(second, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("that nobody sent is logged, and nothing else", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    connection.refuse({ requestId: "9999999999", attempt: 1 }, "busy");
    expect(await connection.frames()).toEqual([]);
  });
});
