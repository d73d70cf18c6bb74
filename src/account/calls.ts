/**
 * What Worker and terminals' objects say to an account's object: RPC arguments and answers. Expected outcomes are values;
 * a call throws only when the object or the way to it broke. Deploys are not atomic: a change here stays compatible one
 * version back.
 */
import type { Binding } from "../protocol/binding.ts";
import type { AccountTransaction } from "../protocol/events.ts";
import type { PairIngredients } from "../keys/token-pair.ts";
import type { FeedCalls } from "./feed-calls.ts";
import type { WebhookCalls } from "./webhooks/calls.ts";
import type { ListCalls } from "./list-calls.ts";

export type AccountStatus = "active" | "suspended" | "deleted";

/** What an operator decides about an account, and D1 lists. */
export interface AccountDetails {
  merchantId: string;
  /** ISO 4217. */
  currency: string;
  /** IANA time zone. */
  timezone: string;
  name: string | null;
  /** Where the object stands; null: near the time zone. A location hint of the platform (`region.ts`). */
  region: string | null;
}

/** An account as it stands. */
export interface AccountView extends AccountDetails {
  posId: string;
  status: AccountStatus;
  /** Epoch milliseconds. */
  createdAt: number;
  /** The version of the terms: grows with every change of the account, and never comes back. */
  version: number;
}

/** A signing key, sealed (`src/keys/sealing.ts`), and as what it was sealed. */
export interface SealedSigningKey {
  sealed: string;
  kind: "account-signing-key" | "account-previous-signing-key";
}

// The operator's calls. `actor` is the operator's name; the object writes the audit row in the turn of the change.

export interface NewAccount extends AccountDetails {
  posId: string;
  passwordHash: string;
  sealedSigningKey: string;
}

/** `taken`: there is an account under this posId, or was. */
export type CreateOutcome = { kind: "created"; account: AccountView } | { kind: "taken" };

/** What an operator can change. Undefined: stays as it is. */
export interface AccountChanges {
  status?: "active" | "suspended" | undefined;
  /** A new password ends every session. */
  passwordHash?: string | undefined;
  merchantId?: string | undefined;
  currency?: string | undefined;
  timezone?: string | undefined;
  /** null: it has none any more. */
  name?: string | null | undefined;
}

export type ChangeOutcome = { kind: "changed"; account: AccountView } | { kind: "deleted" } | { kind: "unknown" };

/** `previousValidUntil`: epoch milliseconds; null where the key before is not taken any more. */
export type RotateOutcome =
  { kind: "rotated"; previousValidUntil: number | null } | { kind: "deleted" } | { kind: "unknown" };

// Sessions.

/** What a login is checked against. `unknown`: there is no such account. */
export type Credentials = { kind: "known"; passwordHash: string; passwordVersion: number } | { kind: "unknown" };

/** Why a token's session is not good. Judged in this order: account, then session. */
export type Standing =
  | { kind: "good"; account: AccountView }
  | { kind: "unknown" }
  | { kind: "not-active"; status: "suspended" | "deleted" }
  | { kind: "session-ended" };

/** `stale`: the password was changed after it was checked. */
export type OpenOutcome =
  | { kind: "opened"; sessionId: string; pair: PairIngredients }
  | { kind: "stale" }
  | { kind: "unknown" }
  | { kind: "not-active"; status: "suspended" | "deleted" };

/** A login that is signed with the account's signing key in place of a password. */
export interface SignedLogin {
  /** The canonical form (RFC 8785) of the message without `signature`. */
  signedForm: string;
  signature: string;
  /** Until when its `datetime` is acceptable, epoch milliseconds. So long it is remembered, and refused a second time. */
  until: number;
}

export type SignedOpenOutcome =
  Exclude<OpenOutcome, { kind: "stale" }> | { kind: "wrong-signature" } | { kind: "used" } | { kind: "unreadable-key" };

/** `used`: the refresh token was used before, and its session has ended for it. */
export type RefreshOutcome =
  { kind: "refreshed"; pair: PairIngredients } | { kind: "used" } | Exclude<Standing, { kind: "good" }>;

// Transfers.

/** A signed message of a till, as far as the account can judge it. */
export interface AdmissionQuestion {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  /** The message's `posId`. */
  posId: string;
  deviceId: string;
  /** What is asked: only a transaction is expected to be new. */
  ask: "transaction" | "question" | "cancel";
  /** The reference that has to be this device's; null where the message means none. */
  referenceId: string | null;
  /** The message claims the reference for its device; else it only looks. */
  claims: boolean;
  /** What was signed: the canonical form (RFC 8785) of the body without `signature`. */
  signedForm: string;
  /** The message's `signature`; null where it has none that could hold. */
  signature: string | null;
}

