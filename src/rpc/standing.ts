/** An account as its object sees it, and whether it accepts a session. */

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
