/** The rest of the object imports the lane only through this file, and nothing else imports it. */
export { currentAnswer, knownData } from "./answers.ts";
export type { Reply } from "./arrivals.ts";
export { sortOpenRequests } from "./reports.ts";
export type { Effect, StoredReports, StoredAs, Lane, ConnectionLink, Report } from "./lane.ts";
export { nextDeadline, respondBy } from "./deadlines.ts";
export { isPrewarmUseful, PROBE_AFTER_SILENCE } from "./queue.ts";
export { step, withActivity, type EventKind, type LaneEvent, type ReplyTo, type LaneStep } from "./step.ts";
export { INITIAL_PROGRESS, isHeld, isWithTerminal, newStages, reportedStages } from "./lane.ts";
export type { FrozenTerms, LaneTransaction } from "./lane.ts";
