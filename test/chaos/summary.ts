import type { Verdict } from "./check/judge.ts";

const WORDS = {
  held: "Every promise is kept",
  violated: "Promises are broken",
  "not checked": "Nothing is broken, but not everything was checked",
} as const;

/** A verdict in a line, and a line for each sentence that was contradicted. */
export function summaryOf({ outcome, checks, unchecked }: Verdict): string {
  const made = checks.reduce((sum, check) => sum + check.made, 0);
  const broken = checks
    .filter(({ violations }) => violations.length > 0)
    .map(({ promise, says, violations }) => `  ${promise}, ${violations.length} times: ${says}`);
  const without = unchecked.length === 0 ? "" : `, and nothing to check of ${unchecked.join(", ")}`;
  return [`${WORDS[outcome]}: ${made} checks${without}.`, ...broken].join("\n");
}
