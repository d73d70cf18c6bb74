/** Sequences that lost money under rules that had looked complete: connections lost, and what the next hello proves. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { skip, useFakeClock } from "../support/clock.ts";
import { AT_ONCE, useAccount, type Scene } from "../support/scene.ts";
import { ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("a sale whose terminal reconnects", () => {
  it("stays pending after an acknowledged 22, although the next hello does not list it", async ({ expect }) => {
    const here = await scene();
    const { connection: first, body, referenceId, answer, request } = await here.sent();
    first.drop();
    const second = await here.connect({ open: [request.requestId] });
    second.result(request, "22");
    expect(await second.next("ack")).toMatchObject({ requestId: request.requestId, statusCode: "22" });
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "09" });

    second.drop();
    const third = await here.connect({ open: [] });
    await here.pass(100 * SECOND);
    expect(await third.frames()).toEqual([]);
    expect(await here.row(referenceId)).toMatchObject({ state: "pending", attempt: 1 });
    expect((await here.till.transfer(body, AT_ONCE)).body).toMatchObject({ statusCode: "22", responseCode: "09" });

    here.approve(third, request);
    expect(await third.next("ack")).toMatchObject({ statusCode: "00" });
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("continues although the refusal of its earlier attempt arrives on the new connection", async ({ expect }) => {
    const here = await scene();
    const { connection: first, referenceId, answer, request: stuck } = await here.sent();
    first.drop();
    const second = await here.connect();
    const again = await second.nextRequest();
    expect(again).toMatchObject({ requestId: stuck.requestId, attempt: 2 });

    second.refuse(stuck, "expired");
    expect(await second.frames()).toEqual([]);
    expect(await here.row(referenceId)).toMatchObject({ state: "sent", outcome: null });
    second.accept(again);
    here.approve(second, again);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("is pending when the terminal, which had accepted it, reconnects without it", async ({ expect }) => {
    const here = await scene();
    const { body, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    const second = await here.connect();
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    expect(await second.frames()).toEqual([]);
    expect(await here.row(referenceId)).toMatchObject({ state: "pending", pendingReason: "forgotten" });
    // It had not forgotten after all.
    await here.settle(second, request);
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("is completed long after its end, by the hello that shows that it was never taken", async ({ expect }) => {
    const here = await scene();
    const { connection: first, body, answer } = await here.sent();
    first.drop();
    await here.pass(90 * SECOND);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_LOST" });
    await here.pass(600 * SECOND);
    expect((await here.till.transfer(body)).body.responseCode).toBe("TERMINAL_LOST");
    const second = await here.connect();
    expect(await second.frames()).toEqual([]);
    expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
  });

  it("waits for the terminal until its end, and gets the outcome in the first answer", async ({ expect }) => {
    const here = await scene();
    const { connection: first, answer, request } = await here.accepted();
    first.drop();
    await here.pass(75 * SECOND);
    const second = await here.connect({ open: [request.requestId] });
    here.approve(second, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("continues although a late hello of the abandoned connection lists nothing", async ({ expect }) => {
    const here = await scene();
    const abandoned = await ScriptedTerminal.open(here.terminal);
    const stuck = await abandoned.next("welcome");
    const second = await ScriptedTerminal.open(here.terminal);
    const welcome = await second.next("welcome");
    const { referenceId, answer } = await here.queued();

    // The sale goes out with the second connection's hello; the first one's is still in transit at that moment.
    await here.arriveTogether([
      [2, second.helloFrame(String(welcome["nonce"]))],
      [1, abandoned.helloFrame(String(stuck["nonce"]))],
    ]);
    const request = await second.acceptNext();
    expect(await abandoned.closed()).toBe(4001);
    expect(abandoned.pending()).toEqual([]);
    expect(await second.frames()).toEqual([]);
    expect(await here.row(referenceId)).toMatchObject({ state: "accepted", attempt: 1 });
    here.approve(second, request);
    expect((await answer).body.statusCode).toBe("00");
  });
});

/** The sale is sent a second time at 59 s, and its connection lost; a third hello, at 61 s, does not list it. */
async function undelivered(here: Scene) {
  const { connection: first, body, answer } = await here.sent();
  first.drop();
  await here.pass(59 * SECOND);
  const second = await here.connect();
  const request = await second.nextRequest();
  second.drop();
  await here.pass(2 * SECOND);
  return { body, answer, request, third: await here.connect() };
}

