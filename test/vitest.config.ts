import { availableParallelism, tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { CHROMIUM } from "./support/chromium-path.ts";
import { LongFirst } from "./support/long-first.ts";
import { memoryFolder } from "./support/memory-folder.ts";
import { repetition } from "./support/repetition.ts";
import { workersPlugins } from "./support/workers-plugins.ts";

const root = new URL("..", import.meta.url).pathname;

/** Pure code, and decisions on storage in memory: on Node much faster than in workerd. Some play many thousands of histories. */
const pure = [
  "test/model/lane-model.test.ts",
  "test/model/untold/*.test.ts",
  "test/objects/untold/*.test.ts",
  "test/model/regressions.test.ts",
  "test/protocol/*.test.ts",
  "test/account/{admission-order,amounts,claims,day-book,entries,feed,limits,listing,operator-changes}.test.ts",
  "test/account/{pruning,reading,session-decisions,signing-keys,statistics-book,stub,tally}.test.ts",
  "test/account/storage/*.test.ts",
  "test/account/webhooks/{at-rest,calls,changes,post,sending}.test.ts",
  "test/terminal/lane/*.test.ts",
];

/** The workspace within `test` has packages of its own, which bring their own tests. */
const packages = configDefaults.exclude;

const amounts = repetition(process.env);

/**
 * Where every Node process of a run keeps what it has compiled (https://nodejs.org/api/module.html#module-compile-cache). There
 * are hundreds, and compiling takes most of them longer than their work.
 */
process.env["NODE_COMPILE_CACHE"] ??= `${root}node_modules/.cache/compiled`;

// Before anything asks where temporary files go.
process.env["TMPDIR"] ??= memoryFolder() ?? tmpdir();

/**
 * How many files run at the same time, of all projects together. Vitest takes one on two cores, but many files wait more
 * than they compute.
 */
const maxWorkers = Math.max(6, availableParallelism());

/** A test takes a moment; a busy machine with two cores takes many of them. */
const testTimeout = 30_000;

if (CHROMIUM === null) console.log("Left out: the tests in a browser. Install Chromium, or set CHROMIUM to its path.");

export default defineConfig(async () => ({
  test: {
    // The Worker's log lines are shown with the tests that fail.
    silent: "passed-only" as const,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        root,
        plugins: await workersPlugins(root, process.env),
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: [...packages, "test/node/**", "test/console/**", "test/outside/**", "test/mutants/**", ...pure],
          setupFiles: ["test/support/fresh-start.ts", "test/support/clean-log.ts"],
          testTimeout,
          hookTimeout: testTimeout,
          // The files share a workerd, which takes longer to start than most of them to run: see fresh-start.ts.
          isolate: false,
          maxWorkers,
        },
      },
      // What runs beside the Worker: on Node, with a file system; and what needs nothing at all.
      {
        root,
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts", "test/console/**/*.test.ts", ...pure],
          env: amounts,
          isolate: false,
          testTimeout,
          hookTimeout: testTimeout,
          maxWorkers,
        },
      },
      // From outside: processes, an installed package, pages in a browser, at a gateway that runs as it does for users.
      {
        root,
        test: {
          name: "outside",
          include: ["test/outside/**/*.test.ts"],
          exclude: CHROMIUM === null ? [...packages, "test/outside/browser/**"] : packages,
          globalSetup: ["test/support/outside.ts"],
          // A process of its own for each file would cost seconds: for the client of the browser, above all.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers,
        },
      },
    ],
  },
}));
