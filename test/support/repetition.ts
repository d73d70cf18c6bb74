/**
 * How often the tests repeat what they repeat. `npm test` takes the first number, `npm run test:all` the second; a
 * variable of the environment with the same name overrides both. Fewer repetitions still reach every behaviour: the
 * models and fuzzers fail when they miss one.
 */
const REPETITION = {
  /** Random histories against the lane. */
  MODEL_HISTORIES: [10_000, 30_000],
  /** Random histories against the object in workerd. */
  OBJECT_MODEL_HISTORIES: [20, 60],
  /** Random requests and frames. */
  FUZZ_INPUTS: [3_000, 6_000],
  /** Times that the gateway is killed while tills sell and readers follow. */
  GATEWAY_KILLS: [3, 5],
  /** Seconds for which everything is disturbed in a chaos run. */
  CHAOS_SECONDS: [20, 300],
  /** Customers who take their time at once. */
  SLOW_CUSTOMERS: [20, 50],
} as const;

type Repetition = Record<keyof typeof REPETITION, string>;

/** The numbers that `environment` asks for; TEST_ALL=1 stands for `npm run test:all`. */
export function repetition(environment: Readonly<Record<string, string | undefined>>): Repetition {
  const numbers = Object.entries(REPETITION).map(([name, [fast, all]]) => [
    name,
    environment[name] ?? String(environment["TEST_ALL"] === "1" ? all : fast),
  ]);
  // The assertion: these are the names of REPETITION
  return Object.fromEntries(numbers) as Repetition;
}
