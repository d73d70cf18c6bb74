/**
 * What the Worker says to an account's object about its webhooks. Expected outcomes are values, as in `../calls.ts`; a
 * change here stays compatible one version back.
 */
import type { PingAnswer, Webhook, WebhookState } from "../../protocol/webhooks.ts";
import type { Standing } from "../calls.ts";

/** A call that is signed like a transfer, as far as the account can judge it. */
export interface SignedCall {
  /** The session of the access token. The token's account is the object's own. */
  sessionId: string;
  /** The message's `posId`. */
  posId: string;
  /** When it was signed, epoch milliseconds. */
  datetime: number;
  /** Works once. */
  nonce: string;
  /** What was signed: the canonical form (RFC 8785) of the body without `signature`. */
  signedForm: string;
  /** The message's `signature`; null where it has none that could hold. */
  signature: string | null;
}

/** Why a signed call is not carried out. */
export type CallRefusal =
  | Exclude<Standing, { kind: "good" }>
  | { kind: "no-such-webhook" }
  | { kind: "other-account" }
  /** No master key opens the account's signing key. */
  | { kind: "unreadable-key" }
  | { kind: "wrong-signature" }
  /** The object's own time, epoch milliseconds. */
  | { kind: "clock-off"; now: number }
  /** The nonce was used before. */
  | { kind: "used" };

/** What a call changes. `id`: the number in `wh_<number>`. Undefined members stay as they are. */
export type WebhookChange =
  | { kind: "add"; url: string }
  | { kind: "change"; id: number; url?: string | undefined; enabled?: boolean | undefined }
  | { kind: "remove"; id: number }
  | { kind: "secret"; id: number }
  /** The endpoint gets everything behind this number, whatever it has taken. */
  | { kind: "replay"; id: number; after: number };

/** Why a call that was judged is not carried out. */
export type ChangeRefusal =
  | { kind: "no-such-webhook" }
  /** The account has as many as it may have. */
  | { kind: "too-many" }
  /** The number is not one to begin behind; these are there. */
  | { kind: "no-such-event"; oldest: number; newest: number };

export type WebhookOutcome =
  { kind: "changed"; webhook: Webhook; secret?: string } | { kind: "removed" } | ChangeRefusal | CallRefusal;

/** `retryAt`: epoch milliseconds. `unreadable`: no master key opens the endpoint. */
export type PingOutcome =
  | ({ kind: "answered" } & PingAnswer)
  | { kind: "too-soon"; retryAt: number }
  | { kind: "no-such-webhook" }
  | { kind: "unreadable" };

/** What the operator is told. */
export type StopOutcome = { kind: "disabled"; webhook: WebhookState } | { kind: "no-such-webhook" };

/** The object's calls. */
export interface WebhookCalls {
  /** The account's endpoints. */
  webhooks(): Promise<Webhook[]>;
  /** A call of the account that is signed. */
  changeWebhook(call: SignedCall, change: WebhookChange): Promise<WebhookOutcome>;
  /** Sends an endpoint a signed `ping`, beside the order of its events. */
  pingWebhook(id: number): Promise<PingOutcome>;
  /** The account's endpoints, as operators see them. */
  webhookStates(): Promise<WebhookState[]>;
  /** The operator stops an endpoint. */
  disableWebhook(id: number, actor: string): Promise<StopOutcome>;
}
