import type { Reporter, TestModule } from "vitest/node";

/** Prints what the continuous integration reads, last: "N passed, N failed". A file that could not be loaded has failed. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const failedTests = tests.filter((test) => test.result().state === "failed").length;
    const broken = modules.filter((module) => module.state() === "failed").length;
    const failed = failedTests > 0 ? failedTests : broken + errors.length;
    process.once("exit", () => console.log(`${passed} passed, ${failed} failed`));
  }
}
