/**
 * The RPC arguments and results between Worker, terminals' objects and an account's object. Expected outcomes are values; a
 * call throws only if the object or the connection to it fails. Deployments are not atomic: keep each change compatible
 * with one version back.
 */
import type { Binding } from "../protocol/binding.ts";
import type { AccountTransaction, ContradictedEvent, UnboundBy } from "../protocol/events.ts";
import type { TimeName } from "../protocol/statistics.ts";
import type { PairIngredients } from "../keys/tokens.ts";
import type { Region } from "./region.ts";
import type { AccountDetails, AccountView, Standing, CallOrigin, CallRefusal, SignedCall } from "./standing.ts";
import type { FeedCalls, ListCalls, WebhookCalls } from "./feed.ts";

/** A signing key, sealed (`src/keys/sealing.ts`), with the id that it was sealed for. */
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

/** `taken`: an account has or had this posId. */
export type CreateOutcome = { kind: "created"; account: AccountView } | { kind: "taken" };

/** What an operator can change. Undefined members stay unchanged. */
export interface AccountChanges {
  status?: "active" | "suspended" | undefined;
  /** A new password ends every session. */
  passwordHash?: string | undefined;
  merchantId?: string | undefined;
  currency?: string | undefined;
  timezone?: string | undefined;
  /** null removes the name. */
  name?: string | null | undefined;
  signedChanges?: boolean | undefined;
}

export type ChangeOutcome = { kind: "changed"; account: AccountView } | { kind: "deleted" } | { kind: "unknown" };

/** Times are epoch milliseconds. */
export type RotateOutcome =
  /** null: no previous key is accepted any more. */
  | { kind: "rotated"; previousValidUntil: number | null }
  /** As many previous keys as possible are still valid, the first to end until then. */
  | { kind: "too-many-keys"; until: number }
  | { kind: "deleted" }
  | { kind: "unknown" };

// Sessions.

/** The credentials that a login is checked against. `unknown`: there is no such account. */
export type Credentials = { kind: "known"; passwordHash: string; passwordVersion: number } | { kind: "unknown" };

/** `stale`: the password was changed after the Worker checked it. */
export type OpenOutcome =
  | { kind: "opened"; sessionId: string; pair: PairIngredients }
  | { kind: "stale" }
  | { kind: "unknown" }
  | { kind: "not-active"; status: "suspended" | "deleted" };

/** A login signed with the account's signing key instead of a password. */
export interface SignedLogin {
  /** The canonical form (RFC 8785) of the message without `signature`. */
  signedForm: string;
  signature: string;
  /**
   * When its `datetime` stops being acceptable, epoch milliseconds. Until then the login is remembered and refused a second
   * time.
   */
  until: number;
}

export type SignedOpenOutcome =
  Exclude<OpenOutcome, { kind: "stale" }> | { kind: "wrong-signature" } | { kind: "used" } | { kind: "unreadable-key" };

/** `used`: the refresh token was used before, so its session has ended. */
export type RefreshOutcome =
  { kind: "refreshed"; pair: PairIngredients } | { kind: "used" } | Exclude<Standing, { kind: "good" }>;

// Transfers.

/** The parts of a till's signed message that the account checks. */
export interface AdmissionQuestion {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  posId: string;
  deviceId: string;
  /** What the message asks for. Only a transaction may be new. */
  ask: "transaction" | "question" | "cancel";
  /** The reference that must belong to this device; null if the message names none. */
  referenceId: string | null;
  /** Whether the message claims the reference for its device, or only reads the claim. */
  claims: boolean;
  /** What was signed: the canonical form (RFC 8785) of the body without `signature`. */
  signedForm: string;
  /** The message's `signature`; null if it is missing or malformed. */
  signature: string | null;
}

/** The account's terms that a transfer is checked against. Their version grows with every change that terminals must know. */
export type Terms = Binding & { version: number };

/**
 * `admitted`: the account accepts the message, and the reference is claimed. `refused`: each member names one problem with
 * the message.
 */
export type Admission =
  | {
      kind: "admitted";
      terms: Terms;
      /** The key that verified the message, which signs the answer. */
      key: SealedSigningKey;
      /**
       * A transaction with this reference is recorded. If the terminal's object does not know it, its journal has deleted
       * it.
       */
      recorded: boolean;
    }
  | Exclude<Standing, { kind: "good" }>
  | { kind: "other-account" }
  /** No master key can decrypt the account's signing key. */
  | { kind: "unreadable-key" }
  /** `bound`: whether the device is bound to the account now, as far as the account knows. */
  | { kind: "wrong-signature"; bound: boolean }
  | { kind: "no-such-device" }
  /**
   * I1: the reference belongs to `holder`; null if the caller must not learn which device that is. `open`: its transaction is
   * recorded and not completed.
   */
  | { kind: "elsewhere"; holder: string | null; open: boolean }
  /** The account has asked about or cancelled too many unknown references today. `retryAt`: epoch milliseconds. */
  | { kind: "too-many-unknown"; retryAt: number };

// From a terminal's object.

/** A terminal was bound to this account, or unbound from it. */
export interface DeviceNews {
  terminalId: string;
  /** The version of the terminal's binding. Lower versions are outdated. */
  bindingVersion: number;
  bound: boolean;
  /** Who unbound it. */
  unboundBy?: UnboundBy;
}

