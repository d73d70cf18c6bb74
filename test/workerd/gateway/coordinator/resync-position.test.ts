/** The order in which a resync reaches the objects. */
import { describe, it } from "vitest";
import { nextPosition, type ResyncPhase } from "../../../../src/gateway/coordinator/resync.ts";
import { STEP_OBJECTS } from "../../../../src/gateway/coordinator/sweep.ts";

/** The steps through this many objects of each phase. */
function stepsThrough(objects: Record<ResyncPhase, number>): string[] {
  const taken: string[] = [];
  let at: ReturnType<typeof nextPosition> = { phase: "created", after: "" };
  while (at.phase !== null) {
    const from = at.after === "" ? 0 : Number(at.after) + 1;
    const count = Math.min(STEP_OBJECTS, objects[at.phase] - from);
    taken.push(`${at.phase} ${from} ${count}`);
    const ids = Array.from({ length: count }, (_, index) => String(from + index));
    at = nextPosition(at.phase, ids);
  }
  return taken;
}

describe("the position of a resync", () => {
  it("reaches what was made lately, then every account and every terminal once", ({ expect }) => {
    expect(stepsThrough({ created: 1, account: 2 * STEP_OBJECTS + 20, terminal: STEP_OBJECTS })).toEqual([
      "created 0 1",
      "account 0 50",
      "account 50 50",
      "account 100 20",
      "terminal 0 50",
      "terminal 50 0",
    ]);
  });
});
