import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { send } from "../../../support/gateway.ts";
import { lines } from "../../../support/log-lines.ts";
import { AT_ONCE, type Scene, useAccount } from "../../../support/scene.ts";
import type { RequestFrame, ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { StageStream } from "../../../support/stage-stream.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();
const scene = useAccount();
const SECOND = 1_000;

function reports(connection: ScriptedTerminal, { requestId }: RequestFrame, ...stages: string[]): void {
  for (const stage of stages) connection.send({ type: "progress", requestId, stage });
}

/** How many POS programs wait at the terminal's object, and how many of them get the stages. */
function waiting({ terminal }: Scene, requestId: string): Promise<{ waiters: number; watchers: number }> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, state) => {
    const open = (tag: string) => state.getWebSockets(tag).filter(({ readyState }) => readyState === WebSocket.OPEN);
    return { waiters: open(`request:${requestId}`).length, watchers: open(`stages:${requestId}`).length };
  });
}

async function untilWaiting(here: Scene, requestId: string, waiters: number): Promise<void> {
  await eventually(async () => {
    const found = await waiting(here, requestId);
    if (found.waiters !== waiters) throw new Error(`${found.waiters} wait, not ${waiters}`);
  });
}

describe("a transfer that is sent with Accept: text/event-stream", () => {
  it("gets every stage as it is reached, then the signed answer", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const opening = StageStream.open(here.pos, here.pos.saleBody());
    const request = await connection.nextRequest();
    const stream = await opening;
    expect(await stream.stages(2)).toEqual(["received", "sent"]);
    connection.accept(request);
    expect(await stream.stage()).toBe("accepted");
    for (const stage of ["present", "reading", "pin", "authorising", "printing"]) {
      reports(connection, request, stage);
      expect(await stream.stage()).toBe(stage);
    }
    here.approve(connection, request);
    const { stages, answer } = await stream.outcome();
    expect(stages).toEqual([]);
    expect(answer).toMatchObject({ statusCode: "00", transData: { transAmt: "12.50" } });
    await connection.next("ack");
  });

  it("gets the time of each stage in the account's zone", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const start = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
    const opening = StageStream.open(here.pos, here.pos.saleBody());
    const request = await connection.acceptNext();
    await connection.frames();
    await here.pass(3 * SECOND);
    reports(connection, request, "reading");
    here.approve(connection, request);
    const events = await (await opening).rest();
    const told = events.filter(({ event }) => event === "stage").map(({ data }) => JSON.parse(data) as object);
    expect(told).toEqual([
      { stage: "received", at: `${start}T12:00:00.000+08:00` },
      { stage: "sent", at: `${start}T12:00:00.000+08:00` },
      { stage: "accepted", at: `${start}T12:00:00.000+08:00` },
      { stage: "reading", at: `${start}T12:00:03.000+08:00` },
    ]);
    await connection.next("ack");
  });

  it("is answered with the same bytes as without a stream", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const opening = StageStream.open(here.pos, body);
    here.approve(connection, await connection.acceptNext());
    const { text } = await (await opening).outcome();
    await connection.next("ack");
    const plain = await send("POST", "/api/transfer", { token: here.pos.token, body: here.pos.sign(body) });
    expect(await plain.text()).toBe(text);
  });

  it("gets only `received` if it ends at once", async ({ expect }) => {
    const here = await scene();
    const stream = await StageStream.open(here.pos, here.pos.saleBody());
    const { stages, answer } = await stream.outcome();
    expect(stages).toEqual(["received"]);
    expect(answer).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_OFFLINE" });
  });

  it("gets the stages of the transaction that an inquiry names", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    await here.pos.transfer(body, AT_ONCE);
    const request = await connection.acceptNext();
    connection.result(request, "22");
    await connection.next("ack");
    const inquiry = here.pos.body("inquiry", { transData: { referenceId: body["referenceId"] } });
    const opening = StageStream.open(here.pos, inquiry);
    await connection.next("ask");
    reports(connection, request, "printing");
    here.approve(connection, request);
    const { stages, answer } = await (await opening).outcome();
    expect(stages).toEqual(["received", "sent", "accepted", "printing"]);
    expect(answer).toMatchObject({ statusCode: "00", originalReferenceId: body["referenceId"] });
    await connection.next("ack");
  });
});

describe("a POS that joins a transaction and follows it", () => {
  it("gets past stages first, then new ones, while others get nothing twice", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const first = await StageStream.open(here.pos, body);
    const request = await connection.acceptNext();
    reports(connection, request, "present", "reading");
    expect(await first.stages(5)).toEqual(["received", "sent", "accepted", "present", "reading"]);
    const second = await StageStream.open(here.pos, body);
    expect(await second.stages(5)).toEqual(["received", "sent", "accepted", "present", "reading"]);
    await untilWaiting(here, request.requestId, 2);
    reports(connection, request, "pin");
    here.approve(connection, request);
    const [one, other] = await Promise.all([first.outcome(), second.outcome()]);
    expect(one.stages).toEqual(["pin"]);
    expect(other).toEqual(one);
    expect(second.response.headers.has("Idempotent-Replayed")).toBe(false);
    await connection.next("ack");
  });
});

