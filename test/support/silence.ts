import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Minutes without a result after which a run has failed: no single test or hook may take half as long. */
const MINUTES = 5;

/** Ends a run that reports nothing any more, and names the files it waited for: a run that stays says nothing. */
export default class Silence implements Reporter {
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #open = new Set<string>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(): void {
    this.#wait();
  }

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#open.add(moduleId);
    this.#wait();
  }

  onTestCaseResult(): void {
    this.#wait();
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#open.delete(moduleId);
    this.#wait();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), MINUTES * 60_000);
  }

  #end(): void {
    const files = [...this.#open].join(", ") || "none: every file that began has reported";
    console.error(`The tests have reported nothing for ${MINUTES} minutes. Files that have not ended: ${files}.`);
    process.exitCode = 1;
    void this.#vitest?.exit(true);
  }
}
