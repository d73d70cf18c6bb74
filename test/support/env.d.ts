declare namespace Cloudflare {
  interface Env {
    /** The files of migrations/, handed in by test/vitest.config.ts. */
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** Of the environment of the test run: see test/fuzz/parameters.ts. Empty where they are not set. */
    FUZZ_SEED: string;
    FUZZ_INPUTS: string;
    /** Which histories the model plays; see test/model/environment.ts. */
    MODEL_SEED: string;
    OBJECT_MODEL_HISTORIES: string;
    OBJECT_MODEL_FIRST: string;
  }
}
