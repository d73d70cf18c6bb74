/**
 * The RPC calls of the Worker about an account's webhooks. Expected outcomes are values, as in `account.ts`; keep each
 * change compatible with one version back.
 */
import type { PingAnswer, Webhook, WebhookState } from "../protocol/webhooks.ts";
import type { CallRefusal, SignedCall } from "./signed-call.ts";

/** What a call changes. `id`: the number in `wh_<number>`. Undefined members stay unchanged. */
export type WebhookChange =
  | { kind: "add"; url: string }
  | { kind: "change"; id: number; url?: string | undefined; enabled?: boolean | undefined }
  | { kind: "remove"; id: number }
  | { kind: "secret"; id: number }
  /** Sends the endpoint everything after this number, even if it has taken it before. */
  | { kind: "replay"; id: number; after: number };

/** Why an accepted call changes nothing. */
export type ChangeRefusal =
  | { kind: "no-such-webhook" }
  /** The account has the maximum number of endpoints. */
  | { kind: "too-many" }
  /** An operator has stopped the endpoint: only an operator starts it. */
  | { kind: "stopped" }
  /** The feed cannot be read from this number; these numbers exist. */
  | { kind: "no-such-event"; oldest: number; newest: number };

export type WebhookOutcome =
  { kind: "changed"; webhook: Webhook; secret?: string } | { kind: "removed" } | ChangeRefusal | CallRefusal;

/** `retryAt`: epoch milliseconds. `unreadable`: no master key can decrypt the endpoint. */
export type PingOutcome =
  | ({ kind: "answered" } & PingAnswer)
  | { kind: "too-soon"; retryAt: number }
  | { kind: "no-such-webhook" }
  | { kind: "unreadable" };

/** What the operator sees. */
export type SwitchOutcome = { kind: "switched"; webhook: WebhookState } | { kind: "no-such-webhook" };

export interface WebhookCalls {
  webhooks(): Promise<Webhook[]>;
  /** A signed call of the account. */
  changeWebhook(call: SignedCall, change: WebhookChange): Promise<WebhookOutcome>;
  /** Sends an endpoint a signed `ping`, outside the order of its events. */
  pingWebhook(id: number): Promise<PingOutcome>;
  /** The account's endpoints, as operators see them. */
  webhookStates(): Promise<WebhookState[]>;
  /** An operator stops an endpoint, or starts one that an operator has stopped. */
  switchWebhook(wanted: { id: number; enabled: boolean }, actor: string): Promise<SwitchOutcome>;
}
