/** How long the parts of a transaction took, of its stages. */
import { describe, it } from "vitest";
import type { Stage } from "../../../../src/protocol/stages.ts";
import type { LaneTransaction } from "../../../../src/gateway/terminal/lane/index.ts";
import { measureTimes } from "../../../../src/gateway/terminal/record-entry.ts";
import { queued } from "../../../support/gateway/terminal/lane/bench.ts";

/** A sale that arrived at second 1, with these stages. */
function sale(stages: [stage: string, at: number][], members: Partial<LaneTransaction> = {}): LaneTransaction {
  return queued({
    receivedAt: 1_000,
    endsAt: 91_000,
    state: "completed",
    attempt: 1,
    reached: true,
    completedBy: "terminal",
    stages: stages.map(([stage, at]): Stage => ({ stage, at })),
    ...members,
  });
}

describe("the times of a transaction", () => {
  it("are those between its stages if it goes straight through", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 1_012],
      ["sent", 1_012],
      ["accepted", 1_100],
      ["present", 2_000],
      ["completed", 16_100],
    ];
    expect(measureTimes(sale(stages))).toEqual({ gateway: 12, delivery: 88, customer: 15_000 });
  });

  it("leave the wait for its terminal out of the gateway's share", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 1_004],
      ["queued", 1_004],
      ["sent", 6_004],
      ["sent", 9_004],
      ["accepted", 9_050],
      ["completed", 10_050],
    ];
    expect(measureTimes(sale(stages))).toEqual({ gateway: 4, delivery: 46, customer: 1_000 });
  });

  it("contain only the gateway's share if it is never sent", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 1_003],
      ["completed", 11_003],
    ];
    expect(measureTimes(sale(stages, { completedBy: "gateway" }))).toEqual({ gateway: 3 });
  });

  it("exclude the customer's time if it was 22 for a while", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 1_003],
      ["sent", 1_003],
      ["accepted", 1_053],
      ["pending", 20_000],
      ["completed", 900_000],
    ];
    expect(measureTimes(sale(stages))).toEqual({ gateway: 3, delivery: 50 });
  });

  it("exclude the customer's time if the terminal denies having begun", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 1_003],
      ["sent", 1_003],
      ["accepted", 1_053],
      ["completed", 9_000],
    ];
    expect(measureTimes(sale(stages, { completedBy: "gateway" }))).toEqual({ gateway: 3, delivery: 50 });
  });

  it("are never negative, even if the clocks of two machines differ", ({ expect }) => {
    const stages: [string, number][] = [
      ["received", 990],
      ["sent", 990],
      ["completed", 5_000],
    ];
    expect(measureTimes(sale(stages))).toEqual({ gateway: 0 });
  });
});
