/** The RPC calls of the Worker about an account's feed. The rules are in `account.ts`. */
import type { Standing } from "./standing.ts";

/** The events that a reader wants. */
export interface EventsQuestion {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  /** The number of the last event that the reader has read; 0: none; null: return only the newest number. */
  after: number | null;
}

export type EventsAnswer =
  /**
   * The events in order, each as the text to deliver, and the number to continue after. `skipped`: how many numbers up to
   * that one are missing, because their events are deleted.
   */
  | { kind: "events"; bodies: string[]; next: number; skipped: number }
  /** The number was never assigned. `oldest` and `newest` are the numbers that exist; both 0: none. */
  | { kind: "out-of-range"; oldest: number; newest: number }
  | Exclude<Standing, { kind: "good" }>;

export type EventAnswer =
  { kind: "event"; body: string } | { kind: "no-such-event" } | Exclude<Standing, { kind: "good" }>;

/** How the Worker waits for an event: it upgrades `/wait?after=NUMBER` with the session in this header. */
export const WAIT_SESSION = "X-Session";

export interface FeedCalls {
  /** A page of events, without waiting. */
  events(question: EventsQuestion): Promise<EventsAnswer>;
  event(sessionId: string, number: number): Promise<EventAnswer>;
}
