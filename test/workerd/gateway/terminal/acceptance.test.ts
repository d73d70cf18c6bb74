/** What a terminal shows of its request is in the journal's row at once. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { type Scene, useAccount } from "../../../support/scene.ts";
import type { RequestFrame, ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { journalIn } from "../../../support/stored-rows.ts";

useFakeClock();
const scene = useAccount();

interface Row {
  state: string;
  stages: string[];
}

/** What the journal's newest row says by itself. */
function rowOf({ terminal }: Scene): Promise<Row> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    const [row] = journalIn(storage);
    if (row === undefined) throw new Error("the journal is empty");
    return { state: row.state, stages: row.stages.map(({ stage }) => stage) };
  });
}

interface Sale {
  here: Scene;
  connection: ScriptedTerminal;
  request: RequestFrame;
  referenceId: unknown;
  answer: ReturnType<Scene["pos"]["transfer"]>;
}

/** A sale whose terminal has accepted it, and lets the customer enter a PIN. */
async function saleInProgress(): Promise<Sale> {
  const here = await scene();
  const { connection, referenceId, answer, request } = await here.accepted();
  connection.send({ type: "progress", requestId: request.requestId, stage: "pin" });
  await here.reaches(referenceId, "accepted");
  await connection.frames();
  return { here, connection, request, referenceId, answer };
}

async function stagesOf({ here, referenceId }: Sale): Promise<string[]> {
  return (await here.row(referenceId)).stages.map(({ stage }) => stage);
}

const IN_PROGRESS = ["received", "sent", "accepted", "pin"];

describe("a terminal's acceptance of a request", () => {
  it("is in the row before the request is completed, awake or asleep", async ({ expect }) => {
    const sale = await saleInProgress();
    const { here, connection, request } = sale;
    expect(await rowOf(here)).toEqual({ state: "accepted", stages: IN_PROGRESS });
    await here.sleep();
    expect(await stagesOf(sale)).toEqual(IN_PROGRESS);
    await here.settle(connection, request);
    expect(await rowOf(here)).toEqual({ state: "completed", stages: [...IN_PROGRESS, "completed"] });
    expect((await sale.answer).body.statusCode).toBe("00");
  });

  it("is there after the object restarts", async ({ expect }) => {
    const sale = await saleInProgress();
    const { here, request } = sale;
    await here.crash();
    expect(await here.row(sale.referenceId)).toMatchObject({ state: "accepted" });
    const back = await here.connect({ open: [request.requestId] });
    expect(await here.row(sale.referenceId)).toMatchObject({ state: "accepted", attempt: 1 });
    expect(await back.frames()).toEqual([]);
    here.approve(back, request);
    expect((await sale.answer).body.statusCode).toBe("00");
    expect(await stagesOf(sale)).toEqual([...IN_PROGRESS, "completed"]);
  });
});
