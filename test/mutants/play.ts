/** Runs a target's tests against its mutants, in one process of Vitest. */
import { globSync } from "node:fs";
import type { Reporter } from "vitest/node";
import { startVitest } from "vitest/node";
import { workersOnNode } from "../workers-on-node/plugin.ts";
import { mutantsPlugin, type Numbered } from "./plugin.ts";
import type { Outcome } from "./report.ts";
import type { Target } from "./targets.ts";

/** @returns the outcome of each chosen mutant, by its number */
export async function play(
  root: string,
  target: Target,
  mutants: readonly Numbered[],
  chosen: ReadonlySet<number>,
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const broken: string[] = [];
  const tests = globSync([...target.tests], { cwd: root }).toSorted();
  const plugin = mutantsPlugin({ root, mutants, chosen, tests });
  const reporter: Reporter = {
    onUserConsoleLog: ({ content }) => {
      if (content.startsWith("mutants: ")) process.stderr.write(content);
    },
    onTestCaseResult: (test) => {
      const { number, outcome } = test.meta() as { number: number; outcome?: Outcome };
      // Without one, the test itself has failed: every mutant has an outcome, also one that waits without end.
      if (outcome === undefined) broken.push(...(test.result().errors ?? []).map(({ message }) => message));
      else outcomes.set(number, outcome);
      if (outcome !== undefined && outcome !== "killed") process.stderr.write(`mutants: ${outcome}: ${test.name}\n`);
      if (outcomes.size % 100 === 0) process.stderr.write(`mutants: ${outcomes.size} of ${chosen.size}\n`);
    },
  };
  const vitest = await startVitest(
    "test",
    [],
    {
      config: false,
      root,
      watch: false,
      include: ["test/mutants/every-mutant.ts"],
      setupFiles: ["test/mutants/active.ts"],
      reporters: [reporter],
      isolate: false,
      maxWorkers: 1,
      // The mutants' code must not be found where the tests look for their own.
      fsModuleCache: false,
    },
    { plugins: [plugin, workersOnNode()] },
  );
  const errors = vitest.state.getTestModules().flatMap((module) => module.errors());
  await vitest.close();
  broken.push(...errors.map(({ message }) => message));
  if (broken.length > 0) throw new Error([...new Set(broken)].join("\n"));
  // Survivors do not fail; whether they should is the caller's decision.
  process.exitCode = 0;
  return outcomes;
}
