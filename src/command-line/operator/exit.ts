import { WRONG_USAGE } from "../arguments.ts";

/** The exit status of an operator's command. */
export const EXIT = { done: 0, nothing: 1, failed: 3, usage: WRONG_USAGE };
