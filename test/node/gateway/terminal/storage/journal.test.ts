/** What the journal stores of a transaction, and how it finds it again. */
import { describe, it } from "vitest";
import { Outbox } from "../../../../../src/gateway/durable/storage/outbox.ts";
import type { LaneTransaction } from "../../../../../src/gateway/terminal/lane/index.ts";
import { enqueueOutcome } from "../../../../../src/gateway/terminal/outcomes.ts";
import { Journal, JOURNAL_PRUNE_ROWS } from "../../../../../src/gateway/terminal/storage/journal.ts";
import { TERMINAL_MIGRATIONS } from "../../../../../src/gateway/terminal/storage/schema.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { completed, ID, NOW, pending, queued } from "../../../../support/gateway/terminal/lane/bench.ts";

/** A sale, as this version stores it. Rows are kept for 400 days: if this changes, give the new form a new number. */
const STORED =
  '{"format":1,"terms":{"transAmt":"12.50","paymentMethod":"bankCard"},"details":{"note":"table 4"},"frozen":{"merchantId":"M-1","currency":"MYR","timezone":"UTC","transAmt":"12.50"},"endsAt":1795371564164,"outcome":{"statusCode":"00","responseCode":"00","softwareVersion":"2.4.1","terminalSn":"SN-1"},"completedBy":"terminal","revision":1,"stages":[["received",1795371474189],["completed",1795371489605]]}';

const SALE = completed("00", {
  terms: { transAmt: "12.50", paymentMethod: "bankCard" },
  details: { note: "table 4" },
  frozen: { merchantId: "M-1", currency: "MYR", timezone: "UTC", transAmt: "12.50" },
  endsAt: 1_795_371_564_164,
  outcome: { statusCode: "00", responseCode: "00", softwareVersion: "2.4.1", terminalSn: "SN-1" },
  completedBy: "terminal",
  revision: 1,
  stages: [
    { stage: "received", at: 1_795_371_474_189 },
    { stage: "completed", at: 1_795_371_489_605 },
  ],
  sending: null,
  acceptanceProved: false,
});

describe("a transaction in the journal", () => {
  it("is stored in a form that is read for 400 days", ({ expect }) => {
    const sql = memoryStorage(TERMINAL_MIGRATIONS);
    const journal = new Journal(sql);
    journal.insert(SALE);
    expect(sql.exec<{ body: string }>("SELECT body FROM transactions").one().body).toBe(STORED);
    expect(journal.byRequestId(SALE.requestId)).toEqual(SALE);
  });

  it("is not read if its format is unknown", ({ expect }) => {
    const sql = memoryStorage(TERMINAL_MIGRATIONS);
    const journal = new Journal(sql);
    journal.insert(SALE);
    sql.exec("UPDATE transactions SET body = replace(body, '\"format\":1', '\"format\":2')");
    expect(() => journal.byRequestId(SALE.requestId)).toThrow("format 2");
  });

  it("is stored without what only its delivery needed", ({ expect }) => {
    const journal = new Journal(memoryStorage(TERMINAL_MIGRATIONS));
    const sending = { connection: 1, memory: "m", at: NOW, deliverBy: NOW };
    const transaction = completed("00", { sending, acceptanceProved: true });
    journal.insert(transaction);
    const kept = { ...transaction, sending: null, acceptanceProved: false };
    expect(journal.byRequestId(transaction.requestId)).toEqual(kept);
  });

  it("comes back as it was written, with members that most rows lack", ({ expect }) => {
    const journal = new Journal(memoryStorage(TERMINAL_MIGRATIONS));
    const odd: LaneTransaction = pending({
      sending: { connection: 3, memory: "m", at: 1, deliverBy: 2 },
      acceptanceProved: true,
      cancel: "wished",
      undelivered: { at: 5, responseCode: "NOT_DELIVERED" },
      ended: true,
      detached: true,
      askedAt: 6,
      outcome: { statusCode: "22", responseCode: "09", softwareVersion: "1", terminalSn: "2" },
      completedBy: "operator",
      revision: 3,
    });
    journal.insert(odd);
    expect([...journal.open().values()]).toEqual([odd]);
    const changed: LaneTransaction = { ...odd, cancel: "none", sending: null };
    journal.update(changed, odd);
    expect([...journal.open().values()]).toEqual([changed]);
  });
});

