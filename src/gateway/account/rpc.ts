/**
 * The RPC between the Worker, the terminals' objects and an account's object. Expected outcomes are values; a call
 * throws only if the object or the connection to it fails. Deployments are not atomic: keep each change compatible with
 * the previous version.
 */
import type { AccountTransaction, ConflictEvent, UnboundBy } from "../../protocol/events.ts";
import type { TimeName } from "../../protocol/statistics.ts";
import type { PairIngredients } from "../secrets/tokens.ts";
import type { Region } from "../../protocol/region.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { AccountTerms, TransferMessage } from "../../protocol/transfer-message.ts";
import type { PingAnswer, Webhook, WebhookState } from "../../protocol/webhooks.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export type AccountStatus = "active" | "suspended" | "deleted";

export interface AccountDetails {
  merchantId: string;
  /** An ISO 4217 code. */
  currency: string;
  /** An IANA time zone. */
  timezone: string;
  name: string | null;
  /** A location hint (`region.ts`); if null, the region is derived from the time zone. */
  region: string | null;
}

export interface AccountView extends AccountDetails {
  posId: string;
  status: AccountStatus;
  /** Unbinding a terminal and replacing the prebind list need a signature: a token alone is not enough. */
  signedChanges: boolean;
  createdAt: EpochMs;
}

/** The account is checked before the session. */
export type SessionStanding =
  | { kind: "good"; account: AccountView }
  | { kind: "unknown" }
  | { kind: "not-active"; status: "suspended" | "deleted" }
  | { kind: "session-ended" };

interface Signature {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  /** The canonical form (RFC 8785) of the body without `signature`, which was signed. */
  signedForm: string;
  /** The message's `signature`, which may be malformed; null if it is missing. */
  signature: string | null;
}

export interface SignedCall extends Signature {
  posId: string;
  datetime: EpochMs;
  /** The nonce is valid once. */
  nonce: string;
}

export interface CallOrigin {
  session: string;
  address: string;
}

export type CallRefusal =
  | Exclude<SessionStanding, { kind: "good" }>
  | { kind: "other-account" }
  | { kind: "unreadable-key" }
  | { kind: "wrong-signature" }
  /** The object's time. */
  | { kind: "clock-off"; now: EpochMs }
  | { kind: "used" };

// The operator's calls. `actor` is the operator's name; the object writes the audit row in the turn of the change.

export interface NewAccount extends AccountDetails {
  posId: string;
  sealedPassword: string;
  sealedSigningKey: string;
}

/** With `taken`, an account has or had this posId. */
export type CreateOutcome = { kind: "created"; account: AccountView } | { kind: "taken" };

/** Undefined members stay unchanged. */
export interface AccountChanges {
  status?: "active" | "suspended" | undefined;
  /** A new password ends every session. */
  sealedPassword?: string | undefined;
  merchantId?: string | undefined;
  currency?: string | undefined;
  timezone?: string | undefined;
  /** A null removes the name. */
  name?: string | null | undefined;
  signedChanges?: boolean | undefined;
}

export type ChangeOutcome = { kind: "changed"; account: AccountView } | { kind: "deleted" } | { kind: "unknown" };

export type RotateOutcome =
  /** `previousValidUntil` is null if no previous key is accepted any more. */
  | { kind: "rotated"; previousValidUntil: number | null }
  /** As many previous keys as allowed are still valid; the first expires at `until`. */
  | { kind: "too-many-keys"; until: EpochMs }
  | { kind: "deleted" }
  | { kind: "unknown" };

// Sessions.

/** `unreadable`: no master key decrypts the credential. `not-active`: only after the right credential. */
export type OpenOutcome =
  | { kind: "opened"; sessionId: string; pair: PairIngredients }
  | { kind: "unknown" }
  | { kind: "wrong" }
  | { kind: "unreadable" }
  | { kind: "not-active"; status: "suspended" | "deleted" };

export interface SignedLogin {
  /** The canonical form (RFC 8785) of the message without `signature`. */
  signedForm: string;
  signature: string;
  /**
   * When its `datetime` stops being acceptable. Until then the login is remembered and refused if
   * repeated.
   */
  until: EpochMs;
}

export type SignedOpenOutcome = OpenOutcome | { kind: "used" };

/** `used`: the refresh token was used before, so its session has ended. */
export type RefreshOutcome =
  { kind: "refreshed"; pair: PairIngredients } | { kind: "used" } | Exclude<SessionStanding, { kind: "good" }>;

// Transfers.

/** A POS's message as the account's object judges it. */
export type SignedMessage = TransferMessage & Signature;

