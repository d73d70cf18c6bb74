/** The checker finds nothing in runs in which every promise was kept. */
import * as fc from "fast-check";
import { describe, it } from "vitest";
import { judge } from "../../chaos/check/judge.ts";
import { report, summaryOf } from "../../chaos/check/report.ts";
import { correctDay } from "./correct-day.ts";
import * as scenes from "./scenes.ts";
import { ACCOUNTS, Story } from "./story.ts";

/** Plays an account's scenes one after the other, and those of the accounts mixed. */
const STEP = fc.record({
  scene: fc.constantFrom(
    "answered",
    "lostAnswer",
    "pending",
    "refused",
    "cancelled",
    "power",
    "memory",
    "decided",
    "inquiry",
    "getLast",
    "void",
  ),
  status: fc.constantFrom("00", "11"),
  cents: fc.integer({ min: 1, max: 99_999 }),
  deliveries: fc.array(fc.constantFrom("taken", "refused", "again"), { maxLength: 3 }),
});

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

function* shop(story: Story, posId: string, steps: readonly Step[]): scenes.Scene {
  for (const [index, step] of steps.entries()) {
    yield* play(story, posId, step, `R${index}`);
    for (const delivery of step.deliveries) {
      if (delivery === "again") story.deliverAgain(posId);
      else story.deliver(posId, delivery === "taken" ? 204 : 503);
    }
    if (index % 4 === 3) story.readFeed(posId, Math.max(0, (story.feeds.get(posId)?.length ?? 0) - 3));
  }
}

function play(story: Story, posId: string, { scene, status, cents }: Step, referenceId: string): scenes.Scene {
  const asked = scenes.sale(posId, referenceId, (cents / 100).toFixed(2));
  const approved = [...story.transactions.values()].find(
    (one) => one.posId === posId && one.transType === "sale" && one.status === "00" && one.completedBy === "terminal",
  );
  switch (scene) {
    case "answered":
      return scenes.answered(story, asked, status);
    case "lostAnswer":
      return scenes.lostAnswer(story, asked, status);
    case "pending":
      return scenes.pending(story, asked, status);
    case "refused":
      return scenes.refusedByTerminal(story, asked);
    case "cancelled":
      return scenes.cancelledBefore(story, asked);
    case "power":
      return scenes.powerLost(story, asked, status);
    case "memory":
      return scenes.memoryLost(story, asked, cents % 2 === 0 ? status : null);
    case "decided":
      return scenes.decidedMeanwhile(story, asked);
    case "inquiry":
      return approved === undefined
        ? scenes.getLast(story, posId, referenceId)
        : scenes.inquiry(story, approved, referenceId);
    case "getLast":
      return scenes.getLast(story, posId, referenceId);
    default:
      return approved === undefined || approved.voidedBy !== null
        ? scenes.answered(story, asked, "00")
        : scenes.voidOf(story, posId, approved.referenceId, referenceId);
  }
}

describe("the judgement of a correct run", () => {
  it("finds nothing in any mix of payments, lost answers, power cuts, decisions and deliveries", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.array(STEP, { maxLength: 12 }),
        fc.array(STEP, { maxLength: 12 }),
        fc.infiniteStream(fc.nat({ max: 1 })),
        (one, other, turns) => {
          const story = new Story();
          const shops = [shop(story, ACCOUNTS[0], one), shop(story, ACCOUNTS[1], other)];
          const open = new Set(shops);
          for (const turn of turns) {
            const next = shops[turn];
            if (next?.next().done === true) open.delete(next);
            if (open.size === 0) break;
          }
          story.close();
          const { checks } = judge(story.entries);
          expect(checks.flatMap(({ violations }) => violations.map(({ says }) => says))).toEqual([]);
        },
      ),
    );
  });

  it("makes every check on a day with everything that the checks are about", ({ expect }) => {
    const { outcome, checks } = judge(correctDay());
    expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
    expect(checks.filter(({ made }) => made === 0).map(({ says }) => says)).toEqual([]);
    expect(outcome).toBe("held");
  });

  it("is not positive for a journal in which nothing happened", ({ expect }) => {
    const { outcome, unchecked, checks } = judge([]);
    expect([outcome, unchecked]).toEqual(["not checked", checks]);
  });

  it("is not positive for a run in which a single sentence got no chance, which its last line counts", ({ expect }) => {
    const verdict = judge(correctDay().filter(({ kind }) => kind !== "terminal.contradicted"));
    expect(verdict.unchecked.map(({ says }) => says)).toEqual([
      "A terminal's second, contrary result changes nothing that anybody is told.",
    ]);
    const { length } = verdict.checks;
    expect(summaryOf(verdict).split("\n").at(-1)).toMatch(
      new RegExp(
        `^Nothing is broken, but not everything was checked: \\d+ checks, 1 of ${length} sentences not checked`,
      ),
    );
  });

  it("is not positive for a run that ended before its faults did", ({ expect }) => {
    const entries = correctDay();
    const quiet = entries.findIndex(({ kind }) => kind === "quiet.began");
    const { outcome, isComplete } = judge(entries.slice(0, quiet));
    expect([outcome, isComplete]).toEqual(["not checked", false]);
  });

  it("finds nothing in a run that was cut off anywhere", ({ expect }) => {
    const entries = correctDay();
    for (let length = 0; length < entries.length; length += 1) {
      const { checks } = judge(entries.slice(0, length));
      expect(checks.flatMap(({ violations }) => violations.map(({ says }) => says))).toEqual([]);
    }
  });
});

describe("the figures of a run", () => {
  it("count a fault that never ended up to the run's last entry", ({ expect }) => {
    const verdict = judge([
      { at: 4_000, kind: "fault.began", fault: "kill", id: 1 },
      { at: 6_000, kind: "fault.ended", fault: "kill", id: 1 },
      { at: 7_000, kind: "fault.began", fault: "kill", id: 2 },
      { at: 10_000, kind: "quiet.began" },
    ]);
    expect(report(verdict)).toMatch(/^\| The gateway is killed .* \| 2 \| 5 \|$/mu);
  });
});
