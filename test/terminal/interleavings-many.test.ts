/** Sequences that lost money under rules that had looked complete: two voids, two accounts, two identical requests. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import { callWith } from "../support/environment.ts";
import { bind } from "../support/gateway.ts";
import { AT_ONCE, Scene, Till, useAccount } from "../support/scene.ts";
import type { TransferAnswer } from "../support/pos.ts";
import type { RequestFrame, ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();
const other = useAccount();

/** A sale that was approved. */
async function approved(here: Scene, connection: ScriptedTerminal): Promise<RequestFrame> {
  const answer = here.till.sale();
  const request = await connection.acceptNext();
  here.approve(connection, request);
  await answer;
  await connection.next("ack");
  return request;
}

describe("an inquiry about a void whose outcome is open", () => {
  it("returns the sale's 00 by the sale's number, and the void's 22 by the void's reference", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const referenceId = here.till.reference();
    const answer = here.till.void(sale.transId, { referenceId });
    const request = await connection.acceptNext();
    connection.result(request, "22");
    expect((await answer).body).toMatchObject({ transType: "void", statusCode: "22" });

    const bySale = await here.till.inquiry({ transId: sale.transId });
    expect(bySale.body).toMatchObject({
      statusCode: "00",
      originalTransType: "sale",
      originalReferenceId: sale.referenceId,
      voidStatus: "22",
    });
    const byVoid = here.till.inquiry({ referenceId });
    await connection.next("ask");
    connection.result(request, "22");
    expect((await byVoid).body).toMatchObject({
      statusCode: "22",
      originalTransType: "void",
      originalReferenceId: referenceId,
    });
    expect((await byVoid).body).not.toHaveProperty("voidStatus");

    await here.settle(connection, request);
    expect((await here.till.inquiry({ transId: sale.transId })).body).toMatchObject({
      statusCode: "00",
      voidStatus: "00",
    });
    expect((await here.till.inquiry({ referenceId })).body).toMatchObject({
      statusCode: "00",
      transData: { transId: sale.transId },
    });
  });
});

describe("a void", () => {
  it("is NOT_VOIDABLE while another one runs, and ALREADY_VOIDED after it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const first = here.till.void(sale.transId);
    const request = await connection.acceptNext();
    expect((await here.till.void(sale.transId)).body).toMatchObject({
      statusCode: "11",
      responseCode: "NOT_VOIDABLE",
    });
    here.approve(connection, request);
    expect((await first).body).toMatchObject({ statusCode: "00", transData: { transId: sale.transId } });
    expect((await here.till.void(sale.transId)).body).toMatchObject({
      statusCode: "11",
      responseCode: "ALREADY_VOIDED",
    });
    expect((await connection.frames()).map((frame) => (frame as { type: string }).type)).toEqual(["ack"]);
  });

  it("is processed once when two tills void the same sale at the same moment", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const answers = [here.till.void(sale.transId), here.till.void(sale.transId), here.till.void(sale.transId)];
    const request = await connection.acceptNext();
    here.approve(connection, request);
    const codes = (await Promise.all(answers)).map(({ body }) => body.responseCode);
    expect(codes.toSorted()).toEqual(["00", expect.stringMatching(/VOID/), expect.stringMatching(/VOID/)]);
  });

  it("may be tried again after a failed one", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = await approved(here, connection);
    const first = here.till.void(sale.transId);
    connection.result(await connection.acceptNext(), "11");
    expect((await first).body.statusCode).toBe("11");
    const second = here.till.void(sale.transId);
    here.approve(connection, await connection.acceptNext());
    expect((await second).body.statusCode).toBe("00");
  });

  it("of a sale whose outcome is open is NOT_VOIDABLE", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    expect((await here.till.void(request.transId)).body.responseCode).toBe("NOT_VOIDABLE");
    connection.result(request, "22");
    await answer;
    expect((await here.till.void(request.transId)).body.responseCode).toBe("NOT_VOIDABLE");
  });
});

