import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { reserveNumbers } from "../../src/storage/transaction-numbers.ts";
import { useFakeClock } from "../support/clock.ts";
import { approved } from "../support/approved.ts";
import { useAccount, type Scene } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

/** The object's block of numbers: the next one, and the end (which is not in it). */
function block({ terminal }: Scene): Promise<{ next: number; end: number }> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) =>
    storage.sql
      .exec<{ next: number; end: number }>("SELECT next_number AS next, numbers_end AS end FROM terminal")
      .one(),
  );
}

async function setNext({ terminal }: Scene, next: number): Promise<void> {
  await runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (_object, { storage }) => {
    storage.sql.exec("UPDATE terminal SET next_number = ?", next);
  });
}

describe("the number of a transaction", () => {
  it("is ten digits, as text, grows with every transaction of a terminal, and is unique", async ({ expect }) => {
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
    expect(numbers).toEqual(numbers.toSorted((first, second) => first - second));
    expect(new Set(numbers).size).toBe(5);
  });

  it("is taken from a block that the object reserves when its terminal is bound", async ({ expect }) => {
    const here = await scene();
    const { next, end } = await block(here);
    expect(end - next).toBe(100);
    expect(next).toBeGreaterThanOrEqual(1_000_000_000);
    const connection = await here.connect();
    await connection.frames();
    await here.sleep();
    expect(await block(here)).toEqual({ next, end });
  });

  it("comes from the next block in time: with 20 left the object reserves it, without delaying the transfer", async ({
    expect,
  }) => {
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    const { end } = await block(here);
    await setNext(here, end - 21);
    await here.sleep();
    const { request } = await approved(here, connection);
    expect(Number(request.requestId)).toBe(end - 21);
    await here.sleep();
    const after = await block(here);
    expect(after.end).toBe(end + 100);
  });

  it("skips the rest of a block that is not adjacent to the next: one terminal's numbers only grow", async ({
    expect,
  }) => {
    const [here, there] = [await scene(), await scene()];
    const connection = await here.connect();
    const before = await approved(here, connection);
    await (await there.connect()).frames();
    await there.sleep();
    const { end } = await block(here);
    await setNext(here, end - 1);
    await here.sleep();
    const last = await approved(here, connection);
    const next = await approved(here, connection);
    const numbers = [before, last, next].map(({ request }) => Number(request.requestId));
    expect(numbers).toEqual(numbers.toSorted((first, second) => first - second));
    const others = await block(there);
    expect(numbers[2]).toBeGreaterThanOrEqual(others.end);
  });

  it("never comes from a block below the object's last one, even if D1 was restored to an earlier time", async ({
    expect,
  }) => {
    const first = await reserveNumbers(env.DATABASE, 10, 0, "T-1");
    // The object's last block ends far above what D1 would hand out next.
    const least = first + 1_000;
    expect(await reserveNumbers(env.DATABASE, 10, least, "T-1")).toBe(least);
    expect(await reserveNumbers(env.DATABASE, 10, first, "T-1")).toBe(least + 10);
  });

  it("is also reserved for a terminal that never connected", async ({ expect }) => {
    const here = await scene();
    const body = here.till.saleBody();
    const answers = await Promise.all([here.till.transfer(body), here.till.transfer(body), here.till.transfer(body)]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers[0]?.body.responseCode).toBe("TERMINAL_OFFLINE");
    expect(await here.journal()).toHaveLength(1);
  });
});
