/** The keeper's walk through all objects after a restore of D1. */
import { describe, it } from "vitest";
import { FIRST_STEP, nextStep, type Walk, type WalkKind } from "../../src/keeper/round.ts";

const PAGE = 50;

/** Walks through this many objects of each kind, of which so many are behind in each walk; lists the steps. */
function walk(objects: Record<WalkKind, number>, behind: readonly number[]): unknown[] {
  const steps: unknown[] = [];
  let at: Walk = FIRST_STEP;
  for (let walks = 0; at.kind !== null && steps.length < 100;) {
    const { kind, after } = at;
    const from = after === "" ? 0 : Number(after) + 1;
    const ids = Array.from({ length: Math.min(PAGE, objects[kind] - from) }, (_, index) => String(from + index));
    steps.push(`${kind} ${from} ${ids.length}`);
    const missed = kind === "account" && from === 0 ? (behind[walks++] ?? 0) : 0;
    const page = ids.map((id) => ({ id, generation: "" }));
    at = nextStep(at, page, page.length === PAGE, missed);
  }
  return [...steps, at];
}

const OVER: Walk = { kind: null, after: "", missed: 0 };

describe("the walk", () => {
  it("looks at what was made lately, then at every account and every terminal once, also where a page is just full", ({
    expect,
  }) => {
    expect(walk({ created: 1, account: 120, terminal: 50 }, [])).toEqual([
      "created 0 1",
      "account 0 50",
      "account 50 50",
      "account 100 20",
      "terminal 0 50",
      "terminal 50 0",
      OVER,
    ]);
  });

  it("is repeated until it finds no object that is behind", ({ expect }) => {
    const once = ["created 0 0", "account 0 1", "terminal 0 0"];
    expect(walk({ created: 0, account: 1, terminal: 0 }, [1, 1, 0])).toEqual([...once, ...once, ...once, OVER]);
  });
});
