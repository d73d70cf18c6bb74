/** Calls of an account that are signed like a transfer. */
import type { Standing } from "./standing.ts";

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
