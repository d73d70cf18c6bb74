import type { KitStep, StepVerdict } from "../../../../src/sdk/conformance/step.ts";

/**
 * What a step says of a scene, without what it saw right. Throws if it finds something broken without an expectation.
 */
export async function runStep<Scene>(
  steps: readonly KitStep<Scene>[],
  name: string,
  scene: object,
): Promise<StepVerdict> {
  const step = steps.find((one) => one.name === name);
  if (step === undefined) throw new Error(`there is no step ${name}`);
  const verdict = await step.run(scene as Scene);
  if (verdict.kind === "broken" && verdict.expected === "") throw new Error(`${name} does not say what is expected`);
  if (verdict.kind !== "kept") return verdict;
  const { seen: _seen, ...kept } = verdict;
  return kept;
}
