/** An account as its object sees it, whether it accepts a session, and its calls that are signed like a transfer. */

export type AccountStatus = "active" | "suspended" | "deleted";

/** What an operator sets for an account, and D1 lists. */
export interface AccountDetails {
  merchantId: string;
  /** ISO 4217. */
  currency: string;
  /** IANA time zone. */
  timezone: string;
  name: string | null;
  /** The region of the object, a location hint (`region.ts`); null: derived from the time zone. */
  region: string | null;
}

export interface AccountView extends AccountDetails {
  posId: string;
  status: AccountStatus;
  /** Whether unbinding a terminal and replacing the prebind list must be signed: a token alone is not enough. */
  signedChanges: boolean;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** Whether a token's session is valid, or why not. The account is checked before the session. */
export type Standing =
  | { kind: "good"; account: AccountView }
  | { kind: "unknown" }
  | { kind: "not-active"; status: "suspended" | "deleted" }
  | { kind: "session-ended" };

/** The parts of a signed call that the account checks. */
export interface SignedCall {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  posId: string;
  /** When it was signed, epoch milliseconds. */
  datetime: number;
  /** Valid once. */
  nonce: string;
  /** What was signed: the canonical form (RFC 8785) of the body without `signature`. */
  signedForm: string;
  /** The message's `signature`; null if it is missing or malformed. */
  signature: string | null;
}

/** Where an account's call came from, for the audit log. */
export interface CallOrigin {
  session: string;
  address: string;
}

/** Why a signed call is refused. */
export type CallRefusal =
  | Exclude<Standing, { kind: "good" }>
  | { kind: "other-account" }
  /** No master key can decrypt the account's signing key. */
  | { kind: "unreadable-key" }
  | { kind: "wrong-signature" }
  /** The object's time, epoch milliseconds. */
  | { kind: "clock-off"; now: number }
  /** The nonce was used before. */
  | { kind: "used" };
