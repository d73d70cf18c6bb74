/** The bytes in which a completed transaction is stored. Rows of this format are kept for 400 days: it only ever grows. */
import { describe, it } from "vitest";
import { PROGRESS_STAGES } from "../../../src/protocol/frames.ts";
import { PRUNE_ROWS } from "../../../src/terminal/limits.ts";
import { Journal, STORED_TRANSACTIONS } from "../../../src/terminal/storage/journal.ts";
import { MIGRATIONS } from "../../../src/terminal/storage/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { completed, ID, NOW, queued } from "../lane/bench.ts";

const LANE_STAGES = ["received", "queued", "sent", "accepted", "pending", "completed"];

function stored(stageNames: readonly string[]) {
  const sql = memoryStorage(MIGRATIONS);
  const journal = new Journal(sql);
  const stages = stageNames.map((stage, index) => ({ stage, at: NOW + index * 10 }));
  // A completed row stores nothing of its delivery.
  const transaction = completed("00", { stages, sending: null, acceptanceProved: false });
  journal.insert(transaction, []);
  const { body } = sql.exec<{ body: string }>("SELECT body FROM transactions").one();
  return { body, transaction, read: journal.byRequestId(transaction.requestId) };
}

const TRANSACTION =
  '{"terms":{"transAmt":"12.50","paymentMethod":"bankCard"},"details":{"note":"table 4","printCount":2},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50"},"endsAt":1795371564164,"outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"VISA","transAmt":"12.50","transDateTime":"2026-11-23T02:17:54","currency":"MYR","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"completedBy":"terminal","revision":1,"stages":[0,1795371474189,2,0,3,314,5,15102]}';

const WHOLE_TRANSACTION =
  '{"terms":{"transAmt":"12.50","cashAmt":"2.00","paymentMethod":"bankCard","paymentChannel":"VISA","transId":"1004821376"},"details":{"referenceLabel":"R-1","productIndex":"2","promoSale":"Y","note":"table 4","printCount":2,"metadata":{"till":1},"invNo":"000122"},"frozen":{"merchantId":"M-9000123","currency":"MYR","timezone":"Asia/Kuala_Lumpur","transAmt":"12.50","cashAmt":"2.00","paymentMethod":"bankCard"},"endsAt":1795371564164,"cancel":"asked","undelivered":true,"ended":true,"detached":false,"askedAt":1795371564165,"pendingReason":"TIMED_OUT","outcome":{"statusCode":"00","responseCode":"00","responseText":"Approved.","softwareVersion":"2.4.1","terminalSn":"SN-8812345","transData":{"transId":"1004821377","paymentChannel":"MASTER","transAmt":"12.51","cashAmt":"2.01","transDateTime":"2026-11-23T02:17:54","currency":"SGD","invNo":"000123","tid":"10421001","mid":"000012345678901","metadata":{"till":2},"cardNo":"************4211","batchNo":"000017","entryMode":"Contactless","rrn":"632718451203","apprCode":"A8F231","tvr":"0000008000","appCrypt":"1F8B4C7729AA03D1","aid":"A0000000031010","cvmType":"00","cardLabel":"VISA DEBIT","cardHoldersName":"LIM MEI LING"}},"completedBy":"operator","resolvedBy":"ops","revision":2,"stages":[0,1795371474189]}';

