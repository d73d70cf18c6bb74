/** The RPC calls of the Worker about what an account sees and sets: its feed, its transactions, its webhooks. The rules are in `account.ts`. */
import type { Standing, CallRefusal, SignedCall } from "./standing.ts";
import type { AccountTransaction } from "../protocol/events.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import type { DayTotals } from "../protocol/totals.ts";
import type { CountedHours } from "../statistics/counted-day.ts";
import type { TransactionType } from "../protocol/transfer-types.ts";
import type { PingAnswer, Webhook, WebhookState } from "../protocol/webhooks.ts";

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

/** Only transactions that match every filter; null matches any. */
export interface TransactionFilters {
  /** `YYYY-MM-DD`. An open transaction has no day. */
  day: string | null;
  deviceId: string | null;
  statusCode: StatusCode | null;
  transType: TransactionType | null;
  referenceId: string | null;
  /** Added later: an object of the version before ignores it. */
  responseCode?: string | null;
}

export interface ListQuestion {
  filters: TransactionFilters;
  /** `next` of the previous page; null: start with the newest. */
  before: number | null;
  limit: number;
  /**
   * Only transactions that were recorded, as they stand, from one time on and before another: epoch milliseconds; null: any. Added
   * later: an object of the version before ignores it.
   */
  period?: { from: number | null; to: number | null };
}

export type ListAnswer =
  /**
   * Newest first. `next` is null on the last page. A page may be shorter than its limit, or empty, and still have a `next`.
   */
  | { kind: "page"; data: AccountTransaction[]; next: number | null }
  /** The reference is claimed but has no record: ask its terminal's object. */
  | { kind: "ask"; deviceId: string };

/** The object throws if there is no account. */
export interface ListCalls {
  transactions(question: ListQuestion): Promise<ListAnswer>;
  /**
   * What a business day adds up to.
   *
   * @param day `YYYY-MM-DD`; null: the day that a completion counts for now
   * @param deviceId null: the whole account
   */
  totals(day: string | null, deviceId: string | null): Promise<DayTotals>;
  /**
   * What completed transactions add up to: of the days (since 1970, UTC) from one to another, both included. Days without
   * one are missing.
   */
  statistics(from: number, to: number): Promise<[day: number, hours: CountedHours][]>;
  /** Whether a terminal is or was bound to the account. */
  hasDevice(terminalId: string): Promise<boolean>;
}

/** What a call changes. `id`: the number in `wh_<number>`. Undefined members stay unchanged. */
export type WebhookChange =
  | { kind: "add"; url: string }
  | { kind: "change"; id: number; url?: string | undefined; enabled?: boolean | undefined }
  | { kind: "remove"; id: number }
  | { kind: "secret"; id: number }
  /** Sends the endpoint everything after this number, even if it has taken it before. */
  | { kind: "replay"; id: number; after: number };

/** Why an accepted call changes nothing. */
export type ChangeRefusal =
  | { kind: "no-such-webhook" }
  /** The account has the maximum number of endpoints. */
  | { kind: "too-many" }
  /** An operator has stopped the endpoint: only an operator starts it. */
  | { kind: "stopped" }
  /** The feed cannot be read from this number; these numbers exist. */
  | { kind: "no-such-event"; oldest: number; newest: number };

export type WebhookOutcome =
  { kind: "changed"; webhook: Webhook; secret?: string } | { kind: "removed" } | ChangeRefusal | CallRefusal;

/** `retryAt`: epoch milliseconds. `unreadable`: no master key can decrypt the endpoint. */
export type PingOutcome =
  | ({ kind: "answered" } & PingAnswer)
  | { kind: "too-soon"; retryAt: number }
  | { kind: "no-such-webhook" }
  | { kind: "unreadable" };

/** What the operator sees. */
export type SwitchOutcome = { kind: "switched"; webhook: WebhookState } | { kind: "no-such-webhook" };

export interface WebhookCalls {
  webhooks(): Promise<Webhook[]>;
  /** A signed call of the account. */
  changeWebhook(call: SignedCall, change: WebhookChange): Promise<WebhookOutcome>;
  /** Sends an endpoint a signed `ping`, outside the order of its events. */
  pingWebhook(id: number): Promise<PingOutcome>;
  /** The account's endpoints, as operators see them. */
  webhookStates(): Promise<WebhookState[]>;
  /** An operator stops an endpoint, or starts one that an operator has stopped. */
  switchWebhook(wanted: { id: number; enabled: boolean }, actor: string): Promise<SwitchOutcome>;
}
