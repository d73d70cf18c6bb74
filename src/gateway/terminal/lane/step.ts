/**
 * One pure function of (lane, event, now) makes every decision about a transaction. The object only looks up rows,
 * writes what changed, and performs the effects.
 */
import {
  handleCallerGone,
  callerDetached,
  cancel,
  inquire,
  resolve,
  submit,
  suspend,
  type Cancel,
  type Inquire,
  type Reply,
  type Resolution,
  type ResolveEvent,
  type Submit,
} from "./arrivals.ts";
import { passTime } from "./deadlines.ts";
import { sendNext } from "./queue.ts";
import {
  handleHello,
  type Hello,
  handleAccepted,
  handleProgress,
  handleRefused,
  handleResult,
  orphan,
  type AboutRequest,
  type ProgressEvent,
  type Refused,
  type ResultEvent,
  type Orphan,
} from "./reports.ts";
import {
  createDraft,
  endConnection,
  type LaneDraft,
  type Effect,
  type Lane,
  type ConnectionLink,
  type LaneTransaction,
} from "./lane.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** Events may come at any time and in any order. */
interface Events {
  submit: Submit;
  cancel: Cancel;
  inquire: Inquire;
  hello: Hello;
  accepted: AboutRequest;
  refused: Refused;
  progress: ProgressEvent;
  result: ResultEvent;
  orphan: Orphan;
  /** The answer to a probe is activity without any other meaning. */
  pong: object;
  /** The connection was closed by either side. */
  lost: { connection: number };
  /** The alarm has fired. */
  deadline: object;
  "caller-gone": { requestId: number };
  "caller-detached": { requestId: number };
  suspended: { posId: string };
  resolve: ResolveEvent;
}

export type EventKind = keyof Events;

export type LaneEvent<Kind extends EventKind = EventKind> = {
  [Each in Kind]: { kind: Each } & Events[Each];
}[Kind];

interface Replies {
  submit: Reply;
  cancel: Reply;
  inquire: Reply;
  resolve: Resolution;
}

/** It is null for a kind of event that gets no reply. */
export type ReplyTo<Kind extends EventKind> = {
  [Each in EventKind]: Each extends keyof Replies ? Replies[Each] : null;
}[Kind];

export interface LaneStep<Kind extends EventKind = EventKind> {
  lane: Lane;
  /** Every new or changed transaction, to be written before any effect is performed. */
  changed: readonly LaneTransaction[];
  effects: readonly Effect[];
  reply: ReplyTo<Kind>;
}

export function step<Kind extends EventKind>(lane: Lane, event: LaneEvent<Kind>, now: EpochMs): LaneStep<Kind> {
  const draft = createDraft(lane, now);
  // A POS or an operator gets the state as of now. A terminal's report is processed before its deadline: evidence wins
  // over a deadline that nobody has seen the effect of yet.
  if (GETS_REPLY.has(event.kind)) passTime(draft);
  const kind: Kind = event.kind;
  const makeReply = HANDLERS[kind](draft, event);
  passTime(draft);
  sendNext(draft);
  return {
    // The reply is made only now: `passTime` and `sendNext` may have sent or completed the transaction.
    reply: makeReply(),
    lane: { open: draft.open, link: draft.link },
    changed: [...draft.changed.values()],
    effects: draft.effects,
  };
}

const GETS_REPLY: ReadonlySet<EventKind> = new Set<keyof Replies>(["submit", "cancel", "inquire", "resolve"]);

type Handlers = {
  readonly [Kind in EventKind]: (draft: LaneDraft, event: LaneEvent<Kind>) => () => ReplyTo<Kind>;
};

const HANDLERS: Handlers = {
  submit: (draft, event) =>
    submit(draft, {
      ...event,
      known: latest(draft, event.known),
      target: latest(draft, event.target),
      otherVoids: event.otherVoids.map((row) => latest(draft, row)),
    }),
  cancel: (draft, event) => cancel(draft, { ...event, known: latest(draft, event.known) }),
  inquire: (draft, event) => inquire(draft, { ...event, target: latest(draft, event.target) }),
  resolve,
  hello: withoutReply(handleHello),
  accepted: withoutReply(handleAccepted),
  refused: withoutReply(handleRefused),
  progress: withoutReply(handleProgress),
  result: withoutReply(handleResult),
  orphan: withoutReply(orphan),
  pong: withoutReply(() => undefined),
  lost: withoutReply((draft, { connection }) => {
    if (draft.link.current?.number === connection) endConnection(draft);
  }),
  deadline: withoutReply(() => undefined),
  "caller-gone": withoutReply(handleCallerGone),
  "caller-detached": withoutReply(callerDetached),
  suspended: withoutReply(suspend),
};

function withoutReply<Event>(
  handler: (draft: LaneDraft, event: Event) => void,
): (draft: LaneDraft, event: Event) => () => null {
  return (draft, event) => {
    handler(draft, event);
    return () => null;
  };
}

/** Rows were looked up before time passed in this step. If that changed a row, the event is about the new one. */
function latest<Row extends LaneTransaction | null>(draft: LaneDraft, row: Row): Row | LaneTransaction {
  return row === null ? row : (draft.changed.get(row.requestId) ?? draft.open.get(row.requestId) ?? row);
}

/**
 * Returns the link with the current connection's latest activity, a heartbeat or a frame.
 */
export function withActivity(link: ConnectionLink, at: EpochMs): ConnectionLink {
  const { current } = link;
  if (current === null || at <= current.heardAt) return link;
  const [probedAt, pingedAt] = [unanswered(current.probedAt, at), unanswered(current.pingedAt, at)];
  return { ...link, current: { ...current, heardAt: at, probedAt, pingedAt } };
}

/** Returns null if activity at `at` has answered the ping. */
function unanswered(sentAt: EpochMs | null, at: EpochMs): number | null {
  return sentAt !== null && at >= sentAt ? null : sentAt;
}
