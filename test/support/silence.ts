import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/** Minutes without a result after which a run has failed, beside the time that the running tests may take. */
const MINUTES = 5;

/** Ends a run that reports nothing any more, and names the files it waited for: a run that stays says nothing. */
export default class Silence implements Reporter {
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #open = new Set<string>();
  /** The tests that run, each with the milliseconds that it may take. */
  readonly #running = new Map<string, number>();

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

  onTestCaseReady({ id, options }: TestCase): void {
    this.#running.set(id, options.timeout ?? 0);
    this.#wait();
  }

  onTestCaseResult({ id }: TestCase): void {
    this.#running.delete(id);
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
    this.#timer = setTimeout(() => this.#end(), MINUTES * 60_000 + Math.max(0, ...this.#running.values()));
  }

  #end(): void {
    const files = [...this.#open].join(", ") || "none: every file that began has reported";
    console.error(
      `The tests have reported nothing for ${MINUTES} minutes or more. Files that have not ended: ${files}.`,
    );
    process.exitCode = 1;
    void this.#vitest?.exit(true);
  }
}