describe("a sale that went out again 31 s before its end, and whose connection broke at once", () => {
  it("is NOT_DELIVERED only 15 s after the terminal's deadline to begin it", async ({ expect }) => {
    const here = await scene();
    const { body, answer, request, third } = await undelivered(here);
    expect(request.attempt).toBe(2);
    const proved = request.deliverBy + 15 * SECOND;
    await here.pass(proved - Date.now() - 1);
    expect(await here.row(body["referenceId"])).toMatchObject({ state: "sent", outcome: null });
    third.drop();
    await here.pass(1);
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "NOT_DELIVERED" });
    const fourth = await here.connect();
    expect(await fourth.frames()).toEqual([]);
    expect((await here.till.getLast()).body.code).toBe(40004);
  });

  it("is NOT_DELIVERED even if a spare terminal says hello in between: the original one has proved it", async ({
    expect,
  }) => {
    const here = await scene();
    const { answer, request } = await undelivered(here);
    const spare = await here.connect({ memory: "spare" });
    await here.pass(request.deliverBy + 15 * SECOND - Date.now());
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "NOT_DELIVERED" });
    const types = (await spare.frames()).map((frame) => (typeof frame === "object" ? frame.type : frame));
    expect(types).not.toContain("request");
  });

  it("continues when the terminal accepts it in between", async ({ expect }) => {
    const here = await scene();
    const { answer, request, third } = await undelivered(here);
    third.accept(request);
    await third.frames();
    await here.pass(request.deliverBy + 20 * SECOND - Date.now());
    here.approve(third, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("continues when the terminal lists it in between", async ({ expect }) => {
    const here = await scene();
    const { answer, request, third } = await undelivered(here);
    third.drop();
    const fourth = await here.connect({ open: [request.requestId] });
    await here.pass(request.deliverBy + 20 * SECOND - Date.now());
    here.approve(fourth, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("stays pending when its 22 arrives in between, until the terminal knows", async ({ expect }) => {
    const here = await scene();
    const { body, answer, request, third } = await undelivered(here);
    third.result(request, "22");
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "09" });
    await here.pass(request.deliverBy + 20 * SECOND - Date.now());
    expect((await here.till.transfer(body, AT_ONCE)).body).toMatchObject({ statusCode: "22", responseCode: "09" });
    here.approve(third, request);
    await third.frames();
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("continues when its result arrives in between", async ({ expect }) => {
    const here = await scene();
    const { answer, request, third } = await undelivered(here);
    here.approve(third, request);
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("a sale whose terminal was replaced by a spare with the same identity", () => {
  for (const accepts of [false, true]) {
    const state = accepts ? "accepted" : "sent";
    it(`is pending once it was ${state}, and never sent to the spare`, async ({ expect }) => {
      const here = await scene();
      const { connection: first, body, referenceId, answer, request } = await here.sent({ memory: "first" });
      if (accepts) first.accept(request);
      await here.reaches(referenceId, state);
      const spare = await here.connect({ memory: "spare" });
      expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
      expect(await first.closed()).toBe(4001);
      await here.pass(200 * SECOND);
      expect(await spare.frames()).toEqual([]);
      expect((await here.till.transfer(body, AT_ONCE)).body.statusCode).toBe("22");
      expect((await here.journal())[0]).toMatchObject({ state: "pending", pendingReason: "other-memory", attempt: 1 });

      // The first one did it, and comes back.
      const back = await here.connect({ memory: "first", open: [request.requestId] });
      await here.settle(back, request);
      expect((await here.till.transfer(body)).body.statusCode).toBe("00");
    });
  }

  it("is NOT_DELIVERED when its own terminal reconnects without ever having accepted it", async ({ expect }) => {
    const here = await scene();
    const { body, referenceId, answer, request } = await here.sent({ memory: "first" });
    await here.connect({ memory: "spare" });
    expect((await answer).body.responseCode).toBe("UNCONFIRMED");

    const back = await here.connect({ memory: "first" });
    await here.pass(request.deliverBy + 15 * SECOND - Date.now() - 1);
    expect((await here.row(referenceId)).state).toBe("pending");
    await here.pass(1);
    expect((await here.till.transfer(body)).body).toMatchObject({ statusCode: "11", responseCode: "NOT_DELIVERED" });
    expect(await back.frames()).toEqual([]);
  });

  it("stays pending when its own terminal, which had accepted it, reconnects without it", async ({ expect }) => {
    const here = await scene();
    const { body, referenceId, answer } = await here.accepted({ memory: "first" });
    await here.reaches(referenceId, "accepted");
    await here.connect({ memory: "spare" });
    await answer;
    const back = await here.connect({ memory: "first" });
    await here.pass(200 * SECOND);
    expect((await here.till.transfer(body, AT_ONCE)).body).toMatchObject({
      statusCode: "22",
      responseCode: "UNCONFIRMED",
    });
    expect((await back.frames()).filter((frame) => typeof frame === "object" && frame.type === "request")).toEqual([]);
  });
});

describe("a cancel of a sale whose connection died", () => {
  it("is remembered through a crash: 11 CANCELLED, and the sale is never sent again", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    const body = here.till.saleBody();
    const referenceId = String(body["referenceId"]);
    const answer = here.till.transfer(body);
    const request = await first.nextRequest();
    first.drop();
    expect((await here.till.cancel(referenceId, {}, AT_ONCE)).body).toMatchObject({
      transType: "sale",
      statusCode: "22",
      responseCode: "IN_PROGRESS",
    });

    await here.crash();
    const second = await here.connect();
    await here.pass(request.deliverBy + 15 * SECOND - Date.now() - 1);
    expect((await here.row(referenceId)).outcome).toBeNull();
    await here.pass(1);
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect((await here.till.cancel(referenceId)).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(await second.frames()).toEqual([]);
  });

  it("is sent again after every hello that lists the sale, until it is answered", async ({ expect }) => {
    const here = await scene();
    const { connection: first, referenceId, answer, request } = await here.accepted();
    await here.reaches(referenceId, "accepted");
    first.drop();
    await here.till.cancel(referenceId, {}, AT_ONCE);
    for (const options of [{ open: [request.requestId] }, { open: [request.requestId] }]) {
      const next = await here.connect(options);
      expect(await next.next("cancel")).toEqual({ type: "cancel", requestId: request.requestId, attempt: 1 });
    }
    const last = await here.connect({ open: [request.requestId] });
    await last.next("cancel");
    last.result(request, "11", { responseCode: "17", responseText: "CANCELLED BY POS" });
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "17" });
    const after = await here.connect({ open: [request.requestId] });
    expect(await after.frames()).toEqual([]);
  });
});

describe("an object that sleeps while a sale is in progress", () => {
  it("is woken by the result: the row is completed, every waiter answered, the result acknowledged", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.till.saleBody();
    const answers = [here.till.transfer(body), here.till.transfer(body), here.till.transfer(body)];
    const request = await connection.acceptNext();
    await here.reaches(body["referenceId"], "accepted");
    await here.sleep();
    here.approve(connection, request);
    expect(await connection.next("ack")).toEqual({ type: "ack", requestId: request.requestId, statusCode: "00" });
    const bodies = (await Promise.all(answers)).map((answer) => answer.body);
    expect(bodies[0]?.statusCode).toBe("00");
    expect(new Set(bodies.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(await here.row(body["referenceId"])).toMatchObject({ state: "completed", completedBy: "terminal" });
  });

  it("is woken by its alarm: the terminal gets a cancel, and every waiter gets 22 at the end", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const stub = env.TERMINAL.getByName(here.terminal.terminalId);
    const body = here.till.saleBody();
    const answers = [here.till.transfer(body), here.till.transfer(body)];
    const request = await connection.acceptNext();
    await here.reaches(body["referenceId"], "accepted");
    await here.sleep();
    skip(80 * SECOND);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await connection.next("cancel")).toMatchObject({ requestId: request.requestId });
    await here.sleep();
    skip(10 * SECOND);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    for (const { body: answer } of await Promise.all(answers)) {
      expect(answer).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
    }
    await here.sleep();
    here.approve(connection, request);
    expect(await connection.next("ack")).toMatchObject({ statusCode: "00" });
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });

  it("is woken by the hello that brings a queued sale its terminal", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    await first.lose();
    const { answer } = await here.queued();
    await here.sleep();
    const second = await here.connect();
    here.approve(second, await second.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });
});