/** The account's state for a bound terminal. `deleted`: the terminal must unbind; by whom, if it is known. */
export type TermsNews =
  | { kind: "terms"; terms: Terms; status: "active" | "suspended" }
  | { kind: "deleted"; version: number; actor?: string };

/** Milliseconds (`protocol/statistics.ts`). What is missing did not happen, or was not measured. */
export type RecordedTimes = Partial<Record<Exclude<TimeName, "recording">, number>>;

/** A transaction's outcome to record. Times are epoch milliseconds. */
export interface RecordEntry {
  requestId: number;
  /** Counts the statuses that the transaction has had. */
  revision: number;
  deviceId: string;
  /** As the account's lists show it, without the members that the account's object adds. */
  transaction: Omit<AccountTransaction, "requestId" | "deviceId" | "receivedAt" | "completedAt" | "day" | "voidedBy">;
  receivedAt: number;
  completedAt: number | null;
  /** How long its parts took; null if it is not completed. */
  times: RecordedTimes | null;
  /** For a void completed 00: the voided transaction. */
  voids: { requestId: number; referenceId: string } | null;
}

/** The entries that are recorded. The terminal's object retries the others. */
export type RecordAnswer = { recorded: { requestId: number; revision: number }[] };

/** What a terminal has reported about a transaction that was completed otherwise. */
export type ReportedResult = ContradictedEvent["data"]["reported"];

/** A contrary result: it is an open matter until an operator closes it, and changes no status (I2). */
export interface ContraryNews {
  /** Of this report. Each is told by itself. */
  version: number;
  /** The transaction as it was completed. */
  entry: RecordEntry;
  /** Epoch milliseconds. */
  reportedAt: number;
  reported: ReportedResult;
}

export type CloseOutcome = { kind: "closed" } | { kind: "not-open" } | { kind: "unknown" };

/** The object's calls. The ones about what an account sees are in their own files. */
export interface AccountCalls extends FeedCalls, WebhookCalls, ListCalls {
  /** Creates the account. A posId is never reused. */
  create(account: NewAccount, actor: string): Promise<CreateOutcome>;
  /** When it returns, no later transfer is checked against the old terms. */
  change(changes: AccountChanges, actor: string): Promise<ChangeOutcome>;
  /** Sets a new signing key. Each previous key stays valid for a day, or ends at once with `revokePrevious`. */
  rotateKey(sealedSigningKey: string, revokePrevious: boolean, actor: string): Promise<RotateOutcome>;
  /** Deletes the account: nothing is admitted from now on. Each of its terminals is unbound as soon as possible. */
  remove(actor: string): Promise<ChangeOutcome>;
  /**
   * Seals the signing keys with the current master key. Returns its kid; null if there is nothing to seal, or a key cannot
   * be decrypted.
   */
  reseal(): Promise<string | null>;

  /**
   * D1 was restored, and is of this generation now. Idempotent. null: tells everything again in any case.
   *
   * @returns false: there is no account
   */
  retell(generation: string | null): Promise<boolean>;

  credentials(): Promise<Credentials>;
  /** @param kid the master key that signs the pair */
  openSession(passwordVersion: number, kid: string): Promise<OpenOutcome>;
  /** Opens a session for a signed login, which is valid once. Checks signature, account and reuse, in this order. */
  openSignedSession(login: SignedLogin, kid: string): Promise<SignedOpenOutcome>;
  standing(sessionId: string): Promise<Standing>;
  /** Exchanges a refresh token (RFC 9700, 4.14.2). */
  refresh(sessionId: string, refreshId: string, kid: string): Promise<RefreshOutcome>;
  endSession(sessionId: string): Promise<Standing>;
  /** Checks a signed call that another object performs, and uses up its nonce. */
  takeCall(call: SignedCall): Promise<{ kind: "good" } | CallRefusal>;
  /** Records that a call of the account replaces its prebind list: in the feed, and with `origin` in the audit log. */
  replacesPrebound(uniqueIds: string[], origin: CallOrigin): Promise<void>;

  /** Checks a message and claims its reference, in one turn. Idempotent. */
  admit(question: AdmissionQuestion): Promise<Admission>;

  /** Returns what the terminal must know if it is bound to this account. */
  deviceChanged(news: DeviceNews): Promise<TermsNews>;
  /** I7: records outcomes, each in its own turn. Idempotent. */
  record(entries: RecordEntry[]): Promise<RecordAnswer>;
  /** Records a contrary result, once. `later`: the account has not recorded yet that the transaction is completed. */
  contradicted(news: ContraryNews): Promise<"taken" | "later">;
  /** Closes the contrary results of a transaction. */
  closeContrary(requestId: number, reason: string, actor: string): Promise<CloseOutcome>;
}

export type AccountStub = Pick<DurableObjectStub, "fetch"> & AccountCalls;

/**
 * An account's object by its posId. A stub that threw is broken
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a new one for every attempt.
 *
 * `rpc/terminal.ts` explains why the type is the object's own interface.
 *
 * @param near the region for a new object; ignored for one that exists
 *   (https://developers.cloudflare.com/durable-objects/reference/data-location/)
 */
export function accountStub(env: Env, posId: string, near?: Region): AccountStub {
  const namespace = env.ACCOUNT as unknown as {
    getByName: (name: string, options?: { locationHint: DurableObjectLocationHint }) => AccountStub;
  };
  return near === undefined ? namespace.getByName(posId) : namespace.getByName(posId, { locationHint: near });
}