export interface Admitted {
  kind: "admitted";
  /** The terms at admission. */
  terms: AccountTerms;
  /** The text of the signing key that verified the message: it signs the answer. Never store or log it. */
  signingKey: string;
  /**
   * Whether a transaction with this reference is recorded. If the terminal's object does not find it, its journal has
   * deleted it.
   */
  recorded: boolean;
}

export type Admission =
  | Admitted
  | Exclude<SessionStanding, { kind: "good" }>
  | { kind: "other-account" }
  | { kind: "unreadable-key" }
  /** `bound` says whether the device is bound now, according to the account. */
  | { kind: "wrong-signature"; bound: boolean }
  | { kind: "no-such-device" }
  /**
   * The reference belongs to `holder` (I1); null if the caller must not learn the device. `open`: its transaction is
   * recorded and not completed.
   */
  | { kind: "elsewhere"; holder: string | null; open: boolean }
  /** The account has asked about or cancelled too many unknown references today. */
  | { kind: "too-many-unknown"; retryAt: EpochMs };

// From a terminal's object.

export interface DeviceUpdate {
  terminalId: string;
  /** Lower versions are outdated. */
  bindingVersion: number;
  bound: boolean;
  unboundBy?: UnboundBy;
}

/** With `deleted`, the terminal must unbind. `actor` deleted the account, if that is known. */
export type AccountUpdate =
  | { kind: "terms"; terms: AccountTerms; status: "active" | "suspended" }
  | { kind: "deleted"; version: number; actor?: string };

/** The names are in `protocol/statistics.ts`. A missing time did not happen or was not measured. */
export type RecordedTimes = Partial<Record<TimeName, number>>;

export interface RecordEntry {
  requestId: number;
  /** Counts the transaction's statuses. */
  revision: number;
  deviceId: string;
  transaction: Omit<AccountTransaction, "requestId" | "deviceId" | "receivedAt" | "completedAt" | "day" | "voidedBy">;
  receivedAt: EpochMs;
  completedAt: EpochMs | null;
  /** It is null if the transaction is not completed. */
  times: RecordedTimes | null;
  /** The voided transaction, for a void completed 00. */
  voids: { requestId: number; referenceId: string } | null;
}

/** The terminal's object retries the entries that are missing here. */
export type RecordAnswer = { recorded: { requestId: number; revision: number }[] };

export type ReportedResult = ConflictEvent["data"]["reported"];

/** A conflicting result stays open until an operator closes it, and changes no status (I2). */
export interface ConflictUpdate {
  /** The version of this report, because each report is delivered separately. */
  version: number;
  entry: RecordEntry;
  reportedAt: EpochMs;
  reported: ReportedResult;
}

/** A null `terminalId` stands for the only terminal that has a transaction with this number. */
export interface CloseCall {
  requestId: number;
  terminalId: string | null;
  reason: string;
  actor: string;
}

export type CloseOutcome =
  | { kind: "closed" }
  | { kind: "not-open" }
  | { kind: "unknown" }
  /** Results of more than one terminal with this number are open. */
  | { kind: "ambiguous"; terminals: string[] };

export type BindingOutcome = { kind: "noted" } | { kind: "too-many"; retryAt: EpochMs };

/**
 * The calls that the object declares itself. The generated stub type maps every argument through the types of Workers
 * RPC, which does not terminate for JSON; only plain data crosses here, so the object's own methods describe it
 * exactly.
 */
export type CallsOf<Namespace> =
  Namespace extends DurableObjectNamespace<infer Object> ? Omit<Object, keyof DurableObject> : never;

export type AccountStub = Pick<DurableObjectStub, "fetch"> & CallsOf<Env["ACCOUNT"]>;

/**
 * A stub that threw is broken (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a
 * new one for every attempt.
 *
 * @param near the region for a new object; ignored for an existing one
 *   (https://developers.cloudflare.com/durable-objects/reference/data-location/)
 */
export function accountStub(env: Env, posId: string, near?: Region): AccountStub {
  const namespace = env.ACCOUNT as unknown as {
    getByName: (name: string, options?: { locationHint: DurableObjectLocationHint }) => AccountStub;
  };
  return near === undefined ? namespace.getByName(posId) : namespace.getByName(posId, { locationHint: near });
}

export interface EventsQuestion {
  sessionId: string;
  /** The last event that the reader has read; 0 if none; null to get only the newest number. */
  after: number | null;
}

export type EventsAnswer =
  /**
   * Events in order, as the texts to deliver. `next`: the number to continue after. `skipped`: how many numbers up to
   * `next` are missing, because their events are deleted.
   */
  | { kind: "events"; bodies: string[]; next: number; skipped: number }
  /** The number was never assigned. Events from `oldest` to `newest` exist; both are 0 if there are none. */
  | { kind: "out-of-range"; oldest: number; newest: number }
  | Exclude<SessionStanding, { kind: "good" }>;

