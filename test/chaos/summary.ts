import type { Violation } from "./check/check.ts";
import type { Verdict } from "./check/judge.ts";

const WORDS = {
  held: "Every promise is kept",
  violated: "Promises are broken",
  "not checked": "Nothing is broken, but not everything was checked",
} as const;

/** The exit status of a run, and of the checker's command: a promise that got no chance is not a promise that is kept. */
export const EXIT = { held: 0, violated: 1, "not checked": 3 } as const;

/** Of each sentence that was contradicted. The report has more of them. */
const SHOWN = 2;

/** Of an entry of the journal, in characters. */
const ENTRY_LENGTH = 800;

/**
 * A verdict in lines: for each sentence that was contradicted the first violations with their entries, because where the
 * report is gone, as after a test, this is all that is left of them; each sentence that was not checked; and a last line that
 * counts all.
 */
export function summaryOf({ outcome, isComplete, checks, unchecked }: Verdict): string {
  const made = checks.reduce((sum, check) => sum + check.made, 0);
  const left = checks.flatMap((check) => Object.values(check.left)).reduce((sum, times) => sum + times, 0);
  const broken = checks
    .filter(({ violations }) => violations.length > 0)
    .flatMap(({ promise, says, violations }) => [
      `  ${promise}, ${violations.length} times: ${says}`,
      ...violations.slice(0, SHOWN).flatMap(detailsOf),
    ]);
  const never = unchecked.map(({ promise, says }) => `  ${promise}, no chance: ${says}`);
  const counts = `${made} checks, ${unchecked.length} of ${checks.length} sentences not checked, ${left} cases left out`;
  const end = isComplete ? "" : " The run did not reach its end.";
  return [...broken, ...never, `${WORDS[outcome]}: ${counts}.${end}`].join("\n");
}

function detailsOf({ says, lines }: Violation): string[] {
  return [`    ${says}`, ...lines.map((line) => `      ${JSON.stringify(line).slice(0, ENTRY_LENGTH)}`)];
}

/** Tells the person who started the run something. */
export type Say = (sentence: string) => void;