describe("the stage `queued`", () => {
  it("is reported for a transaction that waits for another one", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const first = await StageStream.open(here.pos, here.pos.saleBody());
    const running = await connection.acceptNext();
    const second = await StageStream.open(here.pos, here.pos.saleBody());
    expect(await second.stages(2)).toEqual(["received", "queued"]);
    here.approve(connection, running);
    expect((await first.outcome()).stages).toEqual(["received", "sent", "accepted"]);
    here.approve(connection, await connection.acceptNext());
    expect((await second.outcome()).stages).toEqual(["sent", "accepted"]);
    await connection.next("ack");
  });
});

describe("a stream that breaks", () => {
  it("counts as a POS that hung up, and cancels what is queued", async ({ expect }) => {
    const here = await scene();
    const { connection, answer: first, request: running } = await here.accepted();
    const body = here.pos.saleBody();
    const stream = await StageStream.open(here.pos, body);
    expect(await stream.stages(2)).toEqual(["received", "queued"]);
    await stream.hangUp();
    const row = await here.reaches(body["referenceId"], "completed");
    expect(row).toMatchObject({ attempt: 0, outcome: { statusCode: "11", responseCode: "CANCELLED" } });
    here.approve(connection, running);
    await first;
    await connection.next("ack");
    expect(await connection.frames()).toEqual([]);
    const traceId = String(stream.response.headers.get("X-Request-Id"));
    const logged = () => lines.filter((line) => line.includes(traceId)).map((line) => JSON.parse(line) as unknown);
    await eventually(() => expect(logged()).not.toEqual([]));
    expect(logged()).toMatchObject([{ event: "request_answered", outcome: "22 IN_PROGRESS" }]);
  });

  it("counts as a lost answer if its request was sent", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const lost = await StageStream.open(here.pos, body);
    const request = await connection.acceptNext();
    reports(connection, request, "present");
    expect(await lost.stages(4)).toEqual(["received", "sent", "accepted", "present"]);
    await lost.hangUp();
    await untilWaiting(here, request.requestId, 0);
    reports(connection, request, "reading");
    const again = await StageStream.open(here.pos, body);
    here.approve(connection, request);
    const { stages, answer } = await again.outcome();
    expect(stages).toEqual(["received", "sent", "accepted", "present", "reading"]);
    expect(answer.statusCode).toBe("00");
    await connection.next("ack");
  });
});

describe("a transaction that a POS follows", () => {
  it("lets the object sleep, and wakes it to send a stage", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const opening = StageStream.open(here.pos, here.pos.saleBody());
    const request = await connection.acceptNext();
    const stream = await opening;
    expect(await stream.stages(3)).toEqual(["received", "sent", "accepted"]);
    await connection.frames();
    for (const stage of ["present", "pin"]) {
      await here.sleep();
      reports(connection, request, stage);
      expect(await stream.stage()).toBe(stage);
    }
    await here.sleep();
    here.approve(connection, request);
    expect((await stream.outcome()).answer.statusCode).toBe("00");
    await connection.next("ack");
  });

  it("sends each stage exactly once, although the object is reset", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const opening = StageStream.open(here.pos, here.pos.saleBody());
    const request = await connection.acceptNext();
    const stream = await opening;
    reports(connection, request, "present");
    expect(await stream.stages(4)).toEqual(["received", "sent", "accepted", "present"]);
    await here.crash();
    await connection.closed();
    const back = await here.connect({ open: [request.requestId] });
    reports(back, request, "reading");
    expect(await stream.stage()).toBe("reading");
    here.approve(back, request);
    const { stages, answer } = await stream.outcome();
    expect(stages).toEqual([]);
    expect(answer.statusCode).toBe("00");
    await back.next("ack");
  });

  it("is not held up by a POS that does not read", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const unread = await StageStream.open(here.pos, body);
    const request = await connection.acceptNext();
    await untilWaiting(here, request.requestId, 1);
    const other = here.pos.transfer(body);
    await untilWaiting(here, request.requestId, 2);
    // As many as a row keeps.
    for (let turn = 0; turn < 30; turn++) reports(connection, request, "reading", "pin");
    await here.settle(connection, request);
    expect((await other).body.statusCode).toBe("00");
    const { stages } = await unread.outcome();
    expect(stages.slice(0, 5)).toEqual(["received", "sent", "accepted", "reading", "pin"]);
  });
});
