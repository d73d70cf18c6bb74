/**
 * Sequences that lost money under rules that had looked complete, each on the real objects once: `lane/*.test.ts` and
 * `test/model` hold the rules themselves.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import { bind } from "../../../support/gateway.ts";
import type { TransferAnswer } from "../../../support/pos.ts";
import { AT_ONCE, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();
const other = useAccount();

const SECOND = 1_000;

describe("a cancel of a sale whose connection died", () => {
  it("survives a crash: the sale is cancelled and never sent again", async ({ expect }) => {
    const here = await scene();
    const { connection: first, referenceId, answer, request } = await here.sent();
    first.drop();
    await here.pos.cancel(referenceId, {}, AT_ONCE);
    await here.crash();
    const second = await here.connect();
    await here.pass(request.deliverBy + 15 * SECOND - Date.now() - 1);
    expect((await here.row(referenceId)).outcome).toBeNull();
    await here.pass(1);
    expect((await answer).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(await second.frames()).toEqual([]);
  });
});

describe("an object that sleeps while a sale is in progress", () => {
  it("is woken by its alarm, which cancels and then answers every POS", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const stub = env.TERMINAL.getByName(here.terminal.terminalId);
    const body = here.pos.saleBody();
    const answers = [here.pos.transfer(body), here.pos.transfer(body)];
    const request = await connection.acceptNext();
    await here.reaches(body["referenceId"], "accepted");
    await here.sleep();
    skip(80 * SECOND);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await connection.next("cancel")).toMatchObject({ requestId: request.requestId });
    await here.sleep();
    skip(10 * SECOND);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    for (const { body: answer } of await Promise.all(answers)) {
      expect(answer).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
    }
    await here.sleep();
    here.approve(connection, request);
    expect(await connection.next("ack")).toMatchObject({ statusCode: "00" });
    expect((await here.pos.transfer(body)).body.statusCode).toBe("00");
  });
});

describe("a terminal that moves to another account during a transfer", () => {
  it("runs nothing of the first account", async ({ expect }) => {
    const [here, there] = [await scene(), await other()];
    const connection = await here.connect();
    // The account has admitted the transfer; before it reaches the terminal's object, the terminal is bound to the other account.
    const overtaken = new Proxy(env.TERMINAL, {
      get(target, member) {
        if (member !== "getByName") return Reflect.get(target, member) as unknown;
        return (name: string) => ({
          fetch: async (address: string, init: RequestInit) => {
            await bind(there.pos.token, here.terminal);
            return target.getByName(name).fetch(address, init);
          },
        });
      },
    });
    const body = here.pos.sign(here.pos.saleBody());
    const { token } = here.pos;
    const answer = await callWith<TransferAnswer>({ TERMINAL: overtaken }, "POST", "/api/transfer", { token, body });
    expect(answer.status).toBe(400);
    expect(answer.body.details?.[0]?.path).toBe("deviceId");
    expect(await connection.next("binding")).toMatchObject({ posId: there.pos.account.posId });
    expect(await connection.frames()).toEqual([]);
    expect(await here.journal()).toEqual([]);
  });
});

describe("identical requests at the same moment", () => {
  it("make one row and one frame, even while numbers run out", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, { storage }) => {
      const used = "json_extract(record, '$.reserve.blocks[#-1].last') + 1";
      storage.sql.exec(`UPDATE terminal SET record = json_set(record, '$.nextNumber', ${used})`);
    });
    await here.sleep();
    const body = here.pos.saleBody();
    const answers = Array.from({ length: 4 }, () => here.pos.transfer(body));
    here.approve(connection, await connection.acceptNext());
    const bodies = (await Promise.all(answers)).map((answer) => JSON.stringify(answer.body));
    expect(new Set(bodies).size).toBe(1);
    expect(await here.journal()).toHaveLength(1);
  });
});
