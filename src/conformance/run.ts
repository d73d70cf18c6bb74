import { blocked, type Outcome, type Step } from "./step.ts";

export interface RunOptions<Scene> {
  steps: readonly Step<Scene>[];
  /** Names of the steps to run; null for all. */
  only: readonly string[] | null;
  /** Why no further step can run, or null. Called before each step. */
  hopeless: () => string | null;
  /** Brings the tested side back to idle after a step. */
  tidy: () => Promise<void>;
  onOutcome: (outcome: Outcome) => void;
}

/** Runs the steps one after the other. */
export async function runSteps<Scene>(scene: Scene, options: RunOptions<Scene>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of options.steps) {
    if (options.only !== null && !options.only.includes(step.name)) continue;
    const begun = performance.now();
    const hopeless = options.hopeless();
    const verdict = hopeless === null ? await step.run(scene) : blocked(hopeless);
    const { name, title, duty, harm, fix } = step;
    const outcome: Outcome = {
      step: { name, title, duty, harm, fix },
      verdict,
      took: Math.round(performance.now() - begun),
    };
    outcomes.push(outcome);
    options.onOutcome(outcome);
    if (hopeless === null) await options.tidy();
  }
  return outcomes;
}
