/** The rest of the object imports the lane only through this file, and nothing else imports it. */
export { currentAnswer } from "./answers.ts";
export { PROBE_AFTER_SILENCE } from "./limits.ts";
export type { Reply } from "./arrivals.ts";
export { knownData } from "./answers.ts";
export { sortListed } from "./reports.ts";
export type { Effect, Kept, KeptAs, Lane, Link, Report } from "./lane.ts";
export { isPrewarmUseful, nextDeadline, respondBy } from "./deadlines.ts";
export { step, withActivity, type EventKind, type LaneEvent, type ReplyTo, type Step } from "./step.ts";
export { newStages, reportedStages } from "./lane.ts";
export { isRunning, isWithTerminal, INITIAL_PROGRESS } from "./lane.ts";
export type { FrozenTerms, Transaction } from "./lane.ts";
