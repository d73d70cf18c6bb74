/** Judges a run by its journal and the contracts alone, and shares no code with the gateway. */
import { History, type Line } from "./history.ts";
import { RULES } from "./rules.ts";

export interface Rule {
  promise: string;
  says: string;
  /** How often the run was held against it. 0: not checked. */
  made: number;
  violations: { says: string; lines: Line[] }[];
}

export interface Verdict {
  /** `unchecked`: nothing is broken, but the run did not reach its end, or gave no chance to break some rule. */
  outcome: "held" | "violated" | "unchecked";
  rules: readonly Rule[];
  history: History;
}

export const EXIT = { held: 0, violated: 1, unchecked: 3 } as const;

export function judge(journal: string): Verdict {
  const history = new History(journal);
  const rules = Object.entries(RULES).flatMap(([promise, checks]) =>
    Object.entries(checks).map(([says, check]): Rule => {
      const rule: Rule = { promise, says, made: 0, violations: [] };
      check(history, (isTrue, why, ...lines) => {
        rule.made += 1;
        if (!isTrue) rule.violations.push({ says: why, lines: lines.flatMap((line) => line ?? []) });
      });
      return rule;
    }),
  );
  const isBroken = rules.some(({ violations }) => violations.length > 0);
  const isWhole = history.isComplete && rules.every(({ made }) => made > 0);
  return { outcome: isBroken ? "violated" : isWhole ? "held" : "unchecked", rules, history };
}
