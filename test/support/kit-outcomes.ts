/** What a run of a conformance kit has found. */
import type { StepOutcome } from "../../src/sdk/conformance/step.ts";

/** The names of the steps with a verdict of this kind. */
export function stepsWith(kind: StepOutcome["verdict"]["kind"], outcomes: readonly StepOutcome[]): string[] {
  return outcomes.filter(({ verdict }) => verdict.kind === kind).map(({ step }) => step.name);
}

/** A line for each step that is not kept and was not left out. */
export function reported(outcomes: readonly StepOutcome[]): string {
  return outcomes
    .filter(({ verdict }) => verdict.kind === "broken" || verdict.kind === "blocked")
    .map(({ step, verdict }) => `${step.name}: ${JSON.stringify(verdict)}`)
    .join("\n");
}
