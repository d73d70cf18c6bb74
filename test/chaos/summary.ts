import type { Violation } from "./check/check.ts";
import type { Verdict } from "./check/judge.ts";

const WORDS = {
  held: "Every promise is kept",
  violated: "Promises are broken",
  "not checked": "Nothing is broken, but not everything was checked",
} as const;

/** Of each sentence that was contradicted. The report has more of them. */
const SHOWN = 2;

/** Of an entry of the journal, in characters. */
const ENTRY_LENGTH = 800;

/**
 * A verdict in a line. For each sentence that was contradicted, the first violations with their entries: where the report is
 * gone, as after a test, this is all that is left of them.
 */
export function summaryOf({ outcome, checks, unchecked }: Verdict): string {
  const made = checks.reduce((sum, check) => sum + check.made, 0);
  const broken = checks
    .filter(({ violations }) => violations.length > 0)
    .flatMap(({ promise, says, violations }) => [
      `  ${promise}, ${violations.length} times: ${says}`,
      ...violations.slice(0, SHOWN).flatMap(detailsOf),
    ]);
  const without = unchecked.length === 0 ? "" : `, and nothing to check of ${unchecked.join(", ")}`;
  return [`${WORDS[outcome]}: ${made} checks${without}.`, ...broken].join("\n");
}

function detailsOf({ says, lines }: Violation): string[] {
  return [`    ${says}`, ...lines.map((line) => `      ${JSON.stringify(line).slice(0, ENTRY_LENGTH)}`)];
}
