/** What the Worker asks an account's object about its feed. See `calls.ts` for the rules. */
import type { Standing } from "./calls.ts";

/** Which events a reader has not read. */
export interface EventsQuestion {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  /** The number of the last event that was read, 0: none; null: only the newest number is asked for. */
  after: number | null;
}

export type EventsAnswer =
  /** The events in their order, each the text that is delivered, and the number to ask behind next. */
  | { kind: "events"; bodies: string[]; next: number }
  /** What is behind that number is not kept any more, or was never there. Kept are these; both 0: none. */
  | { kind: "out-of-range"; oldest: number; newest: number }
  /** So many readers wait already that this one cannot. */
  | { kind: "too-many-waiting" }
  | Exclude<Standing, { kind: "good" }>;

export type EventAnswer =
  { kind: "event"; body: string } | { kind: "no-such-event" } | Exclude<Standing, { kind: "good" }>;

/** The request with which the Worker waits for an event: an upgrade of `/wait?after=NUMBER`, the session in this header. */
export const WAIT_SESSION = "X-Session";

export interface FeedCalls {
  /** A page of events, at once. */
  events(question: EventsQuestion): Promise<EventsAnswer>;
  event(sessionId: string, number: number): Promise<EventAnswer>;
}