export type EventAnswer =
  { kind: "event"; body: string } | { kind: "no-such-event" } | Exclude<SessionStanding, { kind: "good" }>;

/** The Worker waits for an event by an upgrade of `/wait?after=NUMBER`, with the session in this header. */
export const WAIT_SESSION = "X-Session";

/** A transaction must match every filter; null matches any. */
export interface RecordFilters {
  /** `YYYY-MM-DD`. An open transaction has no day. */
  day: string | null;
  deviceId: string | null;
  statusCode: StatusCode | null;
  transType: TransactionType | null;
  referenceId: string | null;
  responseCode: string | null;
}

type GivenFilters = { [Name in keyof RecordFilters]?: RecordFilters[Name] | undefined };

/** A filter that is not given matches everything. */
export function transactionFilters(given: GivenFilters): RecordFilters {
  const { day = null, deviceId = null, statusCode = null, transType = null, referenceId = null } = given;
  const { responseCode = null } = given;
  return { day, deviceId, statusCode, transType, referenceId, responseCode };
}

export interface ListQuestion {
  filters: RecordFilters;
  /** `next` of the previous page; null to start with the newest. */
  before: number | null;
  limit: number;
  /** Selects transactions last recorded from `from` on and before `to`; null sets no bound. */
  period: { from: number | null; to: number | null };
}

/** A filter that is not given matches everything, and the page starts with the newest. */
export function listQuestion(
  given: GivenFilters,
  page: Pick<ListQuestion, "limit"> & Partial<Omit<ListQuestion, "filters">>,
): ListQuestion {
  return { filters: transactionFilters(given), before: null, period: { from: null, to: null }, ...page };
}

export type ListAnswer =
  /**
   * The newest come first. `next` is null on the last page. A page may be shorter than its limit, or empty, and still
   * have a `next`.
   */
  | { kind: "page"; data: AccountTransaction[]; next: number | null }
  /** The reference is claimed but has no record: ask its terminal's object. */
  | { kind: "ask"; deviceId: string };

/** The properties of the wanted payment; null matches anything. */
export interface SearchTerms {
  referenceId: string | null;
  /** The amount that the card is charged, with the cash of a cashOut, in hundredths. */
  amount: number | null;
  cardLastFour: string | null;
  terminalId: string | null;
  /**
   * Selects by completion, or by arrival for an open transaction, from `from` on and before `to`.
   */
  from: EpochMs | null;
  to: number | null;
}

/** Candidates of a search, as D1 names them. */
export interface SearchQuestion {
  searchTerms: SearchTerms;
  /** The numbers of the events that completed them. */
  events: number[];
  references: string[];
}

export interface SearchAnswer {
  /** The transactions, in no order, including those that D1 lacks. */
  data: AccountTransaction[];
  /** It is false if D1 lacks more than the answer looks at. */
  isComplete: boolean;
}

/** `id` is the number in `wh_<number>`. Undefined members stay unchanged. */
export type WebhookChange =
  | { kind: "add"; url: string }
  | { kind: "change"; id: number; url?: string | undefined; enabled?: boolean | undefined }
  | { kind: "remove"; id: number }
  | { kind: "secret"; id: number }
  /** Sends the endpoint everything after this number, even events that it has accepted before. */
  | { kind: "replay"; id: number; after: number };

export type ChangeRefusal =
  | { kind: "no-such-webhook" }
  | { kind: "too-many" }
  /** An operator stopped the endpoint, or one with this host: only an operator starts it. `path`: the member to blame. */
  | { kind: "stopped"; path: "" | "enabled" | "url" }
  /** The feed cannot be read from this number; `oldest` and `newest` exist. */
  | { kind: "no-such-event"; oldest: number; newest: number };

/** `secret` is present if it is new. */
export type ChangedWebhook = { kind: "changed"; webhook: Webhook; secret?: string } | { kind: "removed" };

export type WebhookOutcome = ChangedWebhook | ChangeRefusal | CallRefusal;

/** `unreadable`: no master key can decrypt the endpoint. */
export type PingOutcome =
  | ({ kind: "answered" } & PingAnswer)
  | { kind: "too-soon"; retryAt: EpochMs }
  | { kind: "stopped" }
  | { kind: "no-such-webhook" }
  | { kind: "unreadable" };

export type SwitchOutcome = { kind: "switched"; webhook: WebhookState } | { kind: "no-such-webhook" };
