/**
 * Stands in for `vitest` in the test files of a mutation run: collects their tests, so that each can be run again for every
 * mutant. It has only what these files use.
 */
import { expect, vi } from "vitest";

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

/**
 * Runs tests until one fails, or takes longer than it may: a mutant may make it wait without end.
 *
 * @param limitOf milliseconds
 * @returns the test that failed, and why; null if none did
 */
export async function failureOf(
  tests: readonly Collected[],
  limitOf: (test: Collected) => number,
): Promise<{ test: Collected; error: unknown } | null> {
  const begun = new Set<Suite>();
  try {
    for (const test of tests) {
      try {
        await runOne(test, begun, limitOf(test));
      } catch (error) {
        return { test, error };
      }
    }
    return null;
  } finally {
    for (const each of [...begun].toReversed()) await runAll(each.afterAll).catch(() => undefined);
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  }
}

async function runOne(test: Collected, begun: Set<Suite>, limit: number): Promise<void> {
  const suites: Suite[] = [];
  for (let each: Suite | null = test.suite; each !== null; each = each.parent) suites.unshift(each);
  for (const each of suites.filter((outer) => !begun.has(outer))) {
    begun.add(each);
    await runAll(each.beforeAll);
  }
  const finished: Hook[] = [];
  now.onFinished = (hook) => void finished.push(hook);
  try {
    for (const each of suites) await runAll(each.beforeEach);
    await endingWithin(limit, test.run(now.onFinished));
  } finally {
    await runAll(finished.toReversed());
    for (const each of suites.toReversed()) await runAll(each.afterEach.toReversed());
  }
}

/** The clock of this process: tests may fake timers. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

async function endingWithin(milliseconds: number, work: unknown): Promise<void> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = startTimer(() => reject(new Error(`no end within ${milliseconds} ms`)), milliseconds);
  try {
    await Promise.race([work, tooLate]);
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
