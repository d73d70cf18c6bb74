import { WRONG_USAGE } from "../invocation.ts";
import { paint } from "../table.ts";
import type { StepOutcome } from "../../conformance/step.ts";

/** 0: every tested duty is kept; 1: at least one is broken, or could not be tested or seen; 5: wrong usage. */
export const KIT_EXIT = { kept: 0, broken: 1, usage: WRONG_USAGE };

export function countVerdicts(
  outcomes: readonly StepOutcome[],
): Record<"kept" | "broken" | "blocked" | "unseen" | "leftOut", number> {
  const count = (kind: StepOutcome["verdict"]["kind"]): number =>
    outcomes.filter(({ verdict }) => verdict.kind === kind).length;
  return {
    kept: count("kept"),
    broken: count("broken"),
    blocked: count("blocked"),
    unseen: count("unseen"),
    leftOut: count("left-out"),
  };
}

/** A run that kept nothing, or did not see the money, proves nothing, so it does not exit with 0. */
export function chooseExitStatus(outcomes: readonly StepOutcome[]): number {
  const { kept, broken, blocked, unseen } = countVerdicts(outcomes);
  return kept > 0 && broken === 0 && blocked === 0 && unseen === 0 ? KIT_EXIT.kept : KIT_EXIT.broken;
}

const INDENT = "    ";

/** One line; a broken duty has more, with what its maker needs to fix it. */
export function kitOutcomeText({ step, verdict }: StepOutcome): string {
  const { name, title, duty, harm, fix } = step;
  switch (verdict.kind) {
    case "kept":
      return `${paint.green("✓")} ${title}${verdict.note === undefined ? "" : ` (${verdict.note})`}`;
    case "left-out":
      return `– ${title}: skipped: ${verdict.why}`;
    case "unseen":
      return `? ${title}: not seen: ${verdict.why}`;
    case "blocked":
      return `– ${title}: not tested: ${verdict.why}`;
    case "broken":
      return [
        `${paint.red("✗")} ${title} [${name}]`,
        `${INDENT}duty      ${duty}`,
        `${INDENT}expected  ${verdict.expected}`,
        `${INDENT}seen      ${verdict.seen}`,
        `${INDENT}the shop  ${harm}`,
        `${INDENT}fix       ${fix}`,
      ].join("\n");
    default:
      return verdict satisfies never;
  }
}

export function summaryText(outcomes: readonly StepOutcome[]): string {
  const { kept, broken, blocked, unseen, leftOut } = countVerdicts(outcomes);
  return [
    ...(unseen === 0 ? [] : [`${unseen} not seen: this run does not show that nobody is charged twice`]),
    `${kept} kept, ${broken} broken`,
    ...(blocked === 0 ? [] : [`${blocked} not tested`]),
    `${leftOut} skipped`,
  ].join(", ");
}

export function reportJson(kit: string, url: string, outcomes: readonly StepOutcome[]): string {
  const steps = outcomes.map(({ step, verdict, took }) => {
    const { kind, ...said } = verdict;
    return { ...step, verdict: kind, ...said, milliseconds: took };
  });
  return JSON.stringify({ kit, url, ...countVerdicts(outcomes), steps });
}
