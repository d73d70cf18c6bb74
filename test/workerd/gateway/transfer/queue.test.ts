import { exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { BASE_URL, requestOf } from "../../../support/gateway.ts";
import type { Members } from "../../../support/pos.ts";
import { AT_ONCE, useAccount, type Scene } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

/** A sale that waits for the lane. */
async function queuedSale(here: Scene) {
  const { body, referenceId, answer } = await here.queued();
  return { body, referenceId, answer };
}

describe("the lane of a terminal", () => {
  it("processes one sale after the other, first come, first served", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const first = here.pos.saleBody();
    const answers = [here.pos.transfer(first)];
    const references = [first["referenceId"]];
    let request = await connection.acceptNext();
    for (let waiting = 1; waiting <= 4; waiting++) {
      const sale = await queuedSale(here);
      references.push(sale.referenceId);
      answers.push(sale.answer);
    }
    for (const [index, reference] of references.entries()) {
      expect(request.referenceId).toBe(reference);
      // I5: nothing else is sent before this one is answered.
      expect((await connection.frames()).filter((frame) => (frame as { type: string }).type === "request")).toEqual([]);
      here.approve(connection, request);
      if (index < 4) request = await connection.acceptNext();
    }
    for (const answer of answers) expect((await answer).body.statusCode).toBe("00");
  });

  it("forgets a waiting sale only if its POS has hung up", async ({ expect }) => {
    const here = await scene();
    const { connection, answer: first, request: running } = await here.accepted();
    const body = here.pos.saleBody();
    const hangsUp = new AbortController();
    const abandoned = abandonable(here, body, hangsUp.signal);
    await here.reaches(body["referenceId"], "queued");
    const patient = here.pos.saleBody();
    expect((await here.pos.transfer(patient, AT_ONCE)).body.responseCode).toBe("IN_PROGRESS");
    hangsUp.abort();
    await abandoned;
    const row = await here.reaches(body["referenceId"], "completed");
    expect(row).toMatchObject({ attempt: 0, outcome: { statusCode: "11", responseCode: "CANCELLED" } });
    here.approve(connection, running);
    await first;
    const next = await connection.acceptNext();
    expect(next.referenceId).toBe(patient["referenceId"]);
    await here.settle(connection, next);
    expect((await here.pos.transfer(patient)).body.statusCode).toBe("00");
  });
});

/** A transfer whose POS hangs up when `signal` says so. */
function abandonable({ pos }: Scene, body: Members, signal: AbortSignal): Promise<Response | null> {
  const request = requestOf(BASE_URL, "POST", "/api/transfer", { token: pos.token, body: pos.sign(body) });
  return exports.default.fetch(new Request(request, { signal })).catch(() => null);
}

describe("a sale at a terminal that is not connected", () => {
  it("is TERMINAL_OFFLINE at once if the terminal was never connected", async ({ expect }) => {
    const here = await scene();
    const body = here.pos.saleBody();
    const { status, body: told } = await here.pos.transfer(body);
    expect(status).toBe(200);
    expect(told).toMatchObject({
      statusCode: "11",
      responseCode: "TERMINAL_OFFLINE",
      softwareVersion: "unknown",
      terminalSn: "unknown",
    });
    expect(told.transData).toMatchObject({ transAmt: "12.50", currency: "MYR", invNo: "" });
    const connection = await here.connect();
    expect((await here.pos.transfer(body)).body).toEqual(told);
    expect(await connection.frames()).toEqual([]);
  });
});

describe("a connection that was silent for ten seconds", () => {
  it("is probed before a request goes out, which follows the answer", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(10 * SECOND);
    const answer = here.pos.sale();
    await connection.next("ping");
    expect(await here.journal()).toMatchObject([{ state: "queued" }]);
    connection.send("pong");
    here.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("a connection with a long round trip", () => {
  it.for([
    [1_500, 3_500],
    [4_000, 5_000],
  ] as const)("takes %i ms and gets %i ms to answer a probe", async ([roundTrip, wait], { expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    await here.pass(roundTrip);
    await connection.hello();
    await here.pass(10 * SECOND);
    // What a connection knows of itself survives the object's sleep.
    await here.sleep();
    const first = here.pos.sale();
    await connection.next("ping");
    await here.pass(wait - 1);
    connection.send("pong");
    here.approve(connection, await connection.acceptNext());
    expect((await first).body.statusCode).toBe("00");
    await here.pass(10 * SECOND);
    const second = await queuedSale(here);
    await connection.next("ping");
    await here.pass(wait);
    expect(await connection.closed()).toBe(4004);
    const next = await here.connect();
    here.approve(next, await next.acceptNext());
    expect((await second.answer).body.statusCode).toBe("00");
  });
});

describe("a request that is not accepted within ten seconds", () => {
  it("costs the terminal its connection (4004), and is sent again", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.pos.sale();
    const request = await connection.nextRequest();
    expect(request.deliverBy).toBe(Date.now() + 10 * SECOND);
    expect(request.respondBy).toBe(Date.now() + 75 * SECOND);
    await here.pass(10 * SECOND - 1);
    expect(await connection.frames()).toEqual([]);
    await here.pass(1);
    expect(await connection.closed()).toBe(4004);
    const next = await here.connect();
    const again = await next.acceptNext();
    expect(again).toMatchObject({
      requestId: request.requestId,
      attempt: 2,
      deliverBy: Date.now() + 10 * SECOND,
      respondBy: request.respondBy,
    });
    here.approve(next, again);
    expect((await answer).body.statusCode).toBe("00");
  });
});
