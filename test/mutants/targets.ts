/** Which code is mutated, and which tests have to notice. */

export interface Target {
  /** Globs, like all of these, from the project's root. */
  files: readonly string[];
  without?: readonly string[];
  tests: readonly string[];
  /** Where the tests run. */
  runtime: "node" | "workers";
}

export const TARGETS: Readonly<Record<string, Target>> = {
  lane: {
    files: ["src/terminal/lane/*.ts"],
    tests: [
      "test/terminal/lane/*.test.ts",
      "test/terminal/{shown,times,late-hello,record-entry}.test.ts",
      "test/model/regressions.test.ts",
      "test/mutants/histories.test.ts",
    ],
    runtime: "node",
  },
  protocol: {
    files: ["src/protocol/**/*.ts"],
    tests: ["test/protocol/*.test.ts"],
    runtime: "node",
  },
  account: {
    files: ["src/account/*.ts"],
    tests: ["test/account/**/*.test.ts"],
    runtime: "workers",
  },
};
