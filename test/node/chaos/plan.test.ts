/** What a seed decides. */
import { describe, it } from "vitest";
import { FAULTS, OPERATOR_ACTIONS } from "../../chaos/journal.ts";
import { planOf, type Step } from "../../chaos/plan.ts";
import { streamOf } from "../../chaos/random.ts";

const FIVE_MINUTES = 300_000;

function kindsOf(steps: readonly Step[]): string[] {
  return steps.map(({ kind }) => kind);
}

function told(seed: number): unknown {
  return planOf(streamOf(seed), FIVE_MINUTES, []).map(({ at, kind, random }) => [at, kind, random.next()]);
}

describe("the plan of a chaos run", () => {
  it("follows from the seed alone", ({ expect }) => {
    expect(told(1)).toEqual(told(1));
    expect(told(1)).not.toEqual(told(2));
  });

  it("has every fault and every action of the operator within five minutes", ({ expect }) => {
    // What is suspended is resumed in the same go.
    const all = Object.keys({ ...FAULTS, ...OPERATOR_ACTIONS });
    const wanted = all.filter((kind) => kind !== "resume").toSorted();
    for (let seed = 1; seed <= 20; seed++) {
      const kinds = new Set(kindsOf(planOf(streamOf(seed), FIVE_MINUTES, [])));
      expect([...kinds].toSorted()).toEqual(wanted);
    }
  });

  it("leaves out what the machine cannot do", ({ expect }) => {
    expect(kindsOf(planOf(streamOf(1), FIVE_MINUTES, ["disk"]))).not.toContain("disk");
  });

  it("is in the order of time and ends with its time", ({ expect }) => {
    const times = planOf(streamOf(7), FIVE_MINUTES, []).map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(Math.max(...times)).toBeLessThan(FIVE_MINUTES);
  });
});