/** The account's terms as a transfer is judged by. */
export type Terms = Binding & { version: number };

/**
 * `admitted`: everything that the account can judge is fine, and the reference is claimed.
 * `refused`: each member names one thing that is wrong with the message.
 */
export type Admission =
  | {
      kind: "admitted";
      terms: Terms;
      /** The key that verified the message, which signs the answer. */
      key: SealedSigningKey;
      /** A transaction under this reference is recorded: a terminal's object that does not know it has forgotten it. */
      recorded: boolean;
    }
  | Exclude<Standing, { kind: "good" }>
  | { kind: "other-account" }
  /** No master key opens the account's signing key. */
  | { kind: "unreadable-key" }
  /** `bound`: the device is bound to the account now, as far as the account was told. */
  | { kind: "wrong-signature"; bound: boolean }
  | { kind: "no-such-device" }
  /** I1: the reference belongs to `holder`; null where the asker must not be told. */
  | { kind: "elsewhere"; holder: string | null }
  /** Too many references were only asked about or cancelled today. `retryAt`: epoch milliseconds. */
  | { kind: "too-many-unknown"; retryAt: number };

// From a terminal's object.

/** A terminal is bound to this account, or not any more. */
export interface DeviceNews {
  terminalId: string;
  /** Of the terminal's binding; news with a lower one are old. */
  bindingVersion: number;
  bound: boolean;
}

/** What a terminal is told of the account that it is bound to. `deleted`: it has to unbind. */
export type TermsNews =
  { kind: "terms"; terms: Terms; status: "active" | "suspended" } | { kind: "deleted"; version: number };

/** A transaction's outcome, to be recorded. Times are epoch milliseconds. */
export interface RecordEntry {
  requestId: number;
  /** Counts the statuses that the transaction has had. A higher one is newer. */
  revision: number;
  deviceId: string;
  /** As in the account's lists, without what the account's object adds. */
  transaction: Omit<AccountTransaction, "requestId" | "deviceId" | "receivedAt" | "settledAt" | "day" | "voidedBy">;
  receivedAt: number;
  settledAt: number | null;
  /** Of a void settled 00: the transaction that it took back. */
  voids: { requestId: number; referenceId: string } | null;
}

/** The entries that need not be told again. One that could not be recorded is left out. */
export type RecordAnswer = { recorded: { requestId: number; revision: number }[] };

/** The object's calls. Those about what an account sees are in files of their own. */
export interface AccountCalls extends FeedCalls, WebhookCalls, ListCalls {
  /** Makes the account. A posId is never given twice. */
  create(account: NewAccount, actor: string): Promise<CreateOutcome>;
  /** When it returns, no transfer that arrives later is judged by the old terms. */
  change(changes: AccountChanges, actor: string): Promise<ChangeOutcome>;
  /** A new signing key. The one before stays good for a while, or not at all with `revokePrevious`. */
  rotateKey(sealedSigningKey: string, revokePrevious: boolean, actor: string): Promise<RotateOutcome>;
  /** Deletes the account: nothing is admitted from now on. Its terminals are unbound as soon as each can be. */
  remove(actor: string): Promise<ChangeOutcome>;
  /** Seals the signing keys under the current master key. Answers its kid; null where there is none, or none opens. */
  reseal(): Promise<string | null>;

  credentials(): Promise<Credentials>;
  /** @param kid the master key that signs the pair */
  openSession(passwordVersion: number, kid: string): Promise<OpenOutcome>;
  /** Opens a session for a signed login, which works once. Judged in this order: signature, account, use. */
  openSignedSession(login: SignedLogin, kid: string): Promise<SignedOpenOutcome>;
  /** Whether a session is good, and the account behind it. */
  standing(sessionId: string): Promise<Standing>;
  /** Exchanges a refresh token (RFC 9700, 4.14.2). */
  refresh(sessionId: string, refreshId: string, kid: string): Promise<RefreshOutcome>;
  /** Ends a session that is good. */
  endSession(sessionId: string): Promise<Standing>;

  /** Judges a message and claims its reference, in one turn. Calling again is harmless: the same claim. */
  admit(question: AdmissionQuestion): Promise<Admission>;

  /** The answer: what the terminal has to know, when it is bound to this account. */
  deviceChanged(news: DeviceNews): Promise<TermsNews>;
  /** I7: records outcomes, each for itself. Calling again with the same is harmless. */
  record(entries: RecordEntry[]): Promise<RecordAnswer>;
}
