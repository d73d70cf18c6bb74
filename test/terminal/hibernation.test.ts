import { describe, it } from "vitest";
import { RECONNECT_GRACE } from "../../src/protocol/limits/transfers.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { useAccount } from "../support/scene.ts";
import { ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("an object that sleeps", () => {
  it("between any two frames of a connection makes no difference", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    const nonce = String((await connection.next("welcome"))["nonce"]);
    await here.sleep();
    connection.sendHello(nonce);
    await connection.next("ready");
    await here.sleep();
    const body = here.till.saleBody();
    const answer = here.till.transfer(body);
    const request = await connection.nextRequest();
    await here.sleep();
    connection.accept(request);
    await here.reaches(body["referenceId"], "accepted");
    await here.sleep();
    connection.send({ type: "progress", requestId: request.requestId, stage: "pin" });
    await connection.frames();
    await here.sleep();
    await here.settle(connection, request);
    expect((await answer).body.statusCode).toBe("00");
    expect((await here.row(body["referenceId"])).stages.map(({ stage }) => stage)).toEqual([
      "received",
      "sent",
      "accepted",
      "pin",
      "completed",
    ]);
  });

  it("while a probe is unanswered still knows about it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(10 * SECOND);
    const body = here.till.saleBody();
    const answer = here.till.transfer(body);
    await connection.next("ping");
    await here.reaches(body["referenceId"], "queued");
    await here.sleep();
    await here.pass(2 * SECOND);
    expect(await connection.closed()).toBe(4004);
    const next = await here.connect();
    here.approve(next, await next.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });

  it("after a probe was answered does not wait for another answer", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(10 * SECOND);
    const answer = here.till.sale();
    await connection.next("ping");
    connection.send("pong");
    const request = await connection.acceptNext();
    await here.sleep();
    await here.pass(2 * SECOND);
    await here.settle(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("sends again what it sent after it had slept, to a terminal with the same memory that never took it", async ({
    expect,
  }) => {
    const here = await scene();
    const first = await here.connect({ memory: "first" });
    await here.sleep();
    const body = here.till.saleBody();
    const answer = here.till.transfer(body);
    await first.nextRequest();
    await first.lose();
    const next = await here.connect({ memory: "first" });
    const request = await next.acceptNext();
    expect(request.attempt).toBe(2);
    here.approve(next, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("waits for a terminal whose connection ended before, for as long as it does awake", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await connection.lose();
    await here.sleep();
    skip(RECONNECT_GRACE - 1);
    const { answer } = await here.queued();
    skip(1);
    expect((await here.till.sale()).body.responseCode).toBe("TERMINAL_OFFLINE");
    const back = await here.connect();
    here.approve(back, await back.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });

  it("counts its terminal as gone when the socket is gone, and knows when it was last there", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    await here.crash();
    const { answer } = await here.queued();
    await here.pass(10 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
    skip(5 * SECOND);
    expect((await here.till.sale()).body.responseCode).toBe("TERMINAL_OFFLINE");
  });
});
