import { afterEach, describe, it, vi } from "vitest";
import { verifySignature } from "../../../../src/protocol/signing/signature.ts";
import { cutLongWaitsShort, useFakeClock } from "../../../support/clock.ts";
import { call, type ErrorBody } from "../../../support/gateway.ts";
import { AT_ONCE, ScenePos, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();
const other = useAccount();
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the cancel of a transaction", () => {
  it("is 11 CANCELLED for an unknown transaction, and needs a binding", async ({ expect }) => {
    const here = await scene();
    const referenceId = here.pos.reference();
    const { status, body } = await here.pos.cancel(referenceId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      transType: "cancel",
      posId: here.pos.account.posId,
      deviceId: here.terminal.terminalId,
      referenceId,
      statusCode: "11",
      responseCode: "CANCELLED",
      apiVersion: "v1",
    });
    expect(verifySignature(body as never, here.pos.account.signingKey)).toBe(true);
    const again = await here.pos.cancel(referenceId);
    expect(again.body).toEqual(body);

    const there = await other();
    const stranger = new ScenePos(there.pos.account, here.terminal, there.pos.token, there.books);
    const refused = await stranger.cancel(stranger.reference());
    expect(refused.status).toBe(400);
    expect(refused.body.details?.[0]?.path).toBe("deviceId");
  });

  it("is the terminal's own 11 after acceptance, with its responseCode", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    const cancelled = here.pos.cancel(referenceId);
    expect(await connection.next("cancel")).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    connection.result(request, "11", { responseCode: "C1", responseText: "CANCELLED BY CASHIER" });
    for (const { body: told } of [await cancelled, await answer]) {
      expect(told).toMatchObject({ statusCode: "11", responseCode: "C1", responseText: "CANCELLED BY CASHIER" });
    }
  });

  it("is 22 after ten seconds without confirmation, and stays requested", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const referenceId = String(body["referenceId"]);
    await here.pos.transfer(body, AT_ONCE);
    const request = await connection.acceptNext();
    await here.reaches(referenceId, "accepted");
    cutLongWaitsShort();
    expect((await here.pos.cancel(referenceId)).body).toMatchObject({
      transType: "sale",
      statusCode: "22",
      responseCode: "IN_PROGRESS",
    });
    expect(await here.row(referenceId)).toMatchObject({ state: "accepted", cancelled: true });
    const back = await here.connect({ open: [request.requestId] });
    expect(await back.next("cancel")).toMatchObject({ requestId: request.requestId });
  });

  it("is never caused by a sale or inquiry at its path", async ({ expect }) => {
    const here = await scene();
    const { pos } = here;
    const { connection, body: running, answer, request } = await here.accepted();
    const { referenceId } = running;
    for (const body of [running, pos.body("inquiry", { referenceId }), pos.body("", { referenceId })]) {
      const refused = await call<ErrorBody>("POST", "/api/transfer/cancel", {
        token: pos.token,
        body: pos.sign(body),
      });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ code: 40000, details: [{ path: "transType" }] });
      expect(refused.body.details?.[0]?.message).toContain("POST /api/transfer");
    }
    expect(await connection.frames()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("is refused if unsigned, outdated, or not of this account", async ({ expect }) => {
    const here = await scene();
    const referenceId = here.pos.reference();
    const path = async (members: Record<string, unknown>, body?: unknown): Promise<string | undefined> => {
      const answer = await here.pos.cancel(referenceId, members, body === undefined ? {} : { body });
      expect(answer.status).toBe(400);
      return answer.body.details?.[0]?.path;
    };
    expect(await path({ datetime: "20200101000000" })).toBe("datetime");
    expect(await path({ posId: "somebody" })).toBe("posId");
    expect(await path({ deviceId: "no-such-terminal" })).toBe("deviceId");
    expect(await path({ statusCode: "00" })).toBe("statusCode");
    expect(await path({ type: "cancel" })).toBe("type");
    expect(await path({ referenceId: "" })).toBe("referenceId");
    expect(await path({}, { posId: here.pos.account.posId })).toBe("deviceId");
    const { transType: _type, ...unsigned } = here.pos.body("", { referenceId, signature: "0".repeat(64) });
    expect(await path({}, unsigned)).toBe("signature");
    expect(await here.journal()).toEqual([]);
  });
});
