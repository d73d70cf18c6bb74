/** One event at a time on a lane with given rows, and everything that it changes. */
import type { FinalStatusCode } from "../../../../../src/protocol/status-codes.ts";
import { gatewayAnswer, type Outcome } from "../../../../../src/protocol/transactions.ts";
import type { GatewayCode } from "../../../../../src/protocol/gateway-codes.ts";
import { INITIAL_PROGRESS, step } from "../../../../../src/gateway/terminal/lane/index.ts";
import type {
  EventKind,
  Lane,
  LaneEvent,
  ConnectionLink,
  ReplyTo,
  LaneTransaction,
} from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";

export const NOW = 1_800_000_000_000;
export const LIFE = 90 * SECOND;
export const ID = 1_000_000_001;
export const VERSIONS = { softwareVersion: "1", terminalSn: "2" };
/** The connection and the memory of the terminal. */
export const CONNECTION = 7;
export const MEMORY = "one";

const FROZEN = { merchantId: "M", currency: "MYR", timezone: "UTC", transAmt: "10.00" };
export const TERMS = { transAmt: "10.00", paymentMethod: "bankCard" };

export const RECEIVED = { stage: "received", at: NOW };
export const SENT = { stage: "sent", at: NOW };
export const ACCEPTED = { stage: "accepted", at: NOW };

/** A sale that arrived now and waits for its turn. */
export function queued(members: Partial<LaneTransaction> = {}): LaneTransaction {
  return {
    requestId: ID,
    posId: "P",
    referenceId: "a",
    transType: "sale",
    terms: TERMS,
    details: {},
    frozen: FROZEN,
    receivedAt: NOW,
    endsAt: NOW + LIFE,
    state: "queued",
    attempt: 0,
    reached: false,
    ...INITIAL_PROGRESS,
    stages: [RECEIVED],
    ...members,
  };
}

/** What every message of a POS has when it arrives: it is valid, and its terminal is bound. */
export const ARRIVAL = {
  posId: "P",
  deviceId: "T",
  merchantId: "M",
  referenceId: "a",
  datetime: NOW,
  account: { posId: "P", merchantId: "M", currency: "MYR", timezone: "UTC", version: 0 },
  recorded: false,
  arrivedAt: NOW,
  problems: [],
  channel: "usable",
  detached: false,
  stages: false,
  bound: true,
  life: LIFE,
} as const satisfies Partial<LaneEvent<"submit">>;

/** A sale that was sent on the current connection. */
export function sent(members: Partial<LaneTransaction> = {}): LaneTransaction {
  return queued({
    state: "sent",
    attempt: 1,
    reached: true,
    sending: { connection: CONNECTION, memory: MEMORY, at: NOW, deliverBy: NOW + 10 * SECOND },
    stages: [RECEIVED, SENT],
    ...members,
  });
}

/** A sale that the terminal works on. */
export function accepted(members: Partial<LaneTransaction> = {}): LaneTransaction {
  return sent({ state: "accepted", acceptanceProved: true, stages: [RECEIVED, SENT, ACCEPTED], ...members });
}

/** A sale that the terminal could not finish: it sent a 22. */
export function pending(members: Partial<LaneTransaction> = {}): LaneTransaction {
  const outcome = reported("22");
  return accepted({ state: "pending", pendingReason: "reported", outcome, revision: 1, ...members });
}

/** A sale with the terminal's own outcome. */
export function completed(statusCode: FinalStatusCode, members: Partial<LaneTransaction> = {}): LaneTransaction {
  return accepted({
    state: "completed",
    outcome: reported(statusCode),
    completedBy: "terminal",
    completedAt: NOW,
    revision: 1,
    ...members,
  });
}

export function reported(statusCode: Outcome["statusCode"], transData = { invNo: "1" }): Outcome {
  return { statusCode, responseCode: statusCode, ...VERSIONS, transData };
}

export function linkOf(current: Partial<NonNullable<ConnectionLink["current"]>> = {}): ConnectionLink {
  return {
    current: {
      number: CONNECTION,
      memory: MEMORY,
      heardAt: NOW,
      roundTrip: 0,
      probedAt: null,
      pingedAt: null,
      ...current,
    },
    lostAt: null,
    ...VERSIONS,
  };
}

/** No terminal is connected, since a long time ago. */
export const OFFLINE: ConnectionLink = { current: null, lostAt: null, ...VERSIONS };

export function laneOf(rows: readonly LaneTransaction[], link: ConnectionLink = linkOf()): Lane {
  const open = rows.filter(({ state }) => state !== "completed").map((row) => [row.requestId, row] as const);
  return { open: new Map(open), link };
}

/** An effect, with a transaction's number in place of the transaction. */
type Seen = { kind: string } & Record<string, unknown>;

export interface Taken<Kind extends EventKind> {
  reply: ReplyTo<Kind>;
  /** What each changed row has become, members that are the same left out. */
  changes: Record<number, Partial<LaneTransaction>>;
  effects: Seen[];
  lane: Lane;
}

export function take<Kind extends EventKind>(lane: Lane, event: LaneEvent<Kind>, now = NOW): Taken<Kind> {
  const { lane: next, changed, effects, reply } = step(lane, event, now);
  const known = new Map(lane.open);
  if ("transaction" in event && event.transaction !== null) known.set(event.requestId, event.transaction);
  const changes = changed.map((row) => [row.requestId, difference(known.get(row.requestId), row)] as const);
  return { reply, changes: Object.fromEntries(changes), effects: effects.map(seen), lane: next };
}

function seen(effect: { kind: string; transaction?: LaneTransaction }): Seen {
  if (effect.transaction === undefined) return { ...effect };
  return { kind: effect.kind, requestId: effect.transaction.requestId };
}

function difference(before: LaneTransaction | undefined, after: LaneTransaction): Partial<LaneTransaction> {
  if (before === undefined) return after;
  const members = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof LaneTransaction]),
  );
  return Object.fromEntries(members);
}

/** What changes in a row when the gateway completes it with one of its own answers. */
export function completedWith(row: LaneTransaction, code: GatewayCode, at = NOW): Partial<LaneTransaction> {
  return {
    state: "completed",
    outcome: gatewayAnswer(code, VERSIONS),
    completedBy: "gateway",
    completedAt: at,
    stages: [...row.stages, { stage: "completed", at }],
    revision: row.revision + 1,
  };
}

/** What is in the answer about a sale that the gateway completed. */
export const KNOWN_DATA = {
  transId: String(ID),
  transAmt: "10.00",
  transDateTime: "2027-01-15T08:00:00",
  currency: "MYR",
  paymentChannel: "",
  invNo: "",
  tid: "",
  mid: "",
};
