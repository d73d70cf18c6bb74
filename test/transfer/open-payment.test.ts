/** The customer paid in cash and nobody cancelled: the next customer's card must not pay the first one's bill. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { verifySignature } from "../../src/signing/signature.ts";
import { terminalStub } from "../../src/rpc/terminal.ts";
import { useFakeClock } from "../support/clock.ts";
import { accessToken, createAccount } from "../support/gateway.ts";
import { AT_ONCE, Till, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("a sale at a terminal with an open payment", () => {
  it("names the open payment when its wait is over", async ({ expect }) => {
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
    expect(verifySignature(body as never, here.till.account.signingKey)).toBe(true);
    here.approve(open.connection, open.request);
    await open.answer;
    // The 11 is frozen, and so is what it names.
    expect((await here.till.transfer(second.body)).body).toEqual(body);
    expect((await here.till.inquiry({ referenceId: second.referenceId })).body).toMatchObject({
      originalReferenceId: second.referenceId,
      openReferenceId: open.referenceId,
    });
  });

  it("keeps the name through a restart of the terminal's object", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const second = await here.queued();
    await here.pass(10 * SECOND);
    const { body } = await second.answer;
    await here.crash();
    expect((await here.till.transfer(second.body)).body).toEqual(body);
    const next = await here.connect({ open: [open.request.requestId] });
    here.approve(next, open.request);
    await open.answer;
  });

  it("names the open payment at once when four wait already", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    for (let waiting = 0; waiting < 4; waiting++) await here.till.transfer(here.till.saleBody(), AT_ONCE);
    const { responseCode, openReferenceId } = (await here.till.sale()).body;
    expect([responseCode, openReferenceId]).toEqual(["TERMINAL_BUSY", open.referenceId]);
    await here.pass(10 * SECOND);
    here.approve(open.connection, open.request);
    await open.answer;
  });

  it("names the open payment while it waits", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const body = here.till.saleBody();
    const waiting = (await here.till.transfer(body, AT_ONCE)).body;
    expect(waiting).toMatchObject({
      statusCode: "22",
      responseCode: "IN_PROGRESS",
      responseText:
        `Waiting: payment ${open.referenceId} is open at the terminal. Finish or cancel it. ` +
        "Ask again with the same referenceId.",
      openReferenceId: open.referenceId,
    });
    expect((await here.till.inquiry({ referenceId: body["referenceId"] })).body.openReferenceId).toBe(open.referenceId);
    here.approve(open.connection, open.request);
    await open.answer;
    here.approve(open.connection, await open.connection.acceptNext());
    const { statusCode, openReferenceId } = (await here.till.transfer(body)).body;
    expect([statusCode, openReferenceId]).toEqual(["00", undefined]);
  });

  it("names no payment that ended while the caller waited", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const body = here.till.saleBody();
    const answer = here.till.transfer(body, { headers: { Prefer: "wait=2" } });
    await here.reaches(body["referenceId"], "queued");
    here.approve(open.connection, open.request);
    await open.answer;
    const request = await open.connection.acceptNext();
    await here.reaches(body["referenceId"], "accepted");
    const early = (await answer).body;
    expect([early.responseCode, early.openReferenceId]).toEqual(["IN_PROGRESS", undefined]);
    expect(early.responseText).not.toContain(open.referenceId);
    here.approve(open.connection, request);
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("goes ahead once the named payment is cancelled", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    const second = await here.queued();
    const { openReferenceId } = (await here.till.transfer(second.body, AT_ONCE)).body;
    const cancelled = here.till.cancel(openReferenceId ?? "");
    await open.connection.next("cancel");
    open.connection.result(open.request, "11");
    expect((await cancelled).body.statusCode).toBe("11");
    here.approve(open.connection, await open.connection.acceptNext());
    expect((await second.answer).body.statusCode).toBe("00");
  });

  it("names a payment past its end that keeps the terminal busy", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    await here.pass(101 * SECOND);
    expect((await open.answer).body.statusCode).toBe("22");
    const answer = here.till.sale();
    await open.connection.next("ping");
    open.connection.send("pong");
    open.connection.refuse(await open.connection.nextRequest(), "busy");
    const { statusCode, openReferenceId } = (await answer).body;
    expect([statusCode, openReferenceId]).toEqual(["11", open.referenceId]);
  });

  it("names none when the terminal is busy by itself", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.till.sale();
    connection.refuse(await connection.nextRequest(), "busy");
    const { body } = await answer;
    expect(body.responseText).toBe("The terminal is busy. Nothing was charged. Try again when it is free.");
    expect(body).not.toHaveProperty("openReferenceId");
  });

  it("does not name another account's payment", async ({ expect }) => {
    const here = await scene();
    const open = await here.accepted();
    await here.pass(90 * SECOND);
    await open.answer;
    const account = await createAccount();
    const { posId, merchantId, currency, timezone } = account;
    await terminalStub(env, here.terminal.terminalId).bind({ posId, merchantId, currency, timezone }, "move");
    const till = new Till(account, here.terminal, await accessToken(account), here.books);
    const first = await till.transfer(till.saleBody(), AT_ONCE);
    expect(first.body).toMatchObject({ responseCode: "IN_PROGRESS" });
    for (let waiting = 0; waiting < 3; waiting++) await till.transfer(till.saleBody(), AT_ONCE);
    const fifth = await till.sale();
    expect(fifth.body).toMatchObject({
      responseCode: "TERMINAL_BUSY",
      responseText: "The terminal is busy with another payment. Nothing was charged. Try again when it has ended.",
    });
    expect(JSON.stringify([first.body, fifth.body])).not.toContain(open.referenceId);
    expect(JSON.stringify([first.body, fifth.body])).not.toContain("openReferenceId");
  });
});
