/**
 * How often the tests repeat what they repeat. `npm test` takes the first number, `npm run test:all` the second, `npm run
 * model` the third; a variable of the environment with the same name overrides all. Fewer repetitions still reach every behaviour: the
 * models and fuzzers fail when they miss one.
 */
const REPETITION = {
  /** Random histories against the lane. */
  MODEL_HISTORIES: [2_000, 10_000, 50_000],
  /** Random histories against the object in workerd. */
  OBJECT_MODEL_HISTORIES: [20, 40, 100],
  /** Random requests and frames. */
  FUZZ_INPUTS: [3_000, 3_000],
  /** Seconds for which everything is disturbed in a chaos run. */
  CHAOS_SECONDS: [20, 60],
  /** Power cuts, full disks and wrong clocks of the sample terminal in Java. */
  TERMINAL_FAULTS: [12, 12],
  /** Customers who take their time at once. */
  SLOW_CUSTOMERS: [5, 30],
} as const;

type Repetition = Record<keyof typeof REPETITION, string>;

/** The numbers that `environment` asks for; TEST_ALL=1 stands for `npm run test:all`, MODEL=1 for `npm run model`. */
export function repetition(environment: Readonly<Record<string, string | undefined>>): Repetition {
  const numbers = Object.entries(REPETITION).map(([name, [fast, all, deep = all]]) => {
    const number = environment["MODEL"] === "1" ? deep : environment["TEST_ALL"] === "1" ? all : fast;
    return [name, environment[name] ?? String(number)];
  });
  // The assertion: these are the names of REPETITION
  return Object.fromEntries(numbers) as Repetition;
}
