/**
 * What the Worker and a terminal's object say to each other: RPC arguments and answers. Expected outcomes are values;
 * a call throws only when the object or the way to it broke. Deploys are not atomic: a change here stays compatible one
 * version back.
 */
import type { TermsNews } from "../account/calls.ts";
import type { Binding } from "../protocol/binding.ts";
import type { JsonObject } from "../signing/json.ts";

export interface Enrolment {
  terminalId: string;
  /** 1 = virtual terminal, 0 = other terminals. */
  isVT: 0 | 1;
  /** The terminal's secret, sealed with the terminalId as owner. */
  sealedSecret: string;
}

/** Whether a message was signed with the terminal's current secret. */
export type SignatureVerdict = { kind: "accepted"; secretVersion: number } | { kind: "refused" };

/** `used`: it was signed rightly, and has been used before. `too-many`: more than the object may remember. */
export type LoginVerdict = SignatureVerdict | { kind: "used" } | { kind: "too-many" };

/** `busy`: a transaction is queued, sent or accepted within its time, so the binding must not change now. */
export type BindOutcome =
  | { kind: "bound" }
  | { kind: "busy" }
  | { kind: "bound-otherwise"; posId: string }
  | { kind: "not-enrolled" }
  /** It was bound, and the account's object says that the account is deleted: it is bound no more, or soon. */
  | { kind: "account-deleted" };

/** `busy`: a transaction is running, so the terminal cannot be unbound yet. */
export type NewsOutcome = { kind: "done" } | { kind: "busy" };

export type UnbindOutcome = { kind: "unbound" } | { kind: "busy" } | { kind: "not-bound" };

/** `not-enrolled`: the object does not know the terminal, and has told D1 nothing. */
export type RetireOutcome = { kind: "retired" } | { kind: "busy" } | { kind: "not-enrolled" };

export type SecretOutcome = { kind: "changed" } | { kind: "retired" } | { kind: "not-enrolled" };

export interface TerminalStatus {
  connected: boolean;
  /** Epoch milliseconds, or null when not connected. */
  connectedSince: number | null;
  /** The last sign of life of the current connection, epoch milliseconds. */
  lastHeartbeat: number | null;
  /**
   * The last sign of life of any connection, and since when it is not connected: epoch milliseconds; null: never was.
   * Missing: the object is one version back.
   */
  lastHeard?: number | null;
  offlineSince?: number | null;
  /** As last reported by the terminal; null if it never did. */
  softwareVersion: string | null;
  terminalSn: string | null;
  /** The account the terminal is bound to, or null. */
  posId: string | null;
}

/**
 * The object's calls outside transactions. Those of transactions are in `transfer-calls.ts`.
 *
 * `actor` is who wants the change, as the audit log names it; the object writes the audit row. A Worker of the version
 * before gives none, and writes the row itself. A call that changes something waits for D1 to follow, but not for long,
 * and does not fail without it.
 */
export interface TerminalManagement {
  /** Stores identity and secret. Called once for a new terminal; calling again with the same terminal is harmless. */
  enrol(enrolment: Enrolment): Promise<void>;
  /** Replaces the secret, and closes the open socket (4002). */
  changeSecret(sealedSecret: string, actor?: string): Promise<SecretOutcome>;
  /** Unbinds, forgets the secret and closes the open socket (4002). Calling again is harmless. */
  retire(actor?: string): Promise<RetireOutcome>;
  /**
   * Verifies a login message's signature with the terminal's secret. A login is accepted once. The caller has judged its
   * kind and its `datetime`.
   */
  verifyLogin(message: JsonObject): Promise<LoginVerdict>;
  /** Verifies the signature of a bind message. It may be sent again: its key is good once. The caller has judged its kind. */
  verifyBind(message: JsonObject): Promise<SignatureVerdict>;
  /**
   * Binds to an account, and waits for the account to hear of it, but not for long. `move` replaces an earlier binding to another account; `only-unbound` (prebinding) does not.
   * Binding to the account it is bound to refreshes the details, unless the account itself has told them.
   */
  bind(binding: Binding, mode: "move" | "only-unbound"): Promise<BindOutcome>;
  /** Unbinds; with a `posId`, only from that account. */
  unbind(posId: string | null, actor?: string): Promise<UnbindOutcome>;
  /**
   * The account's terms or status changed. News with a lower version than those known do nothing. Suspended: what is
   * queued is settled `11 CANCELLED`; what was sent runs on. Deleted: that, and the terminal is unbound; `busy` where a
   * transaction is running: call again later.
   */
  accountNews(posId: string, news: TermsNews): Promise<NewsOutcome>;
  status(): Promise<TerminalStatus>;
  /**
   * Re-encrypts the secret under the current master key. Answers the kid that it is sealed under then, which during a
   * deploy is the object's current one and not yet the Worker's; null where it has none, or none that can be opened.
   */
  reseal(): Promise<string | null>;
}
