import { afterEach, describe, it, vi } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { approved, reportedOpen, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();
afterEach(() => {
  vi.unstubAllGlobals();
});

const SECOND = 1_000;

describe("a pending transaction", () => {
  it("is completed by the result after an inquiry or a repetition", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await reportedOpen(here, connection);
    const inquiry = here.pos.inquiry({ transId: sale.request.transId });
    expect(await connection.next("ask")).toEqual({ type: "ask", requestId: sale.request.requestId, attempt: 1 });
    connection.result(sale.request, "22", { responseCode: "P2" });
    expect((await inquiry).body).toMatchObject({ statusCode: "22", responseCode: "P2" });

    skip(5 * SECOND);
    const again = here.pos.transfer(sale.body);
    expect(await connection.next("ask")).toMatchObject({ requestId: sale.request.requestId });
    here.approve(connection, sale.request);
    expect((await again).body.statusCode).toBe("00");
    expect((await again).headers.has("Idempotent-Replayed")).toBe(false);
  });

  it("keeps its caller waiting for its own answer, regardless of other events", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    await here.pass(101 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_TIMEOUT");
    const inquiry = here.pos.inquiry({ referenceId });
    await connection.next("ask");
    connection.send("pong");
    await approved(here, connection);
    connection.send({ type: "progress", requestId: request.requestId, stage: "printing" });
    await connection.frames();
    here.approve(connection, request);
    expect((await inquiry).body).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });
});
