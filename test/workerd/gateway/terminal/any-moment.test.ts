/**
 * A terminal that keeps its duties, a POS that repeats its request, and a gateway that dies at any moment between: both
 * books agree. The moments follow the machine's mood; what is asserted holds for every one of them.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, it } from "vitest";
import { Books } from "../../../support/books.ts";
import { Pos } from "../../../support/pos.ts";
import { ScenePos } from "../../../support/scene.ts";
import { connectedTerminal } from "../../../support/simulated-terminal.ts";

/** Milliseconds after the request at which everything in the gateway's memory is gone. */
const MOMENTS = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55];

describe("a sale whose gateway crashes at any moment", () => {
  it("is processed at most once, and every answer is true", async ({ expect }) => {
    const pos = await Pos.create();
    const shopPos = new ScenePos(pos.account, pos.terminal, pos.token, new Books());
    const terminal = await connectedTerminal(pos.terminal, { pace: 5 });
    for (const [index, moment] of MOMENTS.entries()) {
      const approves = index % 3 !== 2;
      const body = shopPos.saleBody({}, { transAmt: approves ? "10.00" : "10.05" });
      const answers = [shopPos.transfer(body), shopPos.transfer(body)];
      await scheduler.wait(moment);
      await abortAllDurableObjects();
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
      const last = await shopPos.transfer(body);
      expect(last.status).toBe(200);
      expect(last.body.statusCode).toBe(approves ? "00" : "11");
    }
    for (const charge of terminal.ledger.charges) shopPos.books.charge(charge);
    shopPos.books.check(expect);
    await terminal.stop();
  });
});
