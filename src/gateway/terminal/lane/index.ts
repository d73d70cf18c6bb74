/** The rest of the object imports the lane only through this file, and nothing else imports it. */
export { currentAnswer } from "./answers.ts";
export { PROBE_AFTER_SILENCE } from "./deadlines.ts";
export type { Reply } from "./arrivals.ts";
export { knownData } from "./answers.ts";
export { sortOpenRequests } from "./reports.ts";
export type { Effect, StoredReports, StoredAs, Lane, ConnectionLink, Report } from "./lane.ts";
export { isPrewarmUseful, nextDeadline, respondBy } from "./deadlines.ts";
export { step, withActivity, type EventKind, type LaneEvent, type ReplyTo, type LaneStep } from "./step.ts";
export { newStages, reportedStages } from "./lane.ts";
export { isRunning, isWithTerminal, INITIAL_PROGRESS } from "./lane.ts";
export type { FrozenTerms, LaneTransaction } from "./lane.ts";
