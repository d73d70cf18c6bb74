/** Which transaction an account's `getLast` is about: the same as a search through the whole journal would find. */
import { describe, it } from "vitest";
import { JOURNAL_LIFE } from "../../../src/protocol/limits/transfers.ts";
import type { Transaction } from "../../../src/terminal/lane/index.ts";
import { Journal } from "../../../src/terminal/storage/journal.ts";
import { MIGRATIONS } from "../../../src/terminal/storage/schema.ts";
import { randomOf, type Random } from "../../../src/simulator/random.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { NOW, queued, completed } from "../lane/bench.ts";

const HISTORIES = 100;
const STEPS = 40;
const ACCOUNTS = ["pos-1", "pos-2", "pos-3"];

/** A terminal's journal in which everything happens that the lane may write. */
class Rows {
  readonly sql = memoryStorage(MIGRATIONS);
  readonly journal = new Journal(this.sql);
  readonly #random: Random;
  readonly #open = new Map<number, Transaction>();
  #number = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  step(): void {
    const random = this.#random;
    if (random.chance(0.5)) this.#insert();
    else if (random.chance(0.8)) this.#change();
    // Everything is recorded.
    else this.journal.rename([...this.#open.keys()]);
  }

  #insert(): void {
    const random = this.#random;
    const requestId = ++this.#number;
    const members = {
      requestId,
      posId: random.pick(ACCOUNTS),
      referenceId: `R-${requestId}`,
      transType: random.chance(0.8) ? ("sale" as const) : null,
      reached: random.chance(0.3),
    };
    const row = random.chance(0.4) ? completed("11", { ...members, reached: false }) : queued(members);
    // Some rows that are completed are not recorded yet.
    const unrecorded = Array.from({ length: random.below(3) }, () => 1 + random.below(requestId)).filter(
      (id) => id < requestId,
    );
    this.journal.insert(row, [...new Set([...this.#open.keys(), ...unrecorded])]);
    if (row.state !== "completed") this.#open.set(requestId, row);
  }

  #change(): void {
    const random = this.#random;
    const [...open] = this.#open.values();
    if (open.length === 0) return;
    const before = random.pick(open);
    const row: Transaction = {
      ...before,
      reached: random.chance(0.5),
      ...(random.chance(0.6) ? { state: "completed", completedAt: NOW } : {}),
    };
    this.journal.update(row);
    if (row.state === "completed") this.#open.delete(row.requestId);
    else this.#open.set(row.requestId, row);
  }

  /** What the whole journal says. */
  searched(posId: string): number | null {
    return this.sql
      .exec<{ newest: number | null }>(
        "SELECT MAX(request_id) AS newest FROM transactions WHERE pos_id = ? AND reached = 1 AND trans_type IS NOT NULL",
        posId,
      )
      .one().newest;
  }
}

describe("the newest transaction of an account that reached the terminal", () => {
  it("is found however rows were written, changed and renamed before, for every account", ({ expect }) => {
    let found = 0;
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const rows = new Rows(randomOf(seed));
      for (let step = 0; step < STEPS; step++) {
        rows.step();
        for (const posId of ACCOUNTS) {
          const requestId = rows.journal.newestThatReached(posId)?.requestId ?? null;
          expect([seed, step, posId, requestId]).toEqual([seed, step, posId, rows.searched(posId)]);
          if (requestId !== null) found++;
        }
      }
    }
    expect(found).toBeGreaterThan(HISTORIES * STEPS);
  });

  it("is found among the rows that are left when the account's newest one is deleted", ({ expect }) => {
    const journal = new Journal(memoryStorage(MIGRATIONS));
    const old = { posId: "pos-1", receivedAt: 0, completedAt: 1, reached: true };
    const newest = () => journal.newestThatReached("pos-1")?.requestId;
    journal.insert(completed("00", { ...old, requestId: 1, referenceId: "R-1", completedAt: NOW }), []);
    journal.insert(completed("00", { ...old, requestId: 2, referenceId: "R-2" }), [1]);
    journal.insert(completed("11", { posId: "pos-2", requestId: 3, receivedAt: NOW, completedAt: NOW }), []);
    expect(newest()).toBe(2);
    expect(journal.prune(NOW - JOURNAL_LIFE, 0, [])).toBeNull();
    expect(journal.page(Number.MAX_SAFE_INTEGER, 9)).toHaveLength(2);
    expect(newest()).toBe(1);
    const refused = { posId: "pos-1", receivedAt: NOW, completedAt: NOW, reached: false };
    journal.insert(completed("11", { ...refused, requestId: 4, referenceId: "R-4" }), []);
    expect(newest()).toBe(1);
  });
});
