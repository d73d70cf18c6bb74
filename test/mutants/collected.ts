/**
 * Stands in for `vitest` in the test files of a mutation run: collects their tests, so that each can be run again for every
 * mutant. It has only what these files use.
 */
import { expect, vi } from "vitest";
import { installFastClock } from "./fast-clock.ts";

export { expect, vi } from "vitest";

type Hook = () => unknown;
type Finish = (hook: Hook) => void;
type Body = (context: { expect: typeof expect; onTestFinished: Finish }, ...values: unknown[]) => unknown;

interface Suite {
  parent: Suite | null;
  beforeAll: Hook[];
  beforeEach: Hook[];
  afterEach: Hook[];
  afterAll: Hook[];
}

export interface Collected {
  name: string;
  file: string;
  suite: Suite;
  run: (onFinished: Finish) => unknown;
}

interface Collecting {
  file: string;
  suite: Suite;
  tests: Collected[];
  /** Of the test that runs. */
  onFinished: Finish;
}

declare global {
  var collecting: Collecting;
}

/** Global, because a file that is loaded again gets this module again. */
const now = (globalThis.collecting ??= { file: "", suite: emptySuite(null), tests: [], onFinished: () => undefined });

function emptySuite(parent: Suite | null): Suite {
  return { parent, beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
}

/** The tests of one file. `load` evaluates it. */
export async function collect(path: string, load: () => Promise<unknown>): Promise<Collected[]> {
  now.file = path;
  now.suite = emptySuite(null);
  now.tests = [];
  await load();
  return now.tests;
}

/** What runs alone: a test, or all that share what their suite has made before them, which takes its time. */
export interface Unit {
  name: string;
  tests: Collected[];
}

/** From the outermost. */
function suitesOf({ suite }: Collected): Suite[] {
  const suites: Suite[] = [];
  for (let each: Suite | null = suite; each !== null; each = each.parent) suites.unshift(each);
  return suites;
}

const takesTime = ({ beforeAll: hooks }: Suite): boolean =>
  hooks.some((hook) => hook.constructor.name === "AsyncFunction");

export function unitsOf(tests: readonly Collected[]): Unit[] {
  const shared = Map.groupBy(tests, (test) => suitesOf(test).find(takesTime) ?? test);
  return [...shared.values()].map((own) => ({ name: own[0]?.name ?? "", tests: own }));
}

/**
 * Runs a unit until a test fails, or it has taken longer than it may: a mutant may make it wait without end.
 *
 * @param limit milliseconds
 * @returns the test that failed, and why; null if all hold
 */
export async function failureOf(unit: Unit, limit: number): Promise<{ error: unknown; test: Collected | null } | null> {
  const begun = new Set<Suite>();
  let running: Collected | null = null;
  let after: Hook[] = [];
  const run = async (): Promise<void> => {
    for (const test of unit.tests) {
      running = test;
      const suites = suitesOf(test);
      for (const suite of suites.filter((each) => !begun.has(each))) {
        begun.add(suite);
        await runAll(suite.beforeAll);
      }
      after = suites.toReversed().flatMap(({ afterEach: hooks }) => hooks.toReversed());
      now.onFinished = (hook) => void after.unshift(hook);
      await runAll(suites.flatMap(({ beforeEach: hooks }) => hooks));
      await test.run(now.onFinished);
      await runAll(after.splice(0));
    }
  };
  const cleanUp = async (): Promise<void> => {
    await runAll(after.splice(0));
    await runAll([...begun].toReversed().flatMap(({ afterAll: hooks }) => hooks.toReversed()));
  };
  const failed = await errorOf(run, limit);
  const left = await errorOf(cleanUp, limit);
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  installFastClock();
  const failure = failed ?? left;
  return failure === null ? null : { ...failure, test: running };
}

/** The clock of this process: tests may fake timers. */
const { setInterval: startTimer, clearInterval: stopTimer } = globalThis;

/** Milliseconds of one look at the clock. By looks, a limit is longer on a busy machine, where the work takes longer, too. */
const LOOK = 100;

async function errorOf(work: () => Promise<void>, limit: number): Promise<{ error: unknown } | null> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  let left = limit / LOOK;
  const timer = startTimer(() => --left <= 0 && reject(new Error(`no end within ${limit} ms`)), LOOK);
  try {
    await Promise.race([work(), tooLate]);
    return null;
  } catch (error) {
    return { error };
  } finally {
    stopTimer(timer);
  }
}

async function runAll(hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) await hook();
}

export const beforeAll = (hook: Hook): void => void now.suite.beforeAll.push(hook);
export const beforeEach = (hook: Hook): void => void now.suite.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void now.suite.afterEach.push(hook);
export const afterAll = (hook: Hook): void => void now.suite.afterAll.push(hook);
export const onTestFinished = (hook: Hook): void => now.onFinished(hook);

function addSuite(add: () => void): void {
  const outer = now.suite;
  now.suite = emptySuite(outer);
  add();
  now.suite = outer;
}

function addTest(name: string, run: (context: Parameters<Body>[0]) => unknown): void {
  const unique = `${now.tests.length + 1}. ${name}`;
  now.tests.push({
    name: unique,
    file: now.file,
    suite: now.suite,
    run: (onFinished) => run({ expect, onTestFinished: onFinished }),
  });
}

/** Options may stand before or after the body of a test. */
function bodyOf(first: unknown, second: unknown): Body {
  return (typeof first === "function" ? first : second) as Body;
}

function listOf(values: Iterable<unknown>): unknown[][] {
  return [...values].map((value) => (Array.isArray(value) ? value : [value]));
}

export const it = Object.assign(
  (name: string, first: unknown, second?: unknown) => addTest(name, async (context) => bodyOf(first, second)(context)),
  {
    each: (values: Iterable<unknown>) => (name: string, first: unknown, second?: unknown) => {
      const body = bodyOf(first, second) as unknown as (...given: unknown[]) => unknown;
      for (const value of listOf(values)) addTest(name, async () => body(...value));
    },
    for: (values: Iterable<unknown>) => (name: string, first: unknown, second?: unknown) => {
      const body = bodyOf(first, second) as unknown as (value: unknown, context: unknown) => unknown;
      for (const value of values) addTest(name, async (context) => body(value, context));
    },
  },
);

export const describe = Object.assign(
  (_name: string, first: unknown, second?: unknown) => addSuite(bodyOf(first, second) as unknown as () => void),
  {
    each: (values: Iterable<unknown>) => (_name: string, body: (...given: unknown[]) => void) => {
      for (const value of listOf(values)) addSuite(() => body(...value));
    },
    for: (values: Iterable<unknown>) => (_name: string, body: (value: unknown) => void) => {
      for (const value of values) addSuite(() => body(value));
    },
  },
);
