/** The customer paid in cash and nobody cancelled: the next customer's card must not pay the first one's bill. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { verifySignature } from "../../../../src/protocol/signing/signature.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { accessToken, createAccount } from "../../../support/gateway.ts";
import { AT_ONCE, ScenePos, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("a sale at a terminal with a pending payment", () => {
  it("names the pending payment when its wait is over", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const second = await here.queued();
    await here.pass(10 * SECOND);
    const { body } = await second.answer;
    expect(body).toMatchObject({
      statusCode: "11",
      responseCode: "TERMINAL_BUSY",
      responseText:
        `The terminal is busy with payment ${open.referenceId}. Nothing was charged. ` +
        "Finish or cancel that payment, then try again.",
      openReferenceId: open.referenceId,
    });
    expect(body.responseText?.length).toBeLessThanOrEqual(128);
    expect(verifySignature(body as never, here.pos.account.signingKey)).toBe(true);
    here.approve(open.connection, open.request);
    await open.answer;
    // The 11 is frozen, and so is what it names.
    expect((await here.pos.transfer(second.body)).body).toEqual(body);
    expect((await here.pos.inquiry({ referenceId: second.referenceId })).body).toMatchObject({
      originalReferenceId: second.referenceId,
      openReferenceId: open.referenceId,
    });
  });

  it("names the pending payment while it waits", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const body = here.pos.saleBody();
    const waiting = (await here.pos.transfer(body, AT_ONCE)).body;
    expect(waiting).toMatchObject({
      statusCode: "22",
      responseCode: "IN_PROGRESS",
      responseText:
        `Waiting: payment ${open.referenceId} is open at the terminal. Finish or cancel it. ` +
        "Ask again with the same referenceId.",
      openReferenceId: open.referenceId,
    });
    expect((await here.pos.inquiry({ referenceId: body["referenceId"] })).body.openReferenceId).toBe(open.referenceId);
    here.approve(open.connection, open.request);
    await open.answer;
    here.approve(open.connection, await open.connection.acceptNext());
    const { statusCode, openReferenceId } = (await here.pos.transfer(body)).body;
    expect([statusCode, openReferenceId]).toEqual(["00", undefined]);
  });

  it("goes ahead once the named payment is cancelled", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const second = await here.queued();
    const { openReferenceId } = (await here.pos.transfer(second.body, AT_ONCE)).body;
    const cancelled = here.pos.cancel(openReferenceId ?? "");
    await open.connection.next("cancel");
    open.connection.result(open.request, "11");
    expect((await cancelled).body.statusCode).toBe("11");
    here.approve(open.connection, await open.connection.acceptNext());
    expect((await second.answer).body.statusCode).toBe("00");
  });

  it("does not name another account's payment", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    await here.pass(90 * SECOND);
    await open.answer;
    const account = await createAccount();
    const { posId, merchantId, currency, timezone } = account;
    await terminalStub(env, here.terminal.terminalId).bind({ posId, merchantId, currency, timezone }, "move");
    const pos = new ScenePos(account, here.terminal, await accessToken(account), here.books);
    const first = await pos.transfer(pos.saleBody(), AT_ONCE);
    expect(first.body).toMatchObject({ responseCode: "IN_PROGRESS" });
    for (let waiting = 0; waiting < 3; waiting++) await pos.transfer(pos.saleBody(), AT_ONCE);
    const fifth = await pos.sale();
    expect(fifth.body).toMatchObject({
      responseCode: "TERMINAL_BUSY",
      responseText: "The terminal is busy with another payment. Nothing was charged. Try again when it has ended.",
    });
    expect(JSON.stringify([first.body, fifth.body])).not.toContain(open.referenceId);
    expect(JSON.stringify([first.body, fifth.body])).not.toContain("openReferenceId");
  });
});
