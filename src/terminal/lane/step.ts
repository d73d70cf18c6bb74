/**
 * The state machine of a terminal's lane: one pure function of (lane, event, now). Everything that is decided about a
 * transaction is decided below it; the object only looks rows up, writes what changed, and carries the effects out.
 */
import {
  callerGone,
  callerPatient,
  cancel,
  inquire,
  resolve,
  submit,
  suspend,
  type Cancel,
  type Inquire,
  type Reply,
  type Submit,
} from "./arrivals.ts";
import { passTime } from "./deadlines.ts";
import { hello, type Hello } from "./hello.ts";
import { draftOf, type Draft, type Effect, type Lane } from "./lane.ts";
import { sendNext } from "./pump.ts";
import {
  accepted,
  progress,
  refused,
  result,
  stray,
  type Accepted,
  type Progress,
  type Refused,
  type Result,
} from "./reports.ts";
import type { Transaction } from "./transaction.ts";

/** Everything that can happen to a lane, at any time and in any order. */
export type LaneEvent =
  | Submit
  | Cancel
  | Inquire
  | Hello
  | Accepted
  | Refused
  | Progress
  | Result
  /** A report about a request that this terminal was never sent. */
  | { kind: "stray"; requestId: number }
  /** A sign of life that says nothing else: the answer to a probe. */
  | { kind: "pong" }
  /** A connection was opened (it may still say hello), or none that was opened is left. */
  | { kind: "greeting"; open: boolean }
  /** A connection ended, closed by whomever. */
  | { kind: "lost"; connection: number }
  /** The object was started anew, and the connection that was current is not there any more. */
  | { kind: "restarted" }
  /** The alarm. */
  | { kind: "deadline" }
  | { kind: "caller-gone"; requestId: number }
  | { kind: "caller-patient"; requestId: number }
  | { kind: "suspended"; posId: string }
  | { kind: "resolve"; requestId: number; statusCode: "00" | "11"; reason: string };

export interface Step {
  lane: Lane;
  /** Every transaction that is new or has changed, to be written before any effect is carried out. */
  changed: readonly Transaction[];
  effects: readonly Effect[];
  /** To `submit`, `cancel` and `inquire`. */
  reply: Reply | null;
  /** To `resolve`: whether it was in a state to be resolved. */
  resolved: boolean;
}

/**
 * @param now epoch milliseconds
 */
export function step(lane: Lane, event: LaneEvent, now: number): Step {
  const draft = draftOf(lane, now);
  // A POS is told what time has brought about by now. What the terminal reports, on the other hand, is heard before its
  // time is judged to be over: evidence that is there wins over a deadline that nobody has been told of yet.
  if (isAsked(event)) passTime(draft);
  const { reply, resolved } = handle(draft, refresh(draft, event));
  passTime(draft);
  sendNext(draft);
  return {
    reply: reply?.() ?? null,
    resolved,
    lane: { open: draft.open, link: draft.link },
    changed: [...draft.changed.values()],
    effects: draft.effects,
  };
}

function isAsked(event: LaneEvent): boolean {
  return event.kind === "submit" || event.kind === "cancel" || event.kind === "inquire" || event.kind === "resolve";
}

/** The event's look-ups were made before time passed; where that changed a row, the event means the new one. */
function refresh(draft: Draft, event: LaneEvent): LaneEvent {
  const latest = <T extends Transaction | null>(row: T): T =>
    (row === null ? null : (draft.changed.get(row.requestId) ?? draft.open.get(row.requestId) ?? row)) as T;
  switch (event.kind) {
    case "submit":
      return {
        ...event,
        known: latest(event.known),
        target: latest(event.target),
        otherVoids: event.otherVoids.map(latest),
      };
    case "cancel":
      return { ...event, known: latest(event.known) };
    case "inquire":
      return { ...event, target: latest(event.target) };
    case "accepted":
    case "refused":
    case "progress":
    case "result":
      return { ...event, transaction: latest(event.transaction) };
    default:
      return event;
  }
}

function handle(draft: Draft, event: LaneEvent): { reply: (() => Reply) | null; resolved: boolean } {
  const nothing = { reply: null, resolved: false };
  switch (event.kind) {
    case "submit":
      return { reply: submit(draft, event), resolved: false };
    case "cancel":
      return { reply: cancel(draft, event), resolved: false };
    case "inquire":
      return { reply: inquire(draft, event), resolved: false };
    case "hello":
      hello(draft, event);
      return nothing;
    case "accepted":
      accepted(draft, event);
      return nothing;
    case "refused":
      refused(draft, event);
      return nothing;
    case "progress":
      progress(draft, event);
      return nothing;
    case "result":
      result(draft, event);
      return nothing;
    case "stray":
      stray(draft, event.requestId);
      return nothing;
    case "pong":
    case "deadline":
      return nothing;
    case "greeting":
      draft.link = { ...draft.link, greeting: event.open };
      return nothing;
    case "lost":
      if (draft.link.current?.number === event.connection) {
        draft.link = { ...draft.link, current: null, lostAt: draft.now };
      }
      return nothing;
    case "restarted":
      draft.link = { ...draft.link, current: null, lostAt: draft.now };
      return nothing;
    case "caller-gone":
      callerGone(draft, event.requestId);
      return nothing;
    case "caller-patient":
      callerPatient(draft, event.requestId);
      return nothing;
    case "suspended":
      suspend(draft, event.posId);
      return nothing;
    case "resolve":
      return { reply: null, resolved: resolve(draft, event.requestId, event.statusCode, event.reason) };
  }
}

/** The lane with a sign of life of the current connection, from the platform's heartbeat or a frame, at epoch `at`. */
export function heard(lane: Lane, at: number): Lane {
  const { current } = lane.link;
  if (current === null || at <= current.heardAt) return lane;
  const probedAt = current.probedAt !== null && at >= current.probedAt ? null : current.probedAt;
  return { ...lane, link: { ...lane.link, current: { ...current, heardAt: at, probedAt } } };
}
