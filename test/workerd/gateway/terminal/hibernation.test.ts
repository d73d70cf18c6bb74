import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("an object that sleeps", () => {
  it("makes no difference between any two frames of a connection", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    const nonce = String((await connection.next("welcome"))["nonce"]);
    await here.sleep();
    connection.sendHello(nonce);
    await connection.next("ready");
    await here.sleep();
    const body = here.pos.saleBody();
    const answer = here.pos.transfer(body);
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

  it("remembers an unanswered probe", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(10 * SECOND);
    const body = here.pos.saleBody();
    const answer = here.pos.transfer(body);
    await connection.next("ping");
    await here.reaches(body["referenceId"], "queued");
    await here.sleep();
    await here.pass(2 * SECOND);
    expect(await connection.closed()).toBe(4004);
    const next = await here.connect();
    here.approve(next, await next.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });

  it("sends again what a terminal with the same memory never took", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect({ memory: "first" });
    await here.sleep();
    const body = here.pos.saleBody();
    const answer = here.pos.transfer(body);
    await first.nextRequest();
    await first.lose();
    const next = await here.connect({ memory: "first" });
    const request = await next.acceptNext();
    expect(request.attempt).toBe(2);
    here.approve(next, request);
    expect((await answer).body.statusCode).toBe("00");
  });
});
