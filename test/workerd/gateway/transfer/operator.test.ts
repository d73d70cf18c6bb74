import { isoWithOffset } from "../../../../src/protocol/time/zone.ts";
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { operator } from "../../../support/gateway.ts";
import { reportedOpen, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

describe("the operator's journal", () => {
  it("shows each transaction with the times of its stages", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    const began = Date.now();
    const body = here.pos.saleBody();
    const answer = here.pos.transfer(body);
    const lost = await first.nextRequest();
    first.drop();
    await here.pass(3 * SECOND);
    const second = await here.connect();
    const request = await second.nextRequest();
    await here.pass(SECOND);
    second.accept(request);
    for (const stage of ["present", "reading", "pin", "authorising", "printing"]) {
      await second.frames();
      await here.pass(SECOND);
      second.send({ type: "progress", requestId: request.requestId, stage });
    }
    await second.frames();
    here.approve(second, request);
    await answer;

    const { timezone } = here.pos.account;
    const at = (milliseconds: number): string => isoWithOffset(began + milliseconds, timezone);
    expect(await here.row(body["referenceId"])).toMatchObject({
      requestId: lost.requestId,
      posId: here.pos.account.posId,
      transType: "sale",
      transAmt: "12.50",
      currency: "MYR",
      timezone,
      state: "completed",
      completedBy: "terminal",
      attempt: 2,
      cancelled: false,
      outcome: { statusCode: "00", responseCode: "00" },
      receivedAt: at(0),
      endsAt: at(90 * SECOND),
      completedAt: at(9 * SECOND),
      stages: [
        { stage: "received", at: at(0) },
        { stage: "sent", at: at(0) },
        { stage: "sent", at: at(3 * SECOND) },
        { stage: "accepted", at: at(4 * SECOND) },
        { stage: "present", at: at(5 * SECOND) },
        { stage: "reading", at: at(6 * SECOND) },
        { stage: "pin", at: at(7 * SECOND) },
        { stage: "authorising", at: at(8 * SECOND) },
        { stage: "printing", at: at(9 * SECOND) },
        { stage: "completed", at: at(9 * SECOND) },
      ],
    });
  });

  it("lists newest first, by cursor, including every 11 but no inquiry", async ({ expect }) => {
    const here = await scene();
    const references: unknown[] = [];
    for (let sale = 0; sale < 5; sale++) {
      const body = here.pos.saleBody();
      references.unshift(body["referenceId"]);
      expect((await here.pos.transfer(body)).body.responseCode).toBe("TERMINAL_OFFLINE");
      await here.pos.inquiry({ referenceId: body["referenceId"] });
    }
    expect((await here.journal()).map(({ referenceId }) => referenceId)).toEqual(references);
    const path = `/operator/terminals/${here.terminal.terminalId}/transactions`;
    const seen: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "?limit=2" : `?limit=2&cursor=${cursor}`;
      const page: { data: { referenceId: string }[]; next: string | null } = (
        await operator<{ data: { referenceId: string }[]; next: string | null }>("GET", path + query)
      ).body;
      seen.push(...page.data.map(({ referenceId }) => referenceId));
      cursor = page.next;
    }
    expect(seen).toEqual(references);
  });
});

describe("a transaction that the operator resolves", () => {
  for (const statusCode of ["00", "11"] as const) {
    it(`has status ${statusCode} for everybody from then on, with the reason`, async ({ expect }) => {
      const here = await scene();
      const connection = await here.connect({ softwareVersion: "7.7", terminalSn: "SN-7" });
      const sale = await reportedOpen(here, connection);
      if (statusCode === "00") here.books.charge(sale.request);
      const waiting = here.pos.inquiry({ referenceId: sale.referenceId });
      await connection.next("ask");
      const { status, body } = await here.resolve(sale.request.requestId, statusCode, "Seen at the host.");
      expect(status).toBe(200);
      expect(body).toMatchObject({ state: "completed", completedBy: "operator", outcome: { statusCode } });
      const audit = await operator<{ data: object[] }>(
        "GET",
        `/operator/audit?action=transaction.resolve&target=${here.terminal.terminalId}`,
      );
      expect(audit.body.data).toMatchObject([
        {
          before: { state: "pending", statusCode: "22" },
          after: { state: "completed", statusCode, responseCode: "RESOLVED", responseText: "Seen at the host." },
        },
      ]);
      const outcome = {
        statusCode,
        responseCode: "RESOLVED",
        responseText: "Seen at the host.",
        softwareVersion: "7.7",
        terminalSn: "SN-7",
      };
      expect((await waiting).body).toMatchObject(outcome);
      expect((await here.pos.transfer(sale.body)).body).toMatchObject(outcome);
      expect((await here.pos.transfer(sale.body)).body.transData).toMatchObject({
        transAmt: "12.50",
        currency: "MYR",
        invNo: "",
      });
      expect((await here.resolve(sale.request.requestId, "11", "Again.")).status).toBe(409);
      // The terminal's own report of the same status is acknowledged, and no conflict.
      connection.result(sale.request, statusCode);
      expect(await connection.frames()).toEqual([{ type: "ack", requestId: sale.request.requestId, statusCode }]);
      expect((await here.row(sale.referenceId)).conflicts).toEqual([]);
    });
  }
});
