/** Runs the tests against mutants, in one process of Vitest. */
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { startVitest } from "vitest/node";
import { cheapPasswords } from "../support/cheap-passwords-plugin.ts";
import { workersOnNode } from "../workers-on-node/plugin.ts";
import { type Numbered, TestFiles } from "./rooms.ts";
import { withCountedLoops, withMutants } from "./schemata.ts";
import type { Outcome } from "./survivors.ts";

const said = new Set<string>();

/** Each line once: several processes load the same tests. */
function say(line: string): void {
  if (said.has(line)) return;
  said.add(line);
  process.stderr.write(`${line}\n`);
}

/**
 * How many mutants, one after the other, may end their process. More are a fault of the run. The costs of scrypt are six
 * neighbours that do, and a sample may have a few more beside them.
 */
const ENDS = 12;

/**
 * A mutant may end the process of the tests, or be ended by the watchdog. Then the others go on in a new one.
 *
 * @param asked how many files of tests that come to a mutant are asked at most
 */
export async function play(root: string, mutants: readonly Numbered[], asked: number): Promise<Map<Numbered, Outcome>> {
  const outcomes = new Map<Numbered, Outcome>();
  let ends = 0;
  for (let left = mutants; left.length > 0; left = left.filter((mutant) => !outcomes.has(mutant))) {
    const played = await playUntilEnd(root, left, asked);
    for (const [mutant, outcome] of played) outcomes.set(mutant, outcome);
    ends = played.size > 0 ? 0 : ends + 1;
    const [first] = left;
    // What ends a process may come from an earlier mutant, unless there was none.
    if (first === undefined || ends === 0) continue;
    if (ends > ENDS) throw new Error(`${ends} mutants, one after the other, have ended the process of the tests`);
    say(`mutants: killed by its end of the process: ${first.file}:${first.lineNumber} ${first.change}`);
    outcomes.set(first, "killed");
  }
  return outcomes;
}

/** Those that were run before the process of the tests ended. */
async function playUntilEnd(
  root: string,
  mutants: readonly Numbered[],
  asked: number,
): Promise<Map<Numbered, Outcome>> {
  const outcomes = new Map<Numbered, Outcome>();
  const byNumber = new Map(mutants.map((mutant) => [mutant.number, mutant]));
  const broken: string[] = [];
  const testFiles = new TestFiles(root);
  const files = new Set(mutants.map(({ file }) => file));
  const tests = Object.fromEntries([...files].map((file) => [file, testFiles.about(file)]));
  const vitest = await startVitest(
    "test",
    [],
    {
      config: false,
      root,
      watch: false,
      include: ["test/mutants/every-mutant.ts"],
      setupFiles: ["test/mutants/fast-clock.ts", "test/mutants/active.ts", "test/mutants/watchdog.ts"],
      // A mutant that only collects ends soon.
      execArgv: [`--max-old-space-size=${MEGABYTES}`],
      provide: {
        root,
        mutants: mutants.map(({ number, file, lineNumber, change }) => ({ number, file, lineNumber, change })),
        tests,
        asked,
      },
      env: { UNTOLD_HISTORIES: "30" },
      reporters: [
        {
          onUserConsoleLog: ({ content }) => {
            for (const line of content.split("\n")) if (line.startsWith("mutants: ")) say(line);
          },
          onTestCaseResult: (test) => {
            const { number = 0, outcome } = test.meta() as { number?: number; outcome?: Outcome };
            const mutant = byNumber.get(number);
            // Without one, the test itself has failed: every mutant has an outcome, also one that waits without end.
            if (outcome === undefined || mutant === undefined) {
              broken.push(...(test.result().errors ?? []).map(({ message }) => message));
              return;
            }
            outcomes.set(mutant, outcome);
            if (outcome !== "killed") say(`mutants: ${outcome}: ${test.name}`);
          },
        },
      ],
      isolate: false,
      maxWorkers: 1,
      // What a test that was given up leaves behind is not a mutant's outcome.
      dangerouslyIgnoreUnhandledErrors: true,
      // The mutants' code must not be found where the tests look for their own.
      fsModuleCache: false,
    },
    { plugins: [cheapPasswords(`${root}/`), withTheirCode(root, mutants), workersOnNode()] },
  );
  broken.push(...vitest.state.getTestModules().flatMap((module) => module.errors().map(({ message }) => message)));
  await vitest.close();
  if (broken.length > 0) throw new Error([...new Set(broken)].join("\n"));
  // Survivors do not fail; whether they should is the caller's decision.
  process.exitCode = 0;
  return outcomes;
}

/** Four times of what the tests' process needs. */
const MEGABYTES = 2_000;

const PATIENCE = "test/support/patience.ts";

/** Most of what a test waits for in vain is what a mutant keeps from coming: seconds of a fast clock in place of minutes. */
function impatient(code: string): string {
  const changed = code.replace(/(?<=const PATIENCE = )[^;]+/u, "15_000");
  if (changed === code) throw new Error(`${PATIENCE} has no PATIENCE`);
  return changed;
}

/** Gives the tests the code with its mutants, and collects them in place of Vitest. */
function withTheirCode(root: string, mutants: readonly Numbered[]): Plugin {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const collected = `from ${JSON.stringify(join(root, "test/mutants/collected.ts"))}`;
  return {
    name: "mutants",
    enforce: "pre",
    transform(code, id) {
      const path = relative(root, id.replace(/\?.*$/u, ""));
      if (!path.endsWith(".ts") || path.startsWith("..") || path.startsWith("node_modules")) return undefined;
      if (path.startsWith("test/mutants/") && !path.endsWith(".test.ts")) return undefined;
      const changed = path === PATIENCE ? impatient(code) : withMutants(code, byFile.get(path) ?? []);
      return { code: withCountedLoops(changed).replaceAll(/from "vitest"/gu, collected), map: null };
    },
  };
}
