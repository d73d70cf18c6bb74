import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { CHROMIUM, hasChromium } from "./support/chromium-path.ts";

const root = new URL("..", import.meta.url).pathname;

/** Models of pure code, which run a hundred thousand histories: faster on Node than in workerd. */
const pure = ["test/model/lane-model.test.ts", "test/model/regressions.test.ts"];

/** The workspace within `test` has packages of its own, which bring their own tests. */
const packages = configDefaults.exclude;

/** Which histories the model of the object plays; see test/model/environment.ts. */
const model = Object.fromEntries(
  ["MODEL_SEED", "OBJECT_MODEL_HISTORIES", "OBJECT_MODEL_FIRST"].map((name) => [name, process.env[name] ?? ""]),
);

if (!hasChromium()) console.log(`Left out: the tests in a browser, as there is no ${CHROMIUM} (CHROMIUM=path).`);

export default defineConfig(async () => ({
  test: {
    // The Worker's log lines are shown with the tests that fail.
    silent: "passed-only" as const,
    projects: [
      {
        root,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: `${root}wrangler.toml` },
            miniflare: {
              bindings: {
                // Secrets of the test run alone: thirty-two bytes that spell out what they are.
                MASTER_KEYS: `test-1:${Buffer.from("master key of the test run only!").toString("base64")}`,
                OPERATOR_TOKENS: "tester:operator-token-of-the-test-run",
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
                FUZZ_SEED: process.env["FUZZ_SEED"] ?? "",
                FUZZ_INPUTS: process.env["FUZZ_INPUTS"] ?? "",
                ...model,
              },
            },
          }),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: [...packages, "test/node/**", "test/console/**", "test/outside/**", ...pure],
          setupFiles: ["test/support/apply-migrations.ts", "test/support/clean-log.ts"],
          // Each takes a moment; a busy machine with two cores takes many of them.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      // What runs beside the Worker: on Node, with a file system; and what needs nothing at all.
      { root, test: { name: "node", include: ["test/node/**/*.test.ts", "test/console/**/*.test.ts", ...pure] } },
      // From outside: processes, an installed package, pages in a browser, at a gateway that runs as it does for users.
      {
        root,
        test: {
          name: "outside",
          include: ["test/outside/**/*.test.ts"],
          exclude: hasChromium() ? packages : [...packages, "test/outside/browser/**"],
          globalSetup: ["test/support/outside.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // After all else, and file by file: each of them starts processes.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
        },
      },
    ],
  },
}));