describe("a completed transaction in the journal", () => {
  it("stores each stage as its fixed place in a list, and reads it back", ({ expect }) => {
    const { body, read, transaction } = stored([...LANE_STAGES, ...PROGRESS_STAGES]);
    const places = [0, ...Array.from({ length: 11 }, (_, index) => [index + 1, 10]).flat()];
    expect(body).toContain(`[${places[0]},${NOW},${places.slice(1).join(",")}]`);
    expect(read).toEqual(transaction);
  });

  it("stores a stage that the list does not have by its name", ({ expect }) => {
    const { read, body, transaction } = stored(["received", "levitating"]);
    expect(body).toContain('"levitating"');
    expect(read).toEqual(transaction);
  });

  it("is stored without what only its delivery needed", ({ expect }) => {
    const journal = new Journal(memoryStorage(MIGRATIONS));
    const sending = { connection: 1, memory: "m", at: NOW, deliverBy: NOW };
    const transaction = completed("00", { sending, acceptanceProved: true });
    journal.insert(transaction, []);
    const kept = { ...transaction, sending: null, acceptanceProved: false };
    expect(journal.byRequestId(transaction.requestId)).toEqual(kept);
  });

  // If it fails, rows that exist would be read as something else. Add a layout at the end instead.
  it.for([
    [
      "a sale",
      '1[5104,[26,"12.50","bankCard"],[103,"table 4",2],[48,"M-9000123","MYR","Asia/Kuala_Lumpur","12.50"],1795371564164,[0,"00","00","Approved.","2.4.1","SN-8812345",[520,"1004821377","VISA","12.50","2026-11-23T02:17:54","MYR","000123","10421001","000012345678901","************4211","000017","Contactless","632718451203","A8F231","0000008000","1F8B4C7729AA03D1","A0000000031010","00","VISA DEBIT","LIM MEI LING"]],"terminal",1,[0,1795371474189,2,0,3,314,5,15102]]',
      TRANSACTION,
    ],
    [
      "one with every member",
      '1[0,[0,"12.50","2.00","bankCard","VISA","1004821376"],[0,"R-1","2","Y","table 4",2,{"till":1},"000122"],[0,"M-9000123","MYR","Asia/Kuala_Lumpur","12.50","2.00","bankCard"],1795371564164,"asked",true,true,false,1795371564165,"TIMED_OUT",[0,"00","00","Approved.","2.4.1","SN-8812345",[0,"1004821377","MASTER","12.51","2.01","2026-11-23T02:17:54","SGD","000123","10421001","000012345678901",{"till":2},"************4211","000017","Contactless","632718451203","A8F231","0000008000","1F8B4C7729AA03D1","A0000000031010","00","VISA DEBIT","LIM MEI LING"]],"operator","ops",2,[0,1795371474189]]',
      WHOLE_TRANSACTION,
    ],
  ])("is read as it was stored by an earlier version: %s", ([, text = "", record = ""], { expect }) => {
    expect(STORED_TRANSACTIONS.unpack(text)).toEqual(JSON.parse(record));
    expect(STORED_TRANSACTIONS.pack(JSON.parse(record) as object)).toBe(text);
  });
});

describe("the voids of a transaction", () => {
  it("are those that were not refused at once, the oldest first", ({ expect }) => {
    const journal = new Journal(memoryStorage(MIGRATIONS));
    const members = { transType: "void", terms: { transId: String(ID) } } as const;
    for (const requestId of [ID + 1, ID + 2]) {
      journal.insert(queued({ ...members, requestId, referenceId: `R-${requestId}` }), []);
    }
    journal.insert(completed("11", { ...members, requestId: ID + 3, referenceId: "refused" }), []);
    journal.insert(queued({ requestId: ID + 4, referenceId: "a sale" }), []);
    expect(journal.voidsOf(ID).map(({ requestId }) => requestId)).toEqual([ID + 1, ID + 2]);
  });
});

describe("a step that deletes old rows", () => {
  const OLD = NOW - 1;

  /** Completed rows from 1 on: two of another account, and the others of `former`. */
  function filled(rows: number, receivedAt = OLD) {
    const sql = memoryStorage(MIGRATIONS);
    const journal = new Journal(sql);
    for (const [requestId, posId] of [
      [1, "other"],
      [2, "other"],
      [3, "former"],
    ] as const) {
      const named = { requestId, referenceId: `R-${requestId}`, posId };
      journal.insert(completed("00", { ...named, receivedAt, completedAt: receivedAt }), []);
    }
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO transactions SELECT i, pos_id, i, trans_type, state, attempt, reached, received_at, voids, body,
         open_before, reached_before, completed_at FROM n, transactions WHERE request_id = 3`,
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

  it("goes on after its last row, keeps what is named, and forgets reports and newest rows of what is gone", ({
    expect,
  }) => {
    const { sql, journal, read, numbers } = filled(PRUNE_ROWS + 1);
    for (const [requestId, as] of [
      [1, "conflict"],
      [2, "stray"],
      [3, "evidence"],
    ] as const) {
      sql.exec("INSERT INTO reports (request_id, kept_as, kept_at, body) VALUES (?, ?, 0, '{}')", requestId, as);
    }
    expect(read("SELECT request_id AS value FROM newest_rows")).toEqual([2]);
    expect(journal.prune(NOW, 0, [3])).toBe(PRUNE_ROWS);
    expect(numbers()).toEqual([3, PRUNE_ROWS + 1]);
    expect(read("SELECT request_id AS value FROM reports")).toEqual([2, 3]);
    expect(read("SELECT request_id AS value FROM newest_rows")).toEqual([]);
    expect(journal.prune(NOW, PRUNE_ROWS, [3])).toBeNull();
    expect(numbers()).toEqual([3]);
  });

  it("deletes no row of that moment, and does not go on after it", ({ expect }) => {
    const { journal, numbers } = filled(PRUNE_ROWS, NOW);
    expect(journal.prune(NOW, 0, [])).toBeNull();
    expect(numbers()).toHaveLength(PRUNE_ROWS);
  });
});
