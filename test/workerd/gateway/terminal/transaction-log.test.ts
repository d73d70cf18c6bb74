/** What the log says of a transaction, and how long each part of it took. */
import { describe, it } from "vitest";
import type { LaneTransaction } from "../../../../src/gateway/terminal/lane/index.ts";
import { transactionLines } from "../../../../src/gateway/terminal/transaction-log.ts";
import { queued } from "../../../support/gateway/terminal/lane/bench.ts";

/** Received at 1000, sent twice, accepted at 1500; it ends at 91000. */
const ACCEPTED = queued({
  receivedAt: 1_000,
  endsAt: 91_000,
  state: "accepted",
  attempt: 2,
  reached: true,
  stages: [
    { stage: "received", at: 1_000 },
    { stage: "sent", at: 1_100 },
    { stage: "sent", at: 1_300 },
    { stage: "accepted", at: 1_500 },
  ],
});

const timesOf = (before: LaneTransaction | undefined, after: LaneTransaction) =>
  transactionLines(before, after).map(({ stage, sentAfter, acceptedAfter, sinceReceived, sinceLastStage }) => [
    stage,
    sentAfter,
    acceptedAfter,
    sinceReceived,
    sinceLastStage,
  ]);

describe("a transaction's line in the log", () => {
  it("counts from the stage before it, even with later ones", ({ expect }) => {
    const stages: LaneTransaction["stages"] = [
      ...ACCEPTED.stages,
      { stage: "pending", at: 4_000 },
      { stage: "completed", at: 9_000 },
    ];
    const completed = { ...ACCEPTED, state: "completed", stages } as const;
    expect(timesOf(ACCEPTED, completed)).toEqual([
      ["pending", 300, 500, 3_000, 2_500],
      ["completed", 300, 500, 8_000, 5_000],
    ]);
    // What was logged before is not logged again.
    expect(timesOf({ ...ACCEPTED, state: "pending", stages: stages.slice(0, -1) }, completed)).toHaveLength(1);
  });

  it("counts a stage of the same moment as before it", ({ expect }) => {
    const stages: LaneTransaction["stages"] = [...ACCEPTED.stages, { stage: "completed", at: 1_500 }];
    expect(timesOf(ACCEPTED, { ...ACCEPTED, state: "completed", stages })).toEqual([["completed", 300, 500, 500, 0]]);
  });

  it("says once that its end has passed, and counts to that end", ({ expect }) => {
    const ended = { ...ACCEPTED, ended: true };
    expect(timesOf(ACCEPTED, ended)).toEqual([["overdue", 300, 500, 90_000, 89_500]]);
    expect(timesOf(ended, { ...ended, revision: 2 })).toEqual([]);
    expect(timesOf(ACCEPTED, { ...ended, state: "pending" })).toEqual([]);
  });
});
