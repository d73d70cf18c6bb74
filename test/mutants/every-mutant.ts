/** Runs for every mutant the tests that come to its code, those that are most likely about it first, until one fails. */
import { join } from "node:path";
import * as fc from "fast-check";
import { inject, it } from "vitest";
import { installGlobals } from "../workers-on-node/globals.ts";
import { active } from "./active.ts";
import { collect, failureOf, type Unit, unitsOf } from "./collected.ts";
import type { Outcome } from "./survivors.ts";
import { endWorld, World } from "./worlds.ts";

declare module "vitest" {
  interface ProvidedContext {
    root: string;
    mutants: { number: number; file: string; lineNumber: number; change: string }[];
    /** The files of tests that may notice a mutant of a file, in the order in which they are asked. */
    tests: Record<string, string[]>;
    /** How many files of tests that come to a mutant are asked. */
    asked: number;
  }
}

/** A unit that holds alone. */
interface Measured {
  name: string;
  reached: ReadonlySet<number>;
  milliseconds: number;
  rounds: number;
}

interface Loaded {
  units: Map<string, Unit>;
  /** Storage as these tests find it: no rows, no objects. */
  reset: () => Promise<void>;
}

// Tests have these, whether or not they load a part of the runtime.
installGlobals();

// A mutant has the same outcome in every run.
fc.configureGlobal({ seed: 1 });

/** How long a test may take, in milliseconds. One that takes longer without a mutant is left out. */
const LONG = 60_000;

/** Longer than a test waits for what does not come (see play.ts): one that is given up must not go on beside the next one. */
const GIVEN_UP = 20_000;

/** How much longer than without a mutant a test may take. */
const SLOWER = 10;

/** Such a mutant has an effect only if the code is loaded with it: what it changes is computed once and kept. */
const keptByLoading = new Set<number>();

/** The console of this process: tests put another in its place. */
const tell = console.log.bind(console);

/** Goes up when everything must be loaded again. */
let era = 0;

