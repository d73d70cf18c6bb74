/** The counter of transaction numbers of the whole service. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, onTestFinished, vi } from "vitest";
import { NUMBERS_PER_MINUTE } from "../../../../src/gateway/coordinator/number-shares.ts";
import {
  FIRST_NUMBER,
  LAST_NUMBER,
  listCreated,
  noteCreated,
} from "../../../../src/gateway/coordinator/storage/tables.ts";
import { REMEMBERED_FOR } from "../../../../src/gateway/durable/storage/outbox.ts";
import { noteBlock } from "../../../../src/gateway/d1/objects.ts";
import { createAccount, enrolTerminal } from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { NUMBERS_AT_LEAST } from "../../../../src/gateway/terminal/storage/record.ts";

/** A coordinator of its own: the terminals of an earlier file may still reserve numbers at the service's. */
const coordinator = (name: string) => env.COORDINATOR.getByName(name);

/** Another coordinator's numbers would begin after these. */
async function forgetBlocks(): Promise<void> {
  await env.DATABASE.exec("DELETE FROM number_blocks WHERE terminal_id LIKE 'T-%'");
}

/** The size of the block that a terminal of the account gets. */
async function sizeFor(account: string, size: number): Promise<number> {
  const block = await coordinator("shared").reserveNumbers(size, 0, account);
  return block === null ? 0 : block.last - block.first + 1;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the coordinator", () => {
  it("gives out every ten-digit number at most once, also after a restart", async ({ expect }) => {
    expect([String(FIRST_NUMBER), String(LAST_NUMBER)]).toEqual(["1000000000", "9999999999"]);
    const blocks = await Promise.all([100, 1, 250].map((size) => coordinator("restarted").reserveNumbers(size, 0)));
    await abortAllDurableObjects();
    blocks.push(await coordinator("restarted").reserveNumbers(100, 0));
    const sorted = blocks.toSorted((one, other) => (one?.first ?? 0) - (other?.first ?? 0));
    let next = FIRST_NUMBER;
    for (const block of sorted) {
      expect(block?.first).toBe(next);
      next = (block?.last ?? 0) + 1;
    }
    expect(next).toBe(FIRST_NUMBER + 451);
  });

  it("begins its sweeps with the first numbers that it gives out", async ({ expect }) => {
    const { alarm, sweepAt, phase } = await runInDurableObject(coordinator("new"), async (object, { storage }) => {
      await object.reserveNumbers(1, 0);
      const watch = storage.sql
        .exec(
          "SELECT json_extract(record, '$.sweepAt') AS sweep_at, json_extract(record, '$.phase') AS phase FROM watch",
        )
        .one();
      return { alarm: await storage.getAlarm(), sweepAt: watch["sweep_at"], phase: watch["phase"] };
    });
    expect([alarm, phase]).toEqual([sweepAt, null]);
  });

  it("continues above the highest number that a terminal reports", async ({ expect }) => {
    const above = FIRST_NUMBER + 1_000_000;
    expect(await coordinator("rewound").reserveNumbers(10, above)).toEqual({ first: above + 1, last: above + 10 });
    expect(await coordinator("rewound").reserveNumbers(5, 0)).toEqual({ first: above + 11, last: above + 15 });
  });

  it("continues after D1's blocks when its object is restored", async ({ expect }) => {
    const taken = await coordinator("restored").reserveNumbers(100, FIRST_NUMBER + 5_000_000);
    await noteBlock(env.DATABASE, "T-restored", taken ?? { first: 0, last: 0 }, Date.now()).run();
    onTestFinished(forgetBlocks);
    await runInDurableObject(coordinator("restored"), (_object, { storage }) => {
      storage.sql.exec("UPDATE numbers SET next = ?", FIRST_NUMBER);
    });
    await abortAllDurableObjects();
    expect((await coordinator("restored").reserveNumbers(100, 0))?.first).toBe((taken?.last ?? 0) + 1);
  });

  it("gives out numbers while D1 is silent, and asks again next time", async ({ expect }) => {
    const from = lines.length;
    const prototype = Object.getPrototypeOf(env.DATABASE) as D1Database;
    const away = vi.spyOn(prototype, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: network connection lost");
    });
    onTestFinished(() => away.mockRestore());
    expect(await coordinator("alone").reserveNumbers(10, 0)).toEqual({ first: FIRST_NUMBER, last: FIRST_NUMBER + 9 });
    expect(logged("number_bound_not_read", from)).toHaveLength(1);
    away.mockRestore();
    const above = FIRST_NUMBER + 7_000_000;
    await noteBlock(env.DATABASE, "T-later", { first: above, last: above }, Date.now()).run();
    onTestFinished(forgetBlocks);
    expect((await coordinator("alone").reserveNumbers(10, 0))?.first).toBe(above + 1);
  });

  it("gives an account beyond its share the smallest blocks", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    expect(await sizeFor("greedy", 1_000_000)).toBe(NUMBERS_PER_MINUTE);
    expect(await sizeFor("greedy", 1_000_000)).toBe(NUMBERS_AT_LEAST);
    expect(await sizeFor("greedy", 5)).toBe(5);
    expect(await sizeFor("other", 2_000)).toBe(2_000);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await sizeFor("greedy", 3_000)).toBe(3_000);
  });

  it("has no number left after the last of ten digits", async ({ expect }) => {
    const full = coordinator("full");
    await runInDurableObject(full, (_object, { storage }) => {
      storage.sql.exec("UPDATE numbers SET next = ?", LAST_NUMBER - 9);
    });
    expect(await full.reserveNumbers(11, 0)).toBeNull();
    expect(await full.reserveNumbers(10, LAST_NUMBER - 9)).toBeNull();
    expect(await full.reserveNumbers(10, 0)).toEqual({ first: LAST_NUMBER - 9, last: LAST_NUMBER });
    expect(await full.reserveNumbers(1, 0)).toBeNull();
  });

  it("keeps new accounts and terminals in case D1 is restored", async ({ expect }) => {
    const [{ posId }, { terminalId }] = await Promise.all([createAccount(), enrolTerminal()]);
    const made = await runInDurableObject(coordinator("coordinator"), (_object, { storage }) =>
      storage.sql.exec<{ object: string }>("SELECT object FROM created").toArray(),
    );
    const objects = made.map(({ object }) => object);
    expect(objects).toEqual(expect.arrayContaining([`account:${posId}`, `terminal:${terminalId}`]));
  });

  it("forgets what was made longer ago than D1 can be restored to", async ({ expect }) => {
    const listed = await runInDurableObject(coordinator("old"), (_object, { storage: { sql } }) => {
      const now = Date.now();
      for (const [object, at] of [
        ["account:old", now - REMEMBERED_FOR - 1],
        ["account:young", now - REMEMBERED_FOR],
        ["account:young", now],
        ["terminal:new", now],
      ] as const)
        noteCreated(sql, object, at);
      return [listCreated(sql, "", 2), listCreated(sql, "account:young", 2), listCreated(sql, "", 1)];
    });
    expect(listed).toEqual([["account:young", "terminal:new"], ["terminal:new"], ["account:young"]]);
  });
});