describe("a terminal that is moved from one account to another", () => {
  it("runs nothing of the first account, whose transfer was in progress at that moment", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const connection = await here.connect();
    const namespace = env.TERMINAL;
    // The Worker has read D1; before its call reaches the object, the terminal is bound to the other account.
    const overtaken = new Proxy(namespace, {
      get(target, member) {
        if (member !== "getByName") return Reflect.get(target, member) as unknown;
        return (name: string) => ({
          fetch: async (address: string, init: RequestInit) => {
            await bind(there.till.token, here.terminal);
            return target.getByName(name).fetch(address, init);
          },
        });
      },
    });
    const body = here.till.sign(here.till.saleBody());
    const answer = await callWith<TransferAnswer>({ TERMINAL: overtaken }, "POST", "/api/transfer", {
      token: here.till.token,
      body,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.details?.[0]?.path).toBe("deviceId");
    expect(await connection.next("binding")).toMatchObject({ posId: there.till.account.posId });
    expect(await connection.frames()).toEqual([]);
    expect(await here.journal()).toEqual([]);
  });

  it("leaves the pending sale to the first account, and hides it from the second", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const { connection, body, referenceId, answer, request } = await here.accepted();
    connection.result(request, "22");
    await answer;
    await bind(there.till.token, here.terminal);
    const newcomer = new Till(there.till.account, here.terminal, there.till.token, there.books);

    expect((await newcomer.inquiry({ transId: request.transId })).body.code).toBe(40004);
    expect((await newcomer.getLast()).body.code).toBe(40004);
    expect((await newcomer.inquiry()).body.code).toBe(40004);
    expect((await newcomer.void(request.transId)).body.responseCode).toBe("TRANSACTION_NOT_FOUND");
    // The same referenceId of another account is another reference.
    expect((await newcomer.inquiry({ referenceId })).body.responseCode).toBe("CANCELLED");
    const refused = await here.till.sale();
    expect(refused.status).toBe(400);
    expect(refused.body.details?.[0]?.path).toBe("deviceId");

    const inquiry = here.till.inquiry({ transId: request.transId });
    await connection.next("ask");
    here.approve(connection, request);
    expect((await inquiry).body).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
    expect((await here.till.getLast()).body.statusCode).toBe("00");
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
    expect((await here.till.cancel(referenceId)).body.statusCode).toBe("00");
    expect((await newcomer.getLast()).body.code).toBe(40004);
  });

  it("is not moved while a sale is queued, sent or accepted within its time", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const { connection, referenceId, answer, request } = await here.sent();
    await expect(bind(there.till.token, here.terminal)).rejects.toThrow("400");
    connection.accept(request);
    await here.reaches(referenceId, "accepted");
    await expect(bind(there.till.token, here.terminal)).rejects.toThrow("400");
    here.approve(connection, request);
    await answer;
    await bind(there.till.token, here.terminal);
  });

  it("may be moved after a sale's end, even while the terminal has not said how the sale ended", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const { connection, body, referenceId, answer, request } = await here.accepted();
    await here.pass(90 * 1_000 - 1);
    await expect(bind(there.till.token, here.terminal)).rejects.toThrow("400");
    await here.pass(1);
    expect((await answer).body.statusCode).toBe("22");
    expect((await here.row(referenceId)).state).toBe("accepted");
    await bind(there.till.token, here.terminal);
    // I4: its result reaches the account that made it.
    await here.settle(connection, request);
    expect((await here.till.transfer(body)).body.statusCode).toBe("00");
  });
});

describe("identical requests at the same moment", () => {
  it("make one row and one frame, and get equal answers", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.till.saleBody();
    const answers = Array.from({ length: 5 }, () => here.till.transfer(body));
    const request = await connection.acceptNext();
    here.approve(connection, request);
    const bodies = (await Promise.all(answers)).map((answer) => JSON.stringify(answer.body));
    expect(new Set(bodies).size).toBe(1);
    expect(await here.journal()).toHaveLength(1);
    expect((await connection.frames()).map((frame) => (frame as { type: string }).type)).toEqual(["ack"]);
  });

  it("also do so while the reserve of transaction numbers is used up", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const before = await approved(here, connection);
    await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, { storage }) => {
      storage.sql.exec("UPDATE terminal SET next_number = json_extract(number_blocks, '$[#-1].last') + 1");
    });
    await here.sleep();
    const body = here.till.saleBody();
    const answers = Array.from({ length: 4 }, () => here.till.transfer(body));
    const request = await connection.acceptNext();
    expect(Number(request.requestId)).toBeGreaterThan(Number(before.requestId));
    here.approve(connection, request);
    const bodies = (await Promise.all(answers)).map((answer) => JSON.stringify(answer.body));
    expect(new Set(bodies).size).toBe(1);
    expect(await here.journal()).toHaveLength(2);
    expect((await connection.frames()).map((frame) => (frame as { type: string }).type)).toEqual(["ack"]);
  });

  it("but with different amounts are not repetitions: one is processed, the other refused with 40009", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    const referenceId = here.till.reference();
    const answers = [
      here.till.sale({ referenceId }, { transAmt: "1.00" }),
      here.till.sale({ referenceId }, { transAmt: "2.00" }),
    ];
    const request = await connection.acceptNext();
    here.approve(connection, request);
    const completed = await Promise.all(answers);
    expect(new Set(completed.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect(completed.find(({ status }) => status === 400)?.body.code).toBe(40009);
    // The refused one has not taken the other's claim back.
    const nextDoor = await here.nextDoor();
    expect((await nextDoor.sale({ referenceId }, { transAmt: "1.00" }, AT_ONCE)).body.code).toBe(40009);
  });
});
