/** Which rows a step writes, and what it leaves on the terminal's connection. */
import { describe, it } from "vitest";
import { rowsOf, withShown } from "../../src/terminal/lane/index.ts";
import type { KeptShown, Lane, Transaction } from "../../src/terminal/lane/index.ts";
import type { Stage } from "../../src/protocol/stages.ts";
import { ID, queued } from "./lane/bench.ts";

const NEXT = ID + 1;

const RECEIVED: Stage = { stage: "received", at: 1 };
const SENT: Stage = { stage: "sent", at: 2 };
const ACCEPTED: Stage = { stage: "accepted", at: 3 };
const PIN: Stage = { stage: "pin", at: 4 };

function transaction(members: Partial<Transaction> = {}): Transaction {
  return queued({
    receivedAt: 0,
    endsAt: 90_000,
    state: "sent",
    attempt: 1,
    reached: true,
    stages: [RECEIVED, SENT],
    ...members,
  });
}

function laneOf(...rows: Transaction[]): Lane {
  const current = { number: 7, memory: "one", heardAt: 0, roundTrip: 0, probedAt: null, pingedAt: null };
  const link = { current, lostAt: null, softwareVersion: "1", terminalSn: "2" };
  return { open: new Map(rows.map((row) => [row.requestId, row])), link };
}

/** A step that changes one of the lane's rows. */
function stepOf(before: Transaction, members: Partial<Transaction>, kept: KeptShown | null = null) {
  const after = { ...before, ...members };
  return rowsOf({ changed: [after], lane: laneOf(after) }, laneOf(before), kept);
}

const SHOWN = { state: "accepted", acceptanceProved: true } as const;
const KEPT: KeptShown = { requestId: ID, connection: 7, stagesBefore: 2, stages: [ACCEPTED] };

const manyStages = (count: number) => [RECEIVED, SENT, ACCEPTED, ...Array.from({ length: count - 1 }, () => PIN)];

describe("what a terminal shows of its request", () => {
  it("is kept on its connection, continuing from the row", ({ expect }) => {
    const accepted = { ...SHOWN, stages: [RECEIVED, SENT, ACCEPTED] };
    expect(stepOf(transaction(), accepted)).toEqual({ rows: [], kept: KEPT });
    expect(stepOf(transaction(accepted), { stages: [...accepted.stages, PIN] }, KEPT)).toEqual({
      rows: [],
      kept: { ...KEPT, stages: [ACCEPTED, PIN] },
    });
  });

  it("is no longer kept once its row is written for another reason", ({ expect }) => {
    const accepted = transaction({ ...SHOWN, stages: [RECEIVED, SENT, ACCEPTED] });
    const written = stepOf(accepted, { cancel: "wished" }, KEPT);
    expect(written).toEqual({ rows: [{ ...accepted, cancel: "wished" }], kept: null });
  });

  it("is written if another request's is kept", ({ expect }) => {
    const other = { ...KEPT, requestId: NEXT };
    const { rows, kept } = stepOf(transaction(), { ...SHOWN, stages: [RECEIVED, SENT, ACCEPTED] }, other);
    expect(rows).toHaveLength(1);
    expect(kept).toEqual(other);
  });

  it("is written if the request counted as undelivered before", ({ expect }) => {
    const undelivered = { at: 25_000, responseCode: "NOT_DELIVERED" } as const;
    const shown = { ...SHOWN, undelivered: null, stages: [RECEIVED, SENT, ACCEPTED] };
    expect(stepOf(transaction({ undelivered }), shown).rows).toHaveLength(1);
  });

  it("is written if its connection is no longer the current one", ({ expect }) => {
    const before = transaction();
    const after = { ...before, ...SHOWN, stages: [RECEIVED, SENT, ACCEPTED] };
    const lane = laneOf(after);
    const offline = { ...lane, link: { ...lane.link, current: null } };
    expect(rowsOf({ changed: [after], lane: offline }, laneOf(before), null)).toEqual({
      rows: [after],
      kept: null,
    });
    expect(rowsOf({ changed: [], lane: offline }, lane, KEPT)).toEqual({ rows: [after], kept: null });
    expect(rowsOf({ changed: [], lane: { ...offline, open: new Map() } }, lane, KEPT)).toEqual({
      rows: [],
      kept: null,
    });
  });

  it("is written if it is more than that the terminal accepted the request", ({ expect }) => {
    expect(stepOf(transaction({ state: "pending" }), { state: "accepted" }).rows).toHaveLength(1);
    expect(stepOf(transaction(), { state: "pending" }).rows).toHaveLength(1);
  });

  it("is written once it has more stages than a connection has room for", ({ expect }) => {
    const before = transaction({ ...SHOWN, stages: manyStages(7) });
    const kept = { ...KEPT, stages: manyStages(7).slice(2) };
    expect(stepOf(before, { stages: manyStages(8) }, kept).rows).toEqual([]);
    expect(stepOf(before, { stages: manyStages(9) }, kept).rows).toHaveLength(1);
  });

  it("completes the transaction's row, unless the row was written since", ({ expect }) => {
    const row = transaction();
    expect(withShown(row, KEPT)).toEqual({ ...row, ...SHOWN, stages: [RECEIVED, SENT, ACCEPTED] });
    for (const since of [
      transaction({ stages: [RECEIVED, SENT, SENT] }),
      transaction({ requestId: NEXT }),
      transaction({ state: "pending" }),
      transaction({ undelivered: { at: 25_000, responseCode: "CANCELLED" } }),
    ]) {
      expect(withShown(since, KEPT)).toBe(since);
    }
  });
});