describe("transactions that are open", () => {
  it("are those that are not completed, the oldest first", ({ expect }) => {
    const journal = new Journal(memoryStorage(TERMINAL_MIGRATIONS));
    const states = ["pending", "completed", "sent", "accepted", "queued"] as const;
    const numbers = states.map((_, index) => ID + states.length - index);
    for (const [index, state] of states.entries()) {
      const requestId = numbers[index] ?? 0;
      const completedAt = state === "completed" ? NOW : null;
      journal.insert(queued({ requestId, referenceId: `R-${requestId}`, state, completedAt }));
    }
    expect([...journal.open().keys()]).toEqual([ID + 1, ID + 2, ID + 3, ID + 5]);
    const sent = queued({ requestId: ID + 3, state: "sent" });
    journal.update({ ...sent, state: "completed", completedAt: NOW }, sent);
    expect([...journal.open().keys()]).toEqual([ID + 1, ID + 2, ID + 5]);
  });
});

describe("the newest transaction that reached the terminal", () => {
  it("is the account's own, and no tombstone", ({ expect }) => {
    const journal = new Journal(memoryStorage(TERMINAL_MIGRATIONS));
    const add = (requestId: number, posId: string, members: Partial<LaneTransaction>): void =>
      journal.insert(completed("00", { requestId, referenceId: `R-${requestId}`, posId, ...members }));
    const newest = (posId: string) => journal.newestThatReached(posId)?.requestId ?? null;
    expect(newest("one")).toBeNull();
    add(1, "one", { reached: true });
    add(2, "one", { reached: true });
    add(3, "other", { reached: true });
    add(4, "one", { reached: false });
    add(5, "one", { reached: true, transType: null });
    expect([newest("one"), newest("other"), newest("third")]).toEqual([2, 3, null]);
    // It was refused after all.
    const second = completed("00", { requestId: 2, posId: "one", reached: true });
    journal.update({ ...second, reached: false }, second);
    expect(newest("one")).toBe(1);
  });
});

describe("the voids of a transaction", () => {
  it("are those that were not refused at once, the oldest first", ({ expect }) => {
    const journal = new Journal(memoryStorage(TERMINAL_MIGRATIONS));
    const members = { transType: "void", terms: { transId: String(ID) } } as const;
    for (const requestId of [ID + 1, ID + 2]) {
      journal.insert(queued({ ...members, requestId, referenceId: `R-${requestId}` }));
    }
    journal.insert(completed("11", { ...members, requestId: ID + 3, referenceId: "refused" }));
    journal.insert(queued({ requestId: ID + 4, referenceId: "a sale" }));
    expect(journal.listVoids(ID).map(({ requestId }) => requestId)).toEqual([ID + 1, ID + 2]);
  });
});

describe("a step that deletes old rows", () => {
  const OLD = NOW - 1;

  /** Completed rows from 1 on: two of another account, and the others of `former`. */
  function filled(rows: number, receivedAt = OLD) {
    const sql = memoryStorage(TERMINAL_MIGRATIONS);
    const journal = new Journal(sql);
    for (const [requestId, posId] of [
      [1, "other"],
      [2, "other"],
      [3, "former"],
    ] as const) {
      const named = { requestId, referenceId: `R-${requestId}`, posId };
      journal.insert(completed("00", { ...named, receivedAt, completedAt: receivedAt }));
    }
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO transactions SELECT i, pos_id, i, trans_type, state, attempt, reached, received_at, completed_at,
         voids, body FROM n, transactions WHERE request_id = 3`,
      rows,
    );
    const read = (query: string) =>
      sql
        .exec<{ value: number }>(query)
        .toArray()
        .map(({ value }) => value);
    return {
      sql,
      journal,
      read,
      numbers: () => read("SELECT request_id AS value FROM transactions ORDER BY request_id"),
    };
  }

  it("goes on after its last row, and keeps what is not recorded", ({ expect }) => {
    const { sql, journal, read, numbers } = filled(JOURNAL_PRUNE_ROWS + 1);
    enqueueOutcome(new Outbox(sql, () => "T-1"), completed("00", { requestId: 3, posId: "former" }), NOW);
    for (const [requestId, as] of [
      [1, "conflict"],
      [2, "orphan"],
      [3, "evidence"],
    ] as const) {
      sql.exec("INSERT INTO reports (request_id, kept_as, kept_at, body) VALUES (?, ?, 0, '{}')", requestId, as);
    }
    expect(journal.prune(NOW, 0)).toBe(JOURNAL_PRUNE_ROWS);
    expect(numbers()).toEqual([3, JOURNAL_PRUNE_ROWS + 1]);
    expect(read("SELECT request_id AS value FROM reports")).toEqual([2, 3]);
    expect(journal.prune(NOW, JOURNAL_PRUNE_ROWS)).toBeNull();
    expect(numbers()).toEqual([3]);
  });

  it("deletes no row of the given moment, and ends there", ({ expect }) => {
    const { journal, numbers } = filled(JOURNAL_PRUNE_ROWS, NOW);
    expect(journal.prune(NOW, 0)).toBeNull();
    expect(numbers()).toHaveLength(JOURNAL_PRUNE_ROWS);
  });
});
