/** The state of a webhook, in words. */
import type { Webhook, WebhookAttempt } from "../../client/pos.ts";
import type { Tone } from "../page/tone.ts";

const DISABLED: Record<NonNullable<Webhook["disabledBy"]>, string> = {
  account: "disabled",
  operator: "disabled by the operator",
  failing: "disabled: failed for three days",
  gone: "disabled: it answered 410",
};

export function webhookWords({ disabledBy, behind, attempts, nextAttempt }: Webhook): { tone: Tone; state: string } {
  if (disabledBy !== null) return { tone: disabledBy === "account" ? "neutral" : "bad", state: DISABLED[disabledBy] };
  if (behind === 0) return { tone: "good", state: "up to date" };
  const [last] = attempts;
  const fails = last !== undefined && !isTaken(last);
  const next = fails && nextAttempt !== null ? `, next attempt ${clockOf(nextAttempt)}` : "";
  return { tone: fails ? "bad" : "pending", state: `${behind} behind${next}` };
}

/** `10:15:42  event 41  204  85 ms` */
export function attemptWords({ number, at, status, milliseconds }: WebhookAttempt): string[] {
  return [clockOf(at), `event ${number}`, status === null ? "no answer" : String(status), `${milliseconds} ms`];
}

export function isTaken({ status }: WebhookAttempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The time of day in an ISO 8601 time, as written there. */
function clockOf(time: string): string {
  return time.slice(11, 19);
}
