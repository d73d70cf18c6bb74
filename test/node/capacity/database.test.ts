import { describe, it } from "vitest";
import { Database } from "../../capacity/simulation/database.ts";
import { Series } from "../../capacity/simulation/series.ts";

function database() {
  const series = new Series(1_000, 10_000);
  return { series, d1: new Database({ read: 1, write: 2, patience: 3 }, series) };
}

describe("the simulated D1", () => {
  it("answers one call after the other, writes more slowly, and says when", ({ expect }) => {
    const { d1 } = database();
    expect([d1.call(10, 1, 0), d1.call(10, 0, 1), d1.call(10, 0, 0), d1.call(20, 1, 1)]).toEqual([11, 13, 10, 23]);
  });

  it("refuses what would wait for too long, and accepts calls again when the queue is shorter", ({ expect }) => {
    const { d1, series } = database();
    const answers = Array.from({ length: 6 }, () => d1.call(10, 1, 0));
    expect(answers).toEqual([11, 12, 13, 14, null, null]);
    expect(d1.call(12, 1, 0)).toBe(15);
    expect([series.total("d1Calls"), series.total("d1Refused"), series.total("d1Busy")]).toEqual([7, 2, 5]);
  });

  it("counts its busy time in the steps in which it is busy", ({ expect }) => {
    const { d1, series } = database();
    d1.call(999, 0, 1);
    expect(series.of("d1Busy", 2)).toEqual([1, 1]);
  });
});
