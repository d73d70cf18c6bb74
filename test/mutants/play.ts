/** Runs the tests against mutants, in one process of Vitest. */
import type { Reporter } from "vitest/node";
import { startVitest } from "vitest/node";
import { cheapPasswords } from "../support/cheap-passwords-plugin.ts";
import { workersOnNode } from "../workers-on-node/plugin.ts";
import { mutantsPlugin, type Numbered } from "./plugin.ts";
import type { Outcome } from "./report.ts";
import type { TestFiles } from "./rooms.ts";

/** @returns the outcome of each mutant, by its number */
export async function play(
  root: string,
  mutants: readonly Numbered[],
  testFiles: TestFiles,
): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const broken: string[] = [];
  const reporter: Reporter = {
    onUserConsoleLog: ({ content }) => {
      for (const line of content.split("\n")) if (line.startsWith("mutants: ")) process.stderr.write(`${line}\n`);
    },
    onTestCaseResult: (test) => {
      const { number, outcome } = test.meta() as { number: number; outcome?: Outcome };
      // Without one, the test itself has failed: every mutant has an outcome, also one that waits without end.
      if (outcome === undefined) broken.push(...(test.result().errors ?? []).map(({ message }) => message));
      else outcomes.set(number, outcome);
      if (outcome !== undefined && outcome !== "killed") process.stderr.write(`mutants: ${outcome}: ${test.name}\n`);
      if (outcomes.size % 100 === 0) process.stderr.write(`mutants: ${outcomes.size} of ${mutants.length}\n`);
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
      // What a test that was given up leaves behind is not a mutant's outcome.
      dangerouslyIgnoreUnhandledErrors: true,
      // The mutants' code must not be found where the tests look for their own.
      fsModuleCache: false,
    },
    { plugins: [cheapPasswords(`${root}/`), mutantsPlugin(root, mutants, testFiles), workersOnNode()] },
  );
  const errors = vitest.state.getTestModules().flatMap((module) => module.errors());
  await vitest.close();
  broken.push(...errors.map(({ message }) => message));
  if (broken.length > 0) throw new Error([...new Set(broken)].join("\n"));
  // Survivors do not fail; whether they should is the caller's decision.
  process.exitCode = 0;
  return outcomes;
}
