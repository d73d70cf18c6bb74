/** FUZZ_SEED and FUZZ_INPUTS of the environment: which inputs, and how many. The seed of a failure is in its report. */
import { env } from "cloudflare:workers";

/** Inputs of a whole run, HTTP and frames together. */
export const INPUTS = Number(env.FUZZ_INPUTS);

export const SEED = Number(env.FUZZ_SEED) || Math.floor(Math.random() * 0x7fffffff);
