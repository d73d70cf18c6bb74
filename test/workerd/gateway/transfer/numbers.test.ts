/** Transaction numbers as POS programs and operators see them: unique, growing, and never waited for. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { Coordinator } from "../../../../src/gateway/index.ts";
import { LONGEST_BACKOFF } from "../../../../src/gateway/durable/storage/outbox.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { failTerminalNotes } from "../../../support/database.ts";
import { operator } from "../../../support/gateway.ts";
import { approved, type Scene, useAccount } from "../../../support/scene.ts";
import type { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

/** The object's blocks of numbers. */
async function reserve({ terminal }: Scene): Promise<{ blocks: { first: number; last: number }[] }> {
  const { text } = await runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) =>
    storage.sql.exec<{ text: string }>("SELECT json_extract(record, '$.reserve.blocks') AS text FROM terminal").one(),
  );
  return { blocks: JSON.parse(text) as { first: number; last: number }[] };
}

/** Leaves so many numbers: the others count as used. */
async function leave(here: Scene, numbers: number): Promise<void> {
  const { blocks } = await reserve(here);
  const next = (blocks.at(-1)?.last ?? 0) - numbers + 1;
  await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, { storage }) => {
    storage.sql.exec("UPDATE terminal SET record = json_set(record, '$.nextNumber', ?)", next);
  });
  await here.sleep();
}

/** The coordinator gives no answer until the end of the test. Returns how often it was asked. */
function coordinatorHangs(): () => number {
  const spy = vi
    .spyOn(Coordinator.prototype, "reserveNumbers")
    .mockImplementation(() => Promise.withResolvers<null>().promise);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

async function numbersOfSales(here: Scene, connection: ScriptedTerminal, sales: number): Promise<number[]> {
  const numbers: number[] = [];
  while (numbers.length < sales) numbers.push(Number((await approved(here, connection)).request.requestId));
  return numbers;
}

function sorted(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

describe("the number of a transaction", () => {
  it("is ten digits, grows per terminal, and is unique", async ({ expect }) => {
    const [here, there] = [await scene(), await scene()];
    const [one, another] = [await here.connect(), await there.connect()];
    const numbers: number[] = [];
    for (let sale = 0; sale < 5; sale++) {
      const { answer, request } = await approved(here, one);
      expect(answer.body.transData?.["transId"]).toMatch(/^[1-9][0-9]{9}$/);
      expect(answer.body.transData?.["transId"]).toBe(request.requestId);
      numbers.push(Number(request.requestId));
      const { request: elsewhere } = await approved(there, another);
      expect(numbers).not.toContain(Number(elsewhere.requestId));
    }
    expect(numbers).toEqual(sorted(numbers));
  });

  it("is in reserve when its terminal is bound", async ({ expect }) => {
    const here = await scene();
    const before = await reserve(here);
    const [{ first, last } = { first: 0, last: 0 }] = before.blocks;
    expect([before.blocks.length, last - first + 1]).toEqual([1, 100]);
    const connection = await here.connect();
    await connection.frames();
    await here.sleep();
    expect(await reserve(here)).toEqual(before);
  });

  it("is also given to a transaction of a terminal that never connected", async ({ expect }) => {
    const here = await scene();
    coordinatorHangs();
    const body = here.pos.saleBody();
    const answers = await Promise.all([here.pos.transfer(body), here.pos.transfer(body), here.pos.transfer(body)]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers[0]?.body.responseCode).toBe("TERMINAL_OFFLINE");
    expect(await here.journal()).toHaveLength(1);
  });

  it("comes from a block's rest before it comes from the next", async ({ expect }) => {
    const [here, there] = [await scene(), await scene()];
    const connection = await here.connect();
    await leave(here, 22);
    const numbers = await numbersOfSales(here, connection, 24);
    expect(numbers).toEqual(sorted(numbers));
    const [mine, other] = [(await reserve(here)).blocks, (await reserve(there)).blocks];
    expect(mine).toHaveLength(2);
    expect(numbers.slice(0, 22)).toEqual(Array.from({ length: 22 }, (_, at) => (mine[0]?.last ?? 0) - 21 + at));
    expect(numbers.slice(22)).toEqual([mine[1]?.first, (mine[1]?.first ?? 0) + 1]);
    expect(mine[1]?.first).toBeGreaterThan(other[0]?.last ?? Infinity);
  });

  it("is found by the operator once D1 is back", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const database = failTerminalNotes("fail");
    await leave(here, 1);
    const [, number] = await numbersOfSales(here, connection, 2);
    const find = () => operator("GET", `/operator/transactions?transId=${number}`);
    expect((await find()).status).toBe(404);
    database.recover();
    await here.pass(LONGEST_BACKOFF);
    await vi.waitFor(async () => expect((await find()).body).toMatchObject({ terminalId: here.terminal.terminalId }));
  });
});
