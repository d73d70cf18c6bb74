/** How the object finds what is open when it wakes up: each row names those that were open when it was written. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { migrate } from "../../src/objects/storage/migrate.ts";
import { MIGRATIONS } from "../../src/terminal/storage/schema.ts";
import { Journal } from "../../src/terminal/storage/journal.ts";
import type { Transaction } from "../../src/terminal/lane/index.ts";
import type { TransactionState } from "../../src/protocol/transactions.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { randomOf } from "../../src/simulator/random.ts";
import { approved, reportedOpen, useAccount } from "../support/scene.ts";
import { queued } from "./lane/bench.ts";

useFakeClock();
const scene = useAccount();

const DAY = 86_400_000;
const FIRST = 1_000_000_000;

function row(requestId: number, state: TransactionState, receivedAt: number): Transaction {
  return queued({
    requestId,
    referenceId: `r-${requestId}`,
    receivedAt,
    endsAt: receivedAt + 90_000,
    state,
    attempt: 1,
    acceptanceProved: state === "accepted",
    reached: true,
    pendingReason: state === "pending" ? "reported" : null,
    completedAt: state === "completed" ? receivedAt : null,
    stages: [{ stage: "received", at: receivedAt }],
  });
}

/** Works on a journal in an object that nothing else uses. */
function withJournal<Result>(work: (journal: Journal, storage: DurableObjectStorage) => Result): Promise<Result> {
  return runInDurableObject(env.TERMINAL.getByName(crypto.randomUUID()), (_object, { storage }) => {
    migrate(storage, MIGRATIONS);
    return work(new Journal(storage.sql), storage);
  });
}

function searched({ sql }: DurableObjectStorage): number[] {
  const rows = sql.exec<{ request_id: number }>(
    "SELECT request_id FROM transactions WHERE state <> 'completed' ORDER BY request_id",
  );
  return [...rows].map(({ request_id: requestId }) => requestId);
}

describe("a row that is open", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "is found exactly as a search through all rows would find it, no matter what was completed and forgotten (seed %i)",
    async (seed) => {
      const found = await withJournal((journal, storage) => {
        const random = randomOf(seed);
        const open = new Map<number, Transaction>();
        const differences: unknown[] = [];
        let now = 1_790_000_000_000;
        let next = FIRST;
        let written = 0;
        for (let turn = 0; turn < 300; turn++) {
          now += random.below(10 * DAY);
          if (random.chance(0.5)) {
            const state = random.pick(["queued", "sent", "accepted", "pending", "completed"] as const);
            const transaction = row(next, state, now);
            journal.insert(transaction, [...open.keys()]);
            if (transaction.state !== "completed") open.set(next, transaction);
            written++;
            next += 1 + random.below(3);
          } else {
            const [requestId] = [...open.keys()].filter(() => random.chance(0.3));
            const transaction = requestId === undefined ? undefined : open.get(requestId);
            if (transaction !== undefined) {
              journal.update({ ...transaction, state: "completed", completedAt: now });
              open.delete(transaction.requestId);
            }
          }
          if (random.chance(0.2)) new Journal(storage.sql).prune(now - JOURNAL_LIFE, 0, []);
          const [expected, actual] = [searched(storage), [...journal.open().keys()]];
          if (JSON.stringify(expected) !== JSON.stringify(actual)) differences.push({ turn, expected, actual });
        }
        return { differences, forgotten: journal.page(Number.MAX_SAFE_INTEGER, written).length < written };
      });
      expect(found).toEqual({ differences: [], forgotten: true });
    },
  );

  it("comes back as it was written, including members that most rows do not have", async () => {
    const usual = row(FIRST, "sent", 1_790_000_000_000);
    const odd: Transaction = {
      ...row(FIRST + 1, "pending", 1_790_000_000_000),
      sending: { connection: 3, memory: "m", at: 1, deliverBy: 2 },
      acceptanceProved: true,
      cancel: "wished",
      undelivered: { at: 5, responseCode: "NOT_DELIVERED" },
      ended: true,
      detached: true,
      askedAt: 6,
      outcome: { statusCode: "22", responseCode: "09", softwareVersion: "1", terminalSn: "2" },
      resolvedBy: null,
      completedBy: "operator",
      completedAt: 7,
      revision: 3,
    };
    const read = await withJournal((journal) => {
      journal.insert(usual, []);
      journal.insert(odd, [FIRST]);
      const inserted = [...journal.open().values()];
      journal.update({ ...usual, detached: true });
      journal.update({ ...odd, cancel: "none", sending: null });
      return { inserted, updated: [...journal.open().values()] };
    });
    expect(read).toEqual({
      inserted: [usual, odd],
      updated: [
        { ...usual, detached: true },
        { ...odd, cancel: "none", sending: null },
      ],
    });
  });

  it("is not forgotten with the newest row, which named it", async () => {
    const here = await scene();
    const connection = await here.connect();
    const open = await reportedOpen(here, connection);
    await approved(here, connection);
    await connection.lose();
    skip(JOURNAL_LIFE + DAY);
    await here.crash();
    await here.pass(DAY);
    expect((await here.journal()).map(({ referenceId }) => referenceId)).toEqual([open.referenceId]);
    await here.crash();
    const back = await here.connect({ open: [open.request.requestId] });
    await here.settle(back, open.request);
    const till = await here.tillOfNow();
    expect((await till.inquiry({ referenceId: open.referenceId })).body.statusCode).toBe("00");
  });
});
