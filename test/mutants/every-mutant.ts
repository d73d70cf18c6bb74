/** Runs the tests once without a mutant, and then for every mutant those that come to its code, until one fails. */
import { files, mutants } from "virtual:mutants";
import { afterAll, beforeAll, it, vi } from "vitest";
import { reset } from "../workers-on-node/reset.ts";
import { active } from "./active.ts";
import { collect, failureOf, type Collected } from "./collected.ts";

interface Measured {
  test: Collected;
  reached: ReadonlySet<number>;
  milliseconds: number;
  rounds: number;
}

/** Reached while the files are loaded: such a mutant has an effect only if they are loaded again. */
const reachedByLoading = new Set<number>();
const measured: Measured[] = [];
const rounds = new Map<string, number>();
/** How long each test takes without a mutant, milliseconds. */
const durations = new Map<string, number>();

/** How long a test may take at first. */
const LONG = 120_000;

async function load(): Promise<Collected[]> {
  const tests: Collected[] = [];
  for (const [path, evaluate] of Object.entries(files)) tests.push(...(await collect(path, evaluate)));
  return tests;
}

/** A test that fails alone is left out: it would fail for every mutant. */
async function measure(tests: readonly Collected[]): Promise<void> {
  for (const test of tests) {
    active.reached.clear();
    active.limitLoops(Infinity);
    await reset();
    const from = performance.now();
    const error = await failureOf([test], () => LONG);
    const milliseconds = performance.now() - from;
    if (error === null) measured.push({ test, reached: new Set(active.reached), milliseconds, rounds: active.rounds });
    else console.log(`mutants: fails alone, and is left out: ${test.file}: ${test.name}: ${String(error)}`);
  }
  for (const { test, rounds: usual, milliseconds } of measured) {
    rounds.set(keyOf(test), usual);
    durations.set(keyOf(test), milliseconds);
  }
  measured.sort((a, b) => a.milliseconds - b.milliseconds);
}

/** Tests that fail together without a mutant would fail with every one. */
async function judgeTests(): Promise<void> {
  for (const group of byFile(measured.map(({ test }) => test))) {
    await reset();
    active.limitLoops(Infinity);
    const error = await failureOf(group, () => LONG);
    if (error !== null)
      throw new Error(`the tests of ${group[0]?.file} fail together: ${error.message}`, { cause: error });
  }
}

function keyOf({ file, name }: Collected): string {
  return `${file} ${name}`;
}

beforeAll(async () => {
  active.isRecording = true;
  const tests = await load();
  for (const number of active.reached) reachedByLoading.add(number);
  await measure(tests);
  active.isRecording = false;
  await judgeTests();
  console.log(
    `mutants: ${measured.length} tests in ${measured.reduce((sum, { milliseconds }) => sum + milliseconds, 0)} ms`,
  );
}, 600_000);

/** A mutant that has broken more than itself would have killed every one that follows. */
afterAll(judgeTests, 600_000);

/** The tests of one file together. */
function byFile(tests: readonly Collected[]): Collected[][] {
  return [...Map.groupBy(tests, ({ file }) => file).values()];
}

/** Longer than a test looks for what does not come: one that is given up must not go on beside the next one. */
const GIVEN_UP = 8_000;

/** How long a test may take with a mutant. */
function limitOf(test: Collected): number {
  return GIVEN_UP + 20 * (durations.get(keyOf(test)) ?? LONG);
}

async function survives(tests: readonly Collected[]): Promise<boolean> {
  for (const group of byFile(tests)) {
    // The group before may have exceeded its limit.
    active.limitLoops(0);
    await reset();
    active.limitLoops(group.reduce((sum, test) => sum + (rounds.get(keyOf(test)) ?? 0), 0));
    if ((await failureOf(group, limitOf)) !== null) return false;
  }
  return true;
}

/** The names of the tests in the order in which they were measured, for a mutant that they must be loaded again for. */
async function loadAgain(): Promise<Collected[]> {
  vi.resetModules();
  const tests = await load();
  const order = new Map(measured.map(({ test }, index) => [keyOf(test), index]));
  const place = (test: Collected): number => order.get(keyOf(test)) ?? Infinity;
  return tests.filter((test) => place(test) < Infinity).toSorted((a, b) => place(a) - place(b));
}

for (const { number, name } of mutants) {
  it(name, { timeout: 120_000 }, async ({ task }) => {
    const meta = task.meta as { number?: number; outcome?: string };
    meta.number = number;
    const reaching = measured.filter(({ reached }) => reached.has(number)).map(({ test }) => test);
    active.active = number;
    try {
      if (reachedByLoading.has(number)) {
        meta.outcome = await loadAgain().then(
          async (tests) => ((await survives(tests)) ? "survived" : "killed"),
          () => "killed",
        );
      } else if (reaching.length === 0) meta.outcome = "not reached";
      else meta.outcome = (await survives(reaching)) ? "survived" : "killed";
    } finally {
      active.active = 0;
    }
  });
}
