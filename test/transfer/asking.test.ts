import { afterEach, describe, it, vi } from "vitest";
import { cutLongWaitsShort, skip, useFakeClock } from "../support/clock.ts";
import { approved, AT_ONCE, reportedOpen, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();
afterEach(() => {
  vi.unstubAllGlobals();
});

const SECOND = 1_000;

describe("a transaction whose outcome is open", () => {
  it("is asked about at the terminal by an inquiry and by the same request, and completed by the result", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    const inquiry = here.till.inquiry({ transId: sale.request.transId });
    expect(await connection.next("ask")).toEqual({ type: "ask", requestId: sale.request.requestId, attempt: 1 });
    connection.result(sale.request, "22", { responseCode: "P2" });
    expect((await inquiry).body).toMatchObject({ statusCode: "22", responseCode: "P2" });

    skip(5 * SECOND);
    const again = here.till.transfer(sale.body);
    expect(await connection.next("ask")).toMatchObject({ requestId: sale.request.requestId });
    here.approve(connection, sale.request);
    expect((await again).body.statusCode).toBe("00");
    expect((await again).headers.has("Idempotent-Replayed")).toBe(false);
  });

  it("is asked about at most every five seconds; in between every caller gets the current 22", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    const first = here.till.transfer(sale.body);
    await connection.next("ask");
    for (const asked of [
      await here.till.transfer(sale.body),
      await here.till.inquiry(undefined, { referenceId: sale.referenceId }),
      await here.till.getLast(),
      await here.till.inquiry({ referenceId: sale.referenceId }),
    ]) {
      expect(asked.body).toMatchObject({ statusCode: "22", responseCode: "09" });
    }
    expect(await connection.frames()).toEqual([]);
    connection.result(sale.request, "22");
    expect((await first).body.statusCode).toBe("22");
    await connection.next("ack");

    skip(5 * SECOND - 1);
    expect((await here.till.inquiry(undefined, { referenceId: sale.referenceId })).body.statusCode).toBe("22");
    expect(await connection.frames()).toEqual([]);
    skip(1);
    const later = here.till.inquiry(undefined, { referenceId: sale.referenceId });
    await connection.next("ask");
    connection.result(sale.request, "11");
    expect((await later).body).toMatchObject({ statusCode: "11", responseCode: "05" });
  });

  it("keeps its 22 if the terminal does not answer within ten seconds", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    cutLongWaitsShort();
    expect((await here.till.inquiry(undefined, { referenceId: sale.referenceId })).body).toMatchObject({
      statusCode: "22",
      responseCode: "09",
      originalReferenceId: sale.referenceId,
    });
    expect(await connection.next("ask")).toMatchObject({ requestId: sale.request.requestId });
  });

  it("keeps its 22 if the terminal is not connected", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    await connection.lose();
    expect((await here.till.inquiry(undefined, { referenceId: sale.referenceId })).body).toMatchObject({
      statusCode: "22",
      responseCode: "09",
    });
    expect((await here.till.transfer(sale.body)).body).toMatchObject({ statusCode: "22", responseCode: "09" });
  });

  it("keeps its 22 if the terminal no longer knows it, and the caller is answered at once", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    const inquiry = here.till.inquiry(undefined, { referenceId: sale.referenceId });
    await connection.next("ask");
    connection.refuse(sale.request, "unknown");
    expect((await inquiry).body.statusCode).toBe("22");
    expect(await here.row(sale.referenceId)).toMatchObject({ state: "pending" });
  });

  it("is also asked about if only its end has passed", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.pass(90 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_TIMEOUT");
    await connection.next("cancel");
    const getLast = here.till.getLast();
    expect(await connection.next("ask")).toMatchObject({ requestId: request.requestId });
    here.approve(connection, request);
    expect((await getLast).body).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });

  it("is also asked about if its end has passed and the alarm is late", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.till.saleBody();
    await here.till.transfer(body, AT_ONCE);
    const request = await connection.acceptNext();
    await here.reaches(body["referenceId"], "accepted");
    skip(91 * SECOND);
    const inquiry = here.till.inquiry({ referenceId: body["referenceId"] });
    expect(await connection.next("ask")).toMatchObject({ requestId: request.requestId });
    here.approve(connection, request);
    expect((await inquiry).body.statusCode).toBe("00");
  });

  it("keeps its caller waiting for its own answer, regardless of other events", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.pass(101 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_TIMEOUT");
    const inquiry = here.till.inquiry({ referenceId });
    await connection.next("ask");
    connection.send("pong");
    await approved(here, connection);
    connection.send({ type: "progress", requestId: request.requestId, stage: "printing" });
    await connection.frames();
    here.approve(connection, request);
    expect((await inquiry).body).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });

  it("is TERMINAL_TIMEOUT while the terminal is there, TERMINAL_LOST while it is not", async ({ expect }) => {
    const here = await scene();
    const { connection, body, answer, request } = await here.accepted();
    await here.pass(90 * SECOND);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
    await connection.lose();
    expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_LOST" });
    await here.connect({ open: [request.requestId] });
    expect((await here.till.transfer(body, AT_ONCE)).body.responseCode).toBe("TERMINAL_TIMEOUT");
  });

  it("that still runs is 22 IN_PROGRESS at once, queued or accepted", async ({ expect }) => {
    const here = await scene();
    const { connection, body: first, answer, request } = await here.accepted();
    const { body: second, answer: waiting } = await here.queued();
    for (const { referenceId } of [first, second]) {
      expect((await here.till.inquiry({ referenceId })).body).toMatchObject({
        statusCode: "22",
        responseCode: "IN_PROGRESS",
        originalReferenceId: referenceId,
      });
    }
    expect(await connection.frames()).toEqual([]);
    here.approve(connection, request);
    await answer;
    here.approve(connection, await connection.acceptNext());
    expect((await waiting).body.statusCode).toBe("00");
  });

  it("delays nothing: the next sale is sent while the terminal is asked", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    const inquiry = here.till.inquiry(undefined, { referenceId: sale.referenceId });
    await connection.next("ask");
    await approved(here, connection);
    here.approve(connection, sale.request);
    expect((await inquiry).body).toMatchObject({ statusCode: "00", originalReferenceId: sale.referenceId });
  });
});
