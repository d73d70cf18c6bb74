/** Runs for every mutant the tests that come to its code, those that are most likely about it first, until one fails. */
import { join } from "node:path";
import { inject, it, vi } from "vitest";
import { installGlobals } from "../workers-on-node/globals.ts";
import { active } from "./active.ts";
import { collect, failureOf, type Collected } from "./collected.ts";

declare module "vitest" {
  interface ProvidedContext {
    root: string;
    mutants: { number: number; file: string; lineNumber: number; change: string }[];
    /** The files of tests that may notice a mutant of a file, in the order in which they are asked. */
    tests: Record<string, string[]>;
  }
}

/** How many files of tests that come to a mutant are asked. With five, a quarter of those that survived were noticed by others. */
const TRIED = 30;

/** A test that holds alone. */
interface Measured {
  test: Collected;
  reached: ReadonlySet<number>;
  milliseconds: number;
  rounds: number;
}

interface Loaded {
  tests: Collected[];
  /** Storage as these tests find it: no rows, no objects. */
  reset: () => Promise<void>;
}

// Tests have these, whether or not they load a part of the runtime.
installGlobals();

/**
 * How long a test may take at first: more than any does on a busy machine. One that takes longer is left out, but goes on: what
 * it has replaced, such as the database, then fails others.
 */
const LONG = 60_000;

/** Reached while files are loaded: such a mutant has an effect only if they are loaded again. */
const reachedByLoading = new Set<number>();

async function load(path: string): Promise<Loaded> {
  const tests = await collect(path, () => import(join(inject("root"), path)));
  await globalThis.workerLoaded;
  const { reset } = await import("../workers-on-node/reset.ts");
  return { tests, reset };
}

/** What a test that fails says. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

/** A file of tests, as it is without a mutant. */
class TestFile {
  readonly #path: string;
  #loaded: Loaded;
  /** Those first that take least. Tests that fail alone would fail for every mutant: they are left out. */
  #measured: Measured[] = [];

  private constructor(path: string, loaded: Loaded) {
    this.#path = path;
    this.#loaded = loaded;
  }

  static async load(path: string): Promise<TestFile> {
    active.isRecording = true;
    active.reached.clear();
    try {
      const file = new TestFile(path, await load(path));
      for (const number of active.reached) reachedByLoading.add(number);
      await file.#measure();
      return file;
    } catch (error) {
      console.log(`mutants: cannot be loaded, and is left out: ${path}: ${reasonOf(error)}`);
      return new TestFile(path, { tests: [], reset: async () => undefined });
    } finally {
      active.isRecording = false;
    }
  }

  async #measure(): Promise<void> {
    const { tests, reset } = this.#loaded;
    for (const test of tests) {
      active.reached.clear();
      active.limitLoops(Infinity);
      await reset();
      const from = performance.now();
      const failed = await failureOf([test], () => LONG);
      const milliseconds = performance.now() - from;
      if (failed === null) {
        this.#measured.push({ test, reached: new Set(active.reached), milliseconds, rounds: active.rounds });
      } else
        console.log(`mutants: fails alone, and is left out: ${this.#path}: ${test.name}: ${reasonOf(failed.error)}`);
    }
    this.#measured.sort((a, b) => a.milliseconds - b.milliseconds);
    active.isRecording = false;
  }

  /** How many tests run until one fails; null if none does. */
  async #failing(tests: readonly Measured[], { reset } = this.#loaded): Promise<number | null> {
    // What was given up before may still go on.
    active.limitLoops(0);
    await reset();
    active.limitLoops(tests.reduce((sum, { rounds }) => sum + rounds, 0));
    const limits = new Map(tests.map(({ test, milliseconds }) => [test, GIVEN_UP + 20 * milliseconds]));
    const failed = await failureOf([...limits.keys()], (test) => limits.get(test) ?? GIVEN_UP);
    return failed === null ? null : [...limits.keys()].indexOf(failed.test) + 1;
  }

  /** The same after everything was loaded again. */
  async #failingLoadedAgain(tests: readonly Measured[]): Promise<number | null> {
    vi.resetModules();
    try {
      const loaded = await load(this.#path);
      const byName = new Map(loaded.tests.map((test) => [test.name, test]));
      const again = tests.flatMap((measured) => {
        const test = byName.get(measured.test.name);
        return test === undefined ? [] : [{ ...measured, test }];
      });
      return again.length < tests.length ? 0 : await this.#failing(again, loaded);
    } catch {
      return 0;
    } finally {
      vi.resetModules();
    }
  }

  /** Whether its tests notice a mutant; null: none comes to it. */
  async notices(number: number): Promise<boolean | null> {
    const isLoaded = reachedByLoading.has(number);
    const tests = this.#measured.filter(({ reached }) => isLoaded || reached.has(number));
    if (tests.length === 0) return null;
    const failing = (some: readonly Measured[]): Promise<number | null> =>
      isLoaded ? this.#failingLoadedAgain(some) : this.#failing(some);
    active.active = number;
    const failed = await failing(tests);
    active.active = 0;
    if (failed === null) return false;
    // A mutant may break more than itself, such as a cache, and then everything fails that follows.
    const asked = tests.slice(0, failed);
    if (isLoaded || (await failing(asked)) === null) return true;
    await this.#loadAnew();
    const names = new Set(asked.map(({ test }) => test.name));
    const again = this.#measured.filter(({ test }) => names.has(test.name));
    // What fails without it is not about the mutant.
    return again.length > 0 && (await this.#failing(again)) === null ? true : null;
  }

  async #loadAnew(): Promise<void> {
    vi.resetModules();
    const again = await TestFile.load(this.#path);
    this.#loaded = again.#loaded;
    this.#measured = again.#measured;
  }
}

/** Longer than a test looks for what does not come: one that is given up must not go on beside the next one. */
const GIVEN_UP = 4_000;

const testFiles = new Map<string, TestFile>();

async function outcomeOf(number: number, paths: readonly string[]): Promise<"killed" | "survived" | "not reached"> {
  let tried = 0;
  for (const path of paths) {
    const file = testFiles.get(path) ?? (await TestFile.load(path));
    testFiles.set(path, file);
    const noticed = await file.notices(number);
    if (noticed === true) return "killed";
    if (noticed === false && ++tried === TRIED) break;
  }
  return tried === 0 ? "not reached" : "survived";
}

const about = inject("tests");
for (const { number, file, lineNumber, change } of inject("mutants")) {
  it(`${file}:${lineNumber} ${change}`, { timeout: 600_000 }, async ({ task }) => {
    const meta = task.meta as { number?: number; outcome?: string };
    meta.number = number;
    meta.outcome = await outcomeOf(number, about[file] ?? []);
  });
}