/** @param without the names of tests that are left out */
async function load(path: string, without: ReadonlySet<string>): Promise<Loaded> {
  const collected = await collect(path, () => import(join(inject("root"), path)));
  await globalThis.workerLoaded;
  const { reset } = await import("../workers-on-node/reset.ts");
  const units = unitsOf(collected).map(({ name, tests }) => {
    const unit = { name, tests: tests.filter((test) => !without.has(test.name)) };
    return [name, unit] as const;
  });
  return { units: new Map(units), reset };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

/** Resets until one is not disturbed: what was given up before may still go on, and its loops use up the limit. */
async function failureOfReset(reset: Loaded["reset"], attempts = 3): Promise<{ error: unknown; test: null } | null> {
  active.limitLoops(0);
  try {
    await reset();
    return null;
  } catch (error) {
    return attempts > 1 ? failureOfReset(reset, attempts - 1) : { error, test: null };
  }
}

async function failureIn(loaded: Loaded, name: string, limit: number, rounds: number) {
  const unit = loaded.units.get(name);
  if (unit === undefined) return { error: new Error("it is gone"), test: null };
  const disturbed = await failureOfReset(loaded.reset);
  if (disturbed !== null) return disturbed;
  active.limitLoops(rounds);
  return failureOf(unit, limit);
}

/** A file of tests, as it is without a mutant. */
class TestFile {
  readonly #path: string;
  #loaded: Loaded = { units: new Map(), reset: async () => undefined };
  #era = -1;
  /** Those first that take least. Tests that fail alone would fail for every mutant: they are left out. */
  #measured: Measured[] = [];
  readonly #without = new Set<string>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async measured(path: string): Promise<TestFile> {
    const file = new TestFile(path);
    active.reached = new Set();
    try {
      await file.#load();
      for (const number of active.reached) keptByLoading.add(number);
      for (const name of file.#loaded.units.keys()) await file.#measure(name);
    } catch (error) {
      tell(`mutants: cannot be loaded, and is left out: ${path}: ${reasonOf(error)}`);
    } finally {
      active.reached = null;
    }
    file.#measured.sort((a, b) => a.milliseconds - b.milliseconds);
    return file;
  }

  async #load(): Promise<void> {
    if (this.#era === era) return;
    // Loops of what was given up must not end the loading.
    active.limitLoops(Infinity);
    this.#loaded = await load(this.#path, this.#without);
    this.#era = era;
  }

  async #loadAgain(): Promise<void> {
    endWorld();
    era++;
    await this.#load();
  }

  async #measure(name: string): Promise<void> {
    const reached = new Set<number>();
    active.reached = reached;
    const from = performance.now();
    const failed = await failureIn(this.#loaded, name, LONG, Infinity);
    const milliseconds = performance.now() - from;
    if (failed === null) {
      this.#measured.push({ name, reached, milliseconds, rounds: active.rounds });
      return;
    }
    const { test, error } = failed;
    // One of them says enough: often many fail for the same reason.
    if (this.#without.size === 0) {
      tell(`mutants: fails alone, and is left out: ${this.#path}: ${test?.name ?? name}: ${reasonOf(error)}`);
    }
    const tests = this.#loaded.units.get(name)?.tests ?? [];
    // What is loaded again has it again.
    if (test !== null) this.#without.add(test.name);
    if (tests.length > 1 && test !== null) {
      tests.splice(tests.indexOf(test), 1);
      await this.#measure(name);
    }
  }

  async #holds({ name, milliseconds, rounds }: Measured, number: number, loaded = this.#loaded): Promise<boolean> {
    active.activate(number);
    const failed = await failureIn(loaded, name, GIVEN_UP + SLOWER * milliseconds, rounds);
    // The first test that came to it has left what it computed to all others.
    if (number !== 0 && !active.isMet) keptByLoading.add(number);
    active.activate(0);
    return failed === null;
  }

  /** Whether its tests notice a mutant; null: none comes to it. */
  async notices(number: number): Promise<boolean | null> {
    const tests = this.#measured.filter(({ reached }) => reached.has(number));
    await this.#load();
    for (const test of tests) {
      if (await this.#holds(test, number)) continue;
      if (await this.#holds(test, 0)) return true;
      // A mutant, this one or an earlier one, may break more than itself, such as a cache, and then everything fails that follows.
      await this.#loadAgain();
      if (!(await this.#holds(test, 0))) {
        tell(`mutants: does not hold any more, and is left out: ${this.#path}: ${test.name}`);
        this.#measured.splice(this.#measured.indexOf(test), 1);
      } else if (!(await this.#holds(test, number))) return true;
    }
    return tests.length === 0 ? null : false;
  }

  /** The same with everything loaded again, in a world of the mutant's own. */
  async noticesLoaded(number: number, world: World): Promise<boolean> {
    if (this.#measured.length === 0) return false;
    const failed = await world.visit(async () => {
      active.activate(number);
      active.limitLoops(0);
      const loaded = await load(this.#path, this.#without).catch(() => null);
      active.activate(0);
      if (loaded === null) return "all";
      for (const test of this.#measured) if (!(await this.#holds(test, number, loaded))) return test;
      return null;
    });
    if (failed === null || failed === "all") return failed !== null;
    await this.#load();
    if (await this.#holds(failed, 0)) return true;
    await this.#loadAgain();
    return this.#holds(failed, 0);
  }
}

const testFiles = new Map<string, TestFile>();

async function fileOf(path: string): Promise<TestFile> {
  const file = testFiles.get(path) ?? (await TestFile.measured(path));
  testFiles.set(path, file);
  return file;
}

/** By file of code: the files of tests that have noticed its mutants, the last one first. It often notices the next one, too. */
const noticing = new Map<string, string[]>();

async function outcomeOf(number: number, code: string): Promise<Outcome> {
  const most = inject("asked");
  const before = noticing.get(code) ?? [];
  const paths = [...new Set([...before, ...(inject("tests")[code] ?? [])])];
  let asked = 0;
  for (const [index, path] of paths.entries()) {
    // No test may come to what is only computed by loading.
    if (asked === most || (keptByLoading.has(number) && index >= most)) break;
    const noticed = await (await fileOf(path)).notices(number);
    if (noticed === true) {
      noticing.set(code, [path, ...before.filter((other) => other !== path)]);
      return "killed";
    }
    if (noticed === false) asked++;
  }
  if (!keptByLoading.has(number)) return asked === 0 ? "not reached" : "survived";
  const world = new World();
  for (const path of paths.slice(0, most)) if (await (await fileOf(path)).noticesLoaded(number, world)) return "killed";
  return "survived";
}

for (const { number, file, lineNumber, change } of inject("mutants")) {
  it(`${file}:${lineNumber} ${change}`, { timeout: 0 }, async ({ task }) => {
    const meta = task.meta as { number?: number; outcome?: string };
    meta.number = number;
    meta.outcome = await outcomeOf(number, file);
  });
}
