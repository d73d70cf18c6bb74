/**
 * The RPC between the Worker and a terminal's object. Expected outcomes are values; a call throws only if the object or
 * the connection to it fails. Deployments are not atomic: keep each change compatible with the previous version.
 */
import type { CallsOf } from "../account/rpc.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Undefined members stay unchanged. */
export interface Description {
  merchantId?: string | null | undefined;
  name?: string | null | undefined;
  createdAt?: EpochMs;
}

export interface EnrolmentCall extends Description {
  terminalId: string;
  /** 1 = virtual terminal, 0 = other terminals. */
  isVT: 0 | 1;
  /** The secret is sealed for the terminalId. */
  sealedSecret: string;
  /** The enrolment can be repeated with this id; if it is missing or null, it cannot. */
  enrolmentId?: string | null;
}

export interface ActivationCodeDigest {
  digest: string;
  expiresAt: EpochMs;
}

/** With `taken`, the terminal is retired, another enrolment came first, or the secret was replaced since. */
export type EnrolOutcome = { kind: "enrolled" } | { kind: "taken" };

export type SignatureVerdict = { kind: "accepted"; secretVersion: number } | { kind: "refused" };

/** `outdated`: the secret was replaced after the terminal got its token. */
export type BindVerdict = { kind: "accepted" } | { kind: "refused" } | { kind: "outdated" };

/**
 * `unknown`: the terminal was never enrolled. `used`: the signature is right, but the login was used before.
 * `too-many`: the object cannot remember another login. `awaitsBinding`: a prebind list may name the terminal.
 */
export type LoginVerdict =
  | { kind: "accepted"; secretVersion: number; awaitsBinding: boolean }
  | { kind: "unknown" }
  | { kind: "retired" }
  | { kind: "refused" }
  | { kind: "used" }
  | { kind: "too-many" };

/** `busy`: a transaction is queued, sent or accepted within its time, so the binding must not change now. */
export type BindOutcome =
  | { kind: "bound" }
  | { kind: "busy" }
  | { kind: "bound-otherwise"; posId: string }
  | { kind: "not-enrolled" }
  /** The terminal was bound, but the account is deleted: it is unbound now, or soon. */
  | { kind: "account-deleted" };

/** When `busy`, a transaction is in progress. */
export type UpdateOutcome = { kind: "done" } | { kind: "busy" };

export type UnbindOutcome = { kind: "unbound" } | { kind: "busy" } | { kind: "not-bound" };

/** `not-enrolled`: the object does not have the terminal, and has not updated D1. */
export type RetireOutcome = { kind: "retired" } | { kind: "busy" } | { kind: "not-enrolled" };

/** `previousValidUntil`: null if the replaced secret ended at once. */
export type SecretOutcome =
  { kind: "changed"; previousValidUntil: EpochMs | null } | { kind: "retired" } | { kind: "not-enrolled" };

export type ActivationCodeOutcome = { kind: "created" } | { kind: "retired" } | { kind: "not-enrolled" };

/** `wrong`: it is not the terminal's newest code, or the terminal is retired. `busy`: a payment is in progress. */
export type ActivationOutcome = { kind: "activated" | "wrong" | "used" | "expired" | "busy" };

export interface TerminalStatus {
  connected: boolean;
  /** Null if the terminal is not connected. */
  connectedSince: EpochMs | null;
  /** The time of the last activity on the current connection. */
  lastHeartbeat: EpochMs | null;
  /** The time of the last activity on any connection; null if the terminal never connected. */
  lastHeard: EpochMs | null;
  /** Null if the terminal is connected, or never connected. */
  offlineSince: EpochMs | null;
  /** The version that was reported last; null if none ever was. */
  softwareVersion: string | null;
  terminalSn: string | null;
  /** It is null if the terminal is not bound. */
  posId: string | null;
  /** Two devices with the terminal's identity take over each other's connection: sales go to either counter. */
  contested: boolean;
}

export type TerminalStub = Pick<DurableObjectStub, "fetch"> & CallsOf<Env["TERMINAL"]>;

/**
 * A stub that threw is broken (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/): get a
 * new one for every attempt.
 */
export function terminalStub(env: Env, terminalId: string): TerminalStub {
  const namespace = env.TERMINAL as unknown as { getByName: (name: string) => TerminalStub };
  return namespace.getByName(terminalId);
}
