/** A terminal with very many open payments takes no new one, and can still say hello with all of them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { keeperStub } from "../../src/rpc/keeper.ts";
import { UNRESOLVED_TRANSACTIONS } from "../../src/protocol/limits/transfers.ts";
import type { Transaction } from "../../src/terminal/lane/index.ts";
import { Journal } from "../../src/terminal/storage/journal.ts";
import { useFakeClock } from "../support/clock.ts";
import { useAccount, type Scene } from "../support/scene.ts";
import { pending } from "./lane/bench.ts";

useFakeClock();
const scene = useAccount();

/** So many payments of this account, from a while ago, that the terminal has said 22 about. Their numbers. */
async function withOpenPayments({ till, terminal }: Scene, count: number): Promise<string[]> {
  const { posId, merchantId } = till.account;
  const { first = 0 } = (await keeperStub(env).reserveNumbers(count, 0)) ?? {};
  const receivedAt = Date.now() - 3_600_000;
  const rowOf = (requestId: number): Transaction =>
    pending({
      requestId,
      posId,
      referenceId: `open-${requestId}`,
      frozen: { merchantId, currency: "MYR", timezone: "Asia/Kuala_Lumpur", transAmt: "10.00" },
      receivedAt,
      endsAt: receivedAt + 90_000,
      pendingReason: "reported",
      outcome: { statusCode: "22", responseCode: "09", softwareVersion: "1", terminalSn: "2" },
      revision: 1,
      stages: [{ stage: "received", at: receivedAt }],
    });
  const rows = Array.from({ length: count }, (_, index) => rowOf(first + index));
  await runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    const journal = new Journal(storage.sql);
    for (const row of rows) journal.insert(row);
  });
  return rows.map(({ requestId }) => String(requestId));
}

describe("a terminal's open payments", () => {
  it("leave room for one more if there are 499, and for none from 500 on", async ({ expect }) => {
    const here = await scene();
    const open = await withOpenPayments(here, UNRESOLVED_TRANSACTIONS - 1);
    await here.crash();
    const { connection, body: last, answer: lastAnswer, request } = await here.accepted({ open });
    connection.result(request, "22");
    expect((await lastAnswer).body.statusCode).toBe("22");
    await connection.next("ack");

    const [requestId = ""] = open;
    for (const body of [
      here.till.saleBody(),
      here.till.saleBody({ transType: "cashOut" }, { cashAmt: "5.00" }),
      here.till.body("void", { transData: { transId: requestId } }),
    ]) {
      const { status, body: told } = await here.till.transfer(body);
      expect(status).toBe(200);
      expect(told).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
      expect(told.responseText).toContain("open payments");
      // I3: as any 11, it is what the same request gets from now on.
      expect((await here.till.transfer(body)).body.responseText).toBe(told.responseText);
    }
    expect((await connection.frames()).length).toBe(0);

    // What is known is joined, and what never arrived is written down, as ever.
    const asked = here.till.transfer(last);
    expect(await connection.next("ask")).toMatchObject({ requestId: request.requestId });
    connection.result(request, "22");
    expect((await asked).body.statusCode).toBe("22");
    expect((await here.till.cancel(here.till.reference())).body.responseCode).toBe("CANCELLED");

    // All of them fit into a hello, and completing one makes room again.
    const back = await here.connect({ open: [...open, request.requestId] });
    here.approve(back, request);
    expect(await back.next("ack")).toMatchObject({ requestId: request.requestId, statusCode: "00" });
    const sale = here.till.sale();
    here.approve(back, await back.acceptNext());
    expect((await sale).body.statusCode).toBe("00");
  });
});
