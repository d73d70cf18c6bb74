/**
 * Sequences that gave a POS a wrong answer under rules that had looked complete: lost answers that it asks for again.
 */
import { describe, it } from "vitest";
import { skip, useFakeClock } from "../support/clock.ts";
import { operator, uniqueId } from "../support/gateway.ts";
import { AT_ONCE, Scene, setChannel, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("an approved sale whose answer was lost", () => {
  const channel = uniqueId("Wallet");
  const changes: { name: string; change: (where: Scene) => Promise<unknown>; transData?: Record<string, unknown> }[] = [
    { name: "the channel was switched off", change: () => setChannel(channel, 0) },
    {
      name: "the terminal was unbound",
      change: ({ terminal }) => operator("DELETE", `/operator/terminals/${terminal.terminalId}/binding`),
    },
    {
      name: "the account's merchantId was changed",
      change: ({ till }) =>
        operator("PATCH", `/operator/accounts/${till.account.posId}`, { merchantId: uniqueId("shop") }),
    },
    { name: "the note is another one", change: () => Promise.resolve(), transData: { note: "asked again" } },
    { name: "its datetime is 16 minutes old", change: () => Promise.resolve(skip(16 * MINUTE)) },
  ];
  for (const { name, change, transData = {} } of changes) {
    it(`is answered 00 again although ${name}`, async ({ expect }) => {
      await setChannel(channel, 1);
      const here = await Scene.alone();
      const connection = await here.connect();
      const sale = { transAmt: "8.00", paymentMethod: "qrCustScan", paymentChannel: channel };
      const body = here.till.saleBody({}, sale);
      const lost = here.till.transfer(body);
      const request = await connection.acceptNext();
      here.approve(connection, request);
      const { body: first } = await lost;
      expect(first.statusCode).toBe("00");

      await change(here);
      const till = await here.tillOfNow();
      const { status, headers, body: again } = await till.transfer({ ...body, transData: { ...sale, ...transData } });
      expect(status).toBe(200);
      expect(again).toEqual(first);
      expect(headers.get("Idempotent-Replayed")).toBe("true");
    });
  }
});

describe("a sale that was refused", () => {
  it("stays refused when a late duplicate arrives after the reason is gone", async ({ expect }) => {
    const channel = uniqueId("Wallet");
    await setChannel(channel, 0);
    const { till, connect } = plain(await scene());
    const connection = await connect();
    const body = till.saleBody({}, { paymentMethod: "qrCustScan", paymentChannel: channel });
    const { body: first } = await till.transfer(body);
    expect(first).toMatchObject({ statusCode: "11", responseCode: "CHANNEL_INACTIVE" });

    await setChannel(channel, 1);
    expect((await till.transfer(body)).body).toEqual(first);
    expect(await connection.frames()).toEqual([]);
  });
});

describe("an inquiry about a sale whose outcome is open", () => {
  it("is answered with the sale's own 22 while the terminal is offline, not TERMINAL_OFFLINE", async ({ expect }) => {
    const here = await scene();
    const { till } = here;
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    connection.drop();
    await here.pass(90 * SECOND);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_LOST" });

    const { body: asked } = await till.inquiry({ referenceId });
    expect(asked).toMatchObject({
      statusCode: "22",
      responseCode: "TERMINAL_LOST",
      originalReferenceId: referenceId,
    });

    const back = await here.connect({ open: [request.requestId] });
    await here.settle(back, request);
    const { body: after } = await till.inquiry({ referenceId });
    expect(after).toMatchObject({
      statusCode: "00",
      originalReferenceId: referenceId,
      originalTransType: "sale",
      transData: { transId: request.requestId, transAmt: "12.50" },
    });
  });

  it("is answered with the sale's own 22 while the terminal works on another, not TERMINAL_BUSY", async ({
    expect,
  }) => {
    const here = await scene();
    const { till } = here;
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.pass(90 * SECOND);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
    await connection.next("cancel");
    await here.pass(11 * SECOND);

    const other = till.sale();
    await connection.next("ping");
    connection.send("pong");
    const otherRequest = await connection.acceptNext();
    const inquiry = till.inquiry({ referenceId });
    expect(await connection.next("ask")).toMatchObject({ requestId: request.requestId });
    connection.result(request, "22");
    expect((await inquiry).body).toMatchObject({ statusCode: "22", originalReferenceId: referenceId });
    here.approve(connection, otherRequest);
    expect((await other).body.statusCode).toBe("00");

    // Its own reference is meant, not the newest transaction.
    const unnamed = till.inquiry(undefined, { referenceId }, AT_ONCE);
    expect((await unnamed).body).toMatchObject({ statusCode: "22", originalReferenceId: referenceId });
    await here.settle(connection, request);
    expect((await till.inquiry({ referenceId })).body.statusCode).toBe("00");
  });

  it("gets 22 IN_PROGRESS at once while the terminal is processing it", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    expect((await here.till.inquiry({ referenceId })).body).toMatchObject({
      statusCode: "22",
      responseCode: "IN_PROGRESS",
      originalReferenceId: referenceId,
    });
    expect(await connection.frames()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("completes nothing while the terminal may still get 00 from its host", async ({ expect }) => {
    const here = await scene();
    const { till } = here;
    const { connection, body, answer, request } = await here.accepted();
    connection.send({ type: "progress", requestId: request.requestId, stage: "authorising" });
    await here.pass(90 * SECOND);
    expect((await answer).body.statusCode).toBe("22");

    const inquiry = till.inquiry({ transId: request.transId });
    await connection.next("ask");
    connection.result(request, "22");
    expect((await inquiry).body).toMatchObject({ statusCode: "22", responseCode: "09" });
    expect(await connection.next("ack")).toMatchObject({ statusCode: "22" });

    here.approve(connection, request);
    expect(await connection.next("ack")).toMatchObject({ statusCode: "00" });
    expect((await till.transfer(body)).body.statusCode).toBe("00");
  });
});

describe("getLast", () => {
  it("is the sale that reached the terminal, not the next till's sale that never did", async ({ expect }) => {
    const here = await scene();
    const { till } = here;
    const { connection, referenceId, answer: first, request } = await here.accepted();
    const { answer: waiting } = await here.queued();
    await here.pass(10 * SECOND);
    expect((await waiting).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
    here.approve(connection, request);
    await first;

    expect((await till.getLast()).body).toMatchObject({
      statusCode: "00",
      originalReferenceId: referenceId,
      transData: { transId: request.requestId },
    });
  });

  it("is the sale before one that the terminal refused", async ({ expect }) => {
    const here = await scene();
    const { till } = here;
    const connection = await here.connect();
    const body = till.saleBody();
    const first = till.transfer(body);
    here.approve(connection, await connection.acceptNext());
    await first;
    const second = till.sale();
    connection.refuse(await connection.nextRequest(), "busy");
    expect((await second).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });

    expect((await till.getLast()).body).toMatchObject({ statusCode: "00", originalReferenceId: body["referenceId"] });
  });
});

describe("a sale that is asked about before it arrives", () => {
  for (const by of ["inquiry", "cancel"] as const) {
    it(`is 11 CANCELLED for the ${by} and when it arrives, and is never sent`, async ({ expect }) => {
      const { till, connect } = plain(await scene());
      const connection = await connect();
      const held = till.saleBody();
      const referenceId = String(held["referenceId"]);
      const { status, body } = await (by === "inquiry" ? till.inquiry({ referenceId }) : till.cancel(referenceId));
      expect(status).toBe(200);
      expect(body).toMatchObject({ transType: by, statusCode: "11", responseCode: "CANCELLED" });
      expect(body).not.toHaveProperty("originalTransType");

      const late = await till.transfer(held);
      expect(late.status).toBe(200);
      expect(late.body).toMatchObject({ transType: "sale", statusCode: "11", responseCode: "CANCELLED" });
      const other = await till.sale({ referenceId }, { transAmt: "99.00" });
      expect(other.body).toMatchObject({ transType: "sale", statusCode: "11", responseCode: "CANCELLED" });
      expect(await connection.frames()).toEqual([]);
      expect((await till.getLast()).body).toMatchObject({ code: 40004 });
    });
  }
});

describe("a referenceId that was used before", () => {
  it("replays its answer, marked, within 24 hours, and never after them", async ({ expect }) => {
    const here = await scene();
    const { connection, body, referenceId, answer, request } = await here.accepted();
    here.approve(connection, request);
    const { body: first, headers } = await answer;
    expect(headers.has("Idempotent-Replayed")).toBe(false);
    const day = new Date(Date.now()).toISOString().slice(0, 10);

    skip(23 * HOUR);
    const replay = await (await here.tillOfNow()).transfer(body);
    expect(replay.body).toEqual(first);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");

    skip(2 * HOUR);
    const till = await here.tillOfNow();
    const late = await till.transfer(body);
    expect(late.status).toBe(400);
    expect(late.body.code).toBe(40009);
    expect(late.body.details?.[0]).toMatchObject({ path: "referenceId" });
    expect(late.body.details?.[0]?.message).toContain(day);
    const fresh = { ...body, datetime: till.body("sale")["datetime"] };
    expect((await till.transfer(fresh)).body.code).toBe(40009);
    expect((await till.inquiry({ referenceId })).body.statusCode).toBe("00");
    // It is pinged each time: that a payment is a repetition shows only later.
    const frames = (await connection.frames()).filter((frame) => frame !== "ping");
    expect(frames).toEqual([{ type: "ack", requestId: request.requestId, statusCode: "00" }]);
  });

  it("is refused at another terminal after a 22, naming the first terminal", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const { connection, body, answer, request } = await here.accepted();
    await here.pass(90 * SECOND);
    expect((await answer).body.statusCode).toBe("22");

    const elsewhere = await nextDoor.transfer({ ...body, deviceId: nextDoor.terminal.terminalId });
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.body.code).toBe(40009);
    const { terminalId } = here.terminal;
    const [{ message } = { message: "" }] = elsewhere.body.details ?? [];
    expect(message).toContain(`Send an inquiry about this referenceId to device ${terminalId} first.`);

    await here.settle(connection, request);
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });
});

/** A scene's parts, for tests that need no more of it. */
function plain(here: Scene): { till: Scene["till"]; connect: () => ReturnType<Scene["connect"]> } {
  return { till: here.till, connect: () => here.connect() };
}
