/** When a request's life begins: at its arrival at the Worker, as far as the object can believe the Worker's clock. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { terminalStub } from "../../src/rpc/terminal.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { useAccount, type Scene } from "../support/scene.ts";
import { type SaleCall, saleCall } from "../support/transfer-call.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

/** A sale as the Worker hands it to the object. */
async function submit({ till, terminal }: Scene, members: Partial<SaleCall>): Promise<string> {
  const referenceId = till.reference();
  const call = saleCall(till.account, { referenceId, detached: true, ...members });
  await terminalStub(env, terminal.terminalId).ask(call);
  return referenceId;
}

async function timesOf(here: Scene, referenceId: string): Promise<{ received: number; ends: number }> {
  const { receivedAt, endsAt } = await here.row(referenceId);
  return { received: Date.parse(receivedAt), ends: Date.parse(endsAt) };
}

describe("a request's life", () => {
  it("is not extended by a Worker's clock that is ahead", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    const now = Date.now();
    const times = await timesOf(here, await submit(here, { arrivedAt: now + 60 * SECOND }));
    expect(times).toEqual({ received: now, ends: now + 90 * SECOND });
  });

  it("is over if the Worker's clock is far behind, but does not end before it began", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const now = Date.now();
    const referenceId = await submit(here, { arrivedAt: 0 });
    expect(await timesOf(here, referenceId)).toEqual({ received: now - 90 * SECOND, ends: now });
    expect(await here.row(referenceId)).toMatchObject({
      state: "completed",
      outcome: { responseCode: "TERMINAL_BUSY" },
    });
    expect(await connection.frames()).toEqual([]);
  });

  it("leaves a reconnecting terminal its ten seconds, counted from when the object accepted the request", async ({
    expect,
  }) => {
    const here = await scene();
    const first = await here.connect();
    await first.lose();
    const referenceId = await submit(here, { arrivedAt: Date.now() - 40 * SECOND });
    await here.pass(10 * SECOND - 1);
    expect(await here.row(referenceId)).toMatchObject({ state: "queued" });
    const second = await here.connect();
    expect((await second.acceptNext()).referenceId).toBe(referenceId);
  });

  it("ends the wait of a queued request as soon as too little time is left", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await submit(here, {});
    await connection.acceptNext();
    const referenceId = await submit(here, { arrivedAt: Date.now() - 55 * SECOND });
    await here.pass(5 * SECOND);
    expect(await here.row(referenceId)).toMatchObject({ state: "queued" });
    await here.pass(1);
    expect(await here.row(referenceId)).toMatchObject({
      state: "completed",
      outcome: { responseCode: "TERMINAL_BUSY" },
    });
  });
});

describe("a till that repeats one reference for more than a day", () => {
  it("gets the current answer for 24 hours, then a 400 that says first to send an inquiry, which has the answer", async ({
    expect,
  }) => {
    const here = await scene();
    const { connection, body, answer: first, request } = await here.accepted();
    connection.result(request, "22");
    expect((await first).body.statusCode).toBe("22");
    const day = new Date().toISOString().slice(0, 10);
    await connection.lose();

    skip(24 * 3_600 * SECOND);
    const inTime = await here.tillOfNow();
    const sameBody = { ...body, datetime: inTime.saleBody()["datetime"] };
    expect((await inTime.transfer(sameBody)).body.statusCode).toBe("22");
    skip(1);
    for (const open of [true, false]) {
      const { status, body: told } = await inTime.transfer(sameBody);
      expect(status).toBe(400);
      expect(told.code).toBe(40009);
      const [{ path, message } = { path: "", message: "" }] = told.details ?? [];
      expect(path).toBe("referenceId");
      expect(message).toMatch(/^Send an inquiry about this referenceId first\. /u);
      expect(message).toContain(day);
      expect(message.includes("still open")).toBe(open);
      const { referenceId } = request;
      expect((await inTime.inquiry({ referenceId })).body.statusCode).toBe(open ? "22" : "00");
      if (!open) break;
      const back = await here.connect({ open: [request.requestId] });
      await here.settle(back, request);
    }
  });
});
