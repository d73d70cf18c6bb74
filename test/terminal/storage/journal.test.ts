/** The bytes in which a completed transaction is stored. Rows of this format are kept for 400 days: it only ever grows. */
import { describe, it } from "vitest";
import { PROGRESS_STAGES } from "../../../src/protocol/frames.ts";
import { Journal } from "../../../src/terminal/storage/journal.ts";
import { MIGRATIONS } from "../../../src/terminal/storage/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { completed, NOW } from "../lane/bench.ts";

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
});
