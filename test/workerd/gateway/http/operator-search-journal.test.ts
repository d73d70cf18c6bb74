/** An operator searches the payments of one terminal, in its journal. */
import { describe, it } from "vitest";
import type { FoundPayments } from "../../../../src/protocol/schemas/operator-transactions.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { callWith, objectsWith } from "../../../support/environment.ts";
import { enrolTerminal, OPERATOR_TOKEN } from "../../../support/gateway.ts";

useFakeClock();

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const iso = (time: number): string => new Date(time).toISOString().replace("Z", "+00:00");

/** A terminal's journal in which a sale of 12.50 was received every so often, the newest now, with what differs. */
class Journal {
  readonly terminalId: string;
  readonly asked: (number | null)[] = [];
  /** How long a page takes. */
  slow = 0;
  readonly #every: number;
  readonly #count: number;
  readonly #changes: Record<number, object>;

  private constructor(terminalId: string, every: number, count: number, changes: Record<number, object>) {
    this.terminalId = terminalId;
    this.#every = every;
    this.#count = count;
    this.#changes = changes;
  }

  static async of(every: number, count: number, changes: Record<number, object> = {}): Promise<Journal> {
    return new Journal((await enrolTerminal()).terminalId, every, count, changes);
  }

  /** @param back how many are newer */
  #entry(back: number): object {
    const receivedAt = Date.now() - back * this.#every;
    return {
      requestId: String(2_000_000_000 - back),
      posId: "POS-1",
      referenceId: `R-${back}`,
      transType: "sale",
      transAmt: "12.50",
      cashAmt: null,
      currency: "MYR",
      state: "completed",
      outcome: { statusCode: "00", responseCode: "00", transData: { cardNo: "xxxxxxxxxxxx1111" } },
      receivedAt,
      completedAt: receivedAt + SECOND,
      ...this.#changes[back],
    };
  }

  /** What a search of this terminal finds. */
  async search(query: Record<string, string> = {}): Promise<FoundPayments> {
    this.asked.length = 0;
    const transactions = async (before: number | null, rows: number) => {
      this.asked.push(before);
      skip(this.slow);
      const first = before === null ? 0 : 2_000_000_001 - before;
      const entries = Array.from({ length: Math.min(rows, this.#count - first) }, (_, at) => this.#entry(first + at));
      return { entries, orphanResults: [] };
    };
    const TERMINAL = objectsWith({ [this.terminalId]: { transactions: transactions as never } });
    const path = `/operator/transactions?${new URLSearchParams({ terminalId: this.terminalId, ...query }).toString()}`;
    return (await callWith<FoundPayments>({ TERMINAL }, "GET", path, { token: OPERATOR_TOKEN })).body;
  }
}

describe("a search of a terminal's journal", () => {
  it("shows each payment as it is now", async ({ expect }) => {
    const now = Date.now();
    const journal = await Journal.of(HOUR, 5, {
      1: { transType: null },
      2: { state: "pending", outcome: { statusCode: "22", responseCode: "09" }, completedAt: null },
      3: { posId: "POS-2", transType: "cashOut", cashAmt: "50.00", outcome: null },
      4: { completedAt: now + 2 * SECOND },
    });
    const { data, covered } = await journal.search();
    expect(journal.asked).toEqual([null]);
    const { terminalId } = journal;
    const added = { shopName: null, conflict: false };
    const sale = {
      posId: "POS-1",
      terminalId,
      transType: "sale",
      transAmt: "12.50",
      cashAmt: null,
      currency: "MYR",
      ...added,
    };
    const paid = { statusCode: "00", responseCode: "00", cardLastFour: "1111" };
    const open = { statusCode: "22", responseCode: null, cardLastFour: null };
    const at = (back: number) => ({
      requestId: String(2_000_000_000 - back),
      referenceId: `R-${back}`,
      receivedAt: iso(now - back * HOUR),
      completedAt: iso(now - back * HOUR + SECOND),
    });
    expect(data).toEqual([
      { ...sale, ...at(4), ...paid, completedAt: iso(now + 2 * SECOND) },
      { ...sale, ...at(0), ...paid },
      { ...sale, ...at(2), ...open, completedAt: null },
      { ...sale, ...at(3), ...open, posId: "POS-2", transType: "cashOut", cashAmt: "50.00" },
    ]);
    expect(covered).toEqual({
      from: iso(now - 7 * DAY),
      to: iso(now),
      completeUntil: iso(now),
      cut: false,
      notCovered: [],
    });
    expect((await journal.search({ posId: "POS-2" })).data.map(({ referenceId }) => referenceId)).toEqual(["R-3"]);
  });

  it("ends after two thousand entries, and says how far it came", async ({ expect }) => {
    const journal = await Journal.of(SECOND, 5_000);
    const now = Date.now();
    const { data, covered } = await journal.search({ amount: "1.00" });
    expect([data, journal.asked.length]).toEqual([[], 21]);
    expect(covered).toMatchObject({ from: iso(now - 2_099 * SECOND), cut: true });
    for (const [slow, pages] of [
      [2_000, 2],
      [1_999, 3],
    ] as const) {
      journal.slow = slow;
      expect((await journal.search({ amount: "1.00" })).covered.cut).toBe(true);
      expect(journal.asked.length).toBe(pages);
    }
  });
});
