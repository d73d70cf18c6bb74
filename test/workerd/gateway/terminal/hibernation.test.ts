import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

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
});
