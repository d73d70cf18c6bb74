declare namespace Cloudflare {
  interface Env {
    /** The files of migrations/, handed in by test/vitest.config.ts. */
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** See test/support/repetition.ts. */
    OBJECT_MODEL_HISTORIES: string;
    FUZZ_INPUTS: string;
    SLOW_CUSTOMERS: string;
    /** From the environment of the test run, empty if they are not set: see test/model/environment.ts. */
    MODEL_SEED: string;
    OBJECT_MODEL_FIRST: string;
    /** See test/workerd/fuzz/world.ts. */
    FUZZ_SEED: string;
  }
}
