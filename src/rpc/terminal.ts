/**
 * The RPC arguments and results between the Worker and a terminal's object. Expected outcomes are values; a call throws
 * only if the object or the connection to it fails. Deployments are not atomic: keep each change compatible with one
 * version back.
 */
import type { TermsNews } from "./account.ts";
import type { CallOrigin } from "./standing.ts";
import type { Binding } from "../protocol/binding.ts";
import type { JsonObject } from "../signing/json.ts";
import type { TransferCalls } from "./transfers.ts";

/** What the operator says about a terminal. Undefined members stay unchanged. */
export interface Description {
  merchantId?: string | null | undefined;
  name?: string | null | undefined;
  /** Epoch milliseconds. */
  createdAt?: number;
}

export interface Enrolment extends Description {
  terminalId: string;
  /** 1 = virtual terminal, 0 = other terminals. */
  isVT: 0 | 1;
  /** The terminal's secret, sealed for the terminalId. */
  sealedSecret: string;
  /** Identifies the enrolment, so that it can be repeated. Missing or null: it cannot. */
  enrolmentId?: string | null;
}

/** `taken`: the terminal is retired, another enrolment came first, or its secret was replaced since. */
export type EnrolOutcome = { kind: "enrolled" } | { kind: "taken" };

/** Whether the terminal's current secret signed a message. */
export type SignatureVerdict = { kind: "accepted"; secretVersion: number } | { kind: "refused" };

/**
 * `used`: the signature is right, but the login was used before. `too-many`: the object cannot remember another login.
 */
export type LoginVerdict = SignatureVerdict | { kind: "used" } | { kind: "too-many" };

/** `busy`: a transaction is queued, sent or accepted within its time, so the binding must not change now. */
export type BindOutcome =
  | { kind: "bound" }
  | { kind: "busy" }
  | { kind: "bound-otherwise"; posId: string }
  | { kind: "not-enrolled" }
  /** The terminal was bound, but the account is deleted: it is unbound now, or soon. */
  | { kind: "account-deleted" };

/** `busy`: a transaction is in progress, so the terminal cannot be unbound yet. */
export type NewsOutcome = { kind: "done" } | { kind: "busy" };

export type UnbindOutcome = { kind: "unbound" } | { kind: "busy" } | { kind: "not-bound" };

/** `not-enrolled`: the object does not know the terminal, and has not updated D1. */
export type RetireOutcome = { kind: "retired" } | { kind: "busy" } | { kind: "not-enrolled" };

export type SecretOutcome = { kind: "changed" } | { kind: "retired" } | { kind: "not-enrolled" };

export interface TerminalStatus {
  connected: boolean;
  /** Epoch milliseconds, or null when not connected. */
  connectedSince: number | null;
  /** When the current connection last showed activity, epoch milliseconds. */
  lastHeartbeat: number | null;
  /** When any connection last showed activity, epoch milliseconds; null: never connected. */
  lastHeard: number | null;
  /** Since when there is no connection, epoch milliseconds; null: there is one, or there was none yet. */
  offlineSince: number | null;
  /** As the terminal last reported it; null if it never did. */
  softwareVersion: string | null;
  terminalSn: string | null;
  /** The account the terminal is bound to, or null. */
  posId: string | null;
}

/**
 * The object's calls outside transactions. The calls about transactions are in `transfers.ts`.
 *
 * `actor` is the name in the audit log; the object writes the audit row. A call that changes something waits for
 * D1 for a bounded time, and succeeds even if D1 fails.
 */
export interface TerminalManagement {
  /** Stores identity and secret of a new terminal. The same enrolment again replaces the secret, which nobody received. */
  enrol(enrolment: Enrolment): Promise<EnrolOutcome>;
  /** Replaces the secret and closes the open socket (4002). */
  changeSecret(sealedSecret: string, actor: string): Promise<SecretOutcome>;
  /** Unbinds the terminal, deletes the secret and closes the open socket (4002). Idempotent. */
  retire(actor: string): Promise<RetireOutcome>;
  /**
   * Verifies a login with the terminal's secret. Each login is accepted once. The caller has checked its kind and
   * `datetime`.
   */
  verifyLogin(message: JsonObject): Promise<LoginVerdict>;
  /**
   * Verifies the signature of a bind message. It may be sent again: its key is valid once. The caller has checked its kind.
   */
  verifyBind(message: JsonObject): Promise<SignatureVerdict>;
  /**
   * Binds to an account, then waits a bounded time for the account to learn of it. `move` replaces a binding to another
   * account; `only-unbound` (prebinding) does not. If the terminal is bound to the account already, updates the details,
   * unless the account itself has sent them.
   */
  bind(binding: Binding, mode: "move" | "only-unbound"): Promise<BindOutcome>;
  /** Unbinds; with a `posId`, only from that account. `origin`: of the account's own call. */
  unbind(posId: string | null, actor: string, origin?: CallOrigin): Promise<UnbindOutcome>;
  /**
   * The account's terms or status have changed. News with an older version change nothing. Suspended: queued requests are
   * completed as `11 CANCELLED`; sent ones continue. Deleted: the same, and the terminal is unbound; `busy` if a transaction
   * is in progress: call again later.
   */
  accountNews(posId: string, news: TermsNews): Promise<NewsOutcome>;
  /** If D1 lacks that the terminal is silent, or is heard again, the object tells it. Otherwise it writes nothing. */
  status(): Promise<TerminalStatus>;
  /** Keeps what D1 has, in case that it is restored. */
  describe(description: Description): Promise<void>;
  /**
   * D1 was restored, and is of this generation now. Idempotent. null: tells everything again in any case.
   *
   * @returns false: the terminal is not enrolled
   */
  retell(generation: string | null): Promise<boolean>;
  /**
   * Encrypts the secret again with the current master key. Returns the kid that it is sealed with: during a deployment that
   * is the object's current one, which may not be the Worker's yet; null if there is no secret, or it cannot be decrypted.
   */
  reseal(): Promise<string | null>;
}

export type TerminalStub = Pick<DurableObjectStub, "fetch"> & TerminalManagement & TransferCalls;

/**
 * A terminal's object by its terminalId. A stub that threw is broken
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a new one for every attempt.
 *
 * The generated stub type maps every argument through the types of Workers RPC, which does not terminate for JSON. Only
 * plain data crosses here, so the object's own interfaces describe it exactly.
 */
export function terminalStub(env: Env, terminalId: string): TerminalStub {
  const namespace = env.TERMINAL as unknown as { getByName: (name: string) => TerminalStub };
  return namespace.getByName(terminalId);
}
