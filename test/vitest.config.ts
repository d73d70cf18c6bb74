import { availableParallelism, tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { CHROMIUM } from "./support/chromium-server.ts";
import { LongFirst } from "./support/long-first.ts";
import { memoryFolder } from "./support/memory-folder.ts";
import { NAMES_FILES } from "./support/named-files.ts";
import { PATIENCE, TEST_PATIENCE } from "./support/patience.ts";
import { repetition } from "./support/repetition.ts";
import { workersPlugins } from "./support/workers-plugins.ts";

const root = new URL("..", import.meta.url).pathname;

const amounts = repetition(process.env);

/**
 * Where every Node process of a run keeps what it has compiled (https://nodejs.org/api/module.html#module-compile-cache). There
 * are hundreds, and compiling takes most of them longer than their work.
 */
process.env["NODE_COMPILE_CACHE"] ??= `${root}node_modules/.cache/compiled`;

// Before anything asks where temporary files go.
process.env["TMPDIR"] ??= memoryFolder() ?? tmpdir();

/**
 * What `npm run test:all` adds to `npm test`: everything from outside (a gateway's process, commands, browsers, the package, deploy
 * and chaos), kits, fuzzers, contracts, bench, cost, objects of full size, the platform's own promises, floods, crashes, outages of D1,
 * and other languages. Each starts processes, or computes or waits for seconds.
 */
const THOROUGH = [
  "test/e2e/**",
  "test/workerd/{gateway/contracts,fuzz,sdk/simulator,cost,platform}/**",
  "test/workerd/gateway/terminal/{abuse,any-moment,crash-between-turns}.test.ts",
  "test/workerd/gateway/*/database-failure.test.ts",
  "test/workerd/gateway/d1/{search,fingerprints,sent-fingerprints,rollback}.test.ts",
  "test/workerd/sdk/client/pos/{transfer,session,account}.test.ts",
  "test/workerd/model/{object-model.test.ts,account/**}",
  "test/node/model/outbox/**",
  "test/node/*/{bench,build,chaos,code-blocks,cost,docs-site,file-store,monitoring,run}.test.ts",
  "test/node/*/{signing-examples,webhook-receivers}.test.ts",
  "test/node/{sdk/conformance,docs/contracts}/**",
  "test/node/gateway/account/counted-once.test.ts",
];

/** A file that is named runs in either. */
const isThorough = process.env["TEST_ALL"] === "1" || NAMES_FILES;

/** The workspace within `test` has packages of its own, which bring their own tests. */
const exclude = [...configDefaults.exclude, ...(isThorough ? [] : THOROUGH)];

/**
 * Files that run at the same time, of all projects together. `npm run test:all` has one more than there are cores, because some of
 * its files wait more than they compute. Each worker of the Workers project costs eight seconds of CPU: it starts a workerd, which
 * loads everything again.
 */
const maxWorkers = availableParallelism() + (process.env["TEST_ALL"] === "1" ? 1 : 0);

if (CHROMIUM === null) console.log("Left out: the tests in a browser. Install Chromium, or set CHROMIUM to its path.");

/** No test fails because its machine is busy. */
const patience = {
  testTimeout: TEST_PATIENCE,
  hookTimeout: TEST_PATIENCE,
  expect: { poll: { timeout: PATIENCE } },
} as const;

export default defineConfig(async () => ({
  test: {
    // The Worker's log lines are shown with the tests that fail.
    silent: "passed-only" as const,
    reporters: ["default", "./test/support/counts.ts"],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        root,
        plugins: await workersPlugins(root, process.env),
        test: {
          name: "workers",
          include: ["test/workerd/**/*.test.ts"],
          exclude,
          setupFiles: ["test/support/fresh-start.ts", "test/support/clean-log.ts"],
          // The files share a workerd, which takes longer to start than most of them to run: see fresh-start.ts.
          isolate: false,
          maxWorkers,
          ...patience,
        },
      },
      // What runs beside the Worker: on Node, with a file system; and what needs nothing at all.
      {
        root,
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts"],
          exclude,
          env: amounts,
          isolate: false,
          maxWorkers,
          ...patience,
        },
      },
      // From outside: processes, an installed package, pages in a browser, at a gateway that runs as it does for users.
      {
        root,
        test: {
          name: "outside",
          include: ["test/e2e/**/*.test.ts"],
          exclude: CHROMIUM === null ? [...exclude, "test/e2e/browser/**", "test/e2e/pages.test.ts"] : exclude,
          globalSetup: ["test/support/outside.ts"],
          setupFiles: ["test/support/failed-pages.ts"],
          // A process of its own for each file would cost seconds: for the client of the browser, above all.
          isolate: false,
          maxWorkers,
          ...patience,
        },
      },
    ],
  },
}));
