import type { Reporter, TestModule } from "vitest/node";
import { openApi } from "../../src/gateway/http/openapi/openapi.ts";
import { NAMES_FILES } from "./named-files.ts";

/** The published successes that no test of the run has got: each call has at least one that is judged. */
function notExercised(modules: readonly TestModule[]): string[] {
  const exercised = new Set(modules.flatMap((module) => module.meta().exercised ?? []));
  const published = Object.entries(openApi().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  return published.filter((success) => / 2\d\d$/u.test(success) && !exercised.has(success));
}

/**
 * Prints what the continuous integration reads, last: "N passed, N failed". A file that could not be loaded has failed, and so
 * has a run of all tests that leaves out a published success.
 */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const failedTests = tests.filter((test) => test.result().state === "failed").length;
    const broken = modules.filter((module) => module.state() === "failed").length;
    const missing = process.env["TEST_ALL"] === "1" && !NAMES_FILES ? notExercised(modules) : [];
    for (const success of missing) console.error(`No test gets ${success} through \`call\`.`);
    if (missing.length > 0) process.exitCode = 1;
    const failed = (failedTests > 0 ? failedTests : broken + errors.length) + missing.length;
    process.once("exit", () => console.log(`${passed} passed, ${failed} failed`));
  }
}
