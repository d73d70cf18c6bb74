/** Verifies deliveries according to Standard Webhooks 1.0, with WebCrypto: for any JavaScript runtime. */
import { WEBHOOK_TOLERANCE } from "../../protocol/limits/webhooks.ts";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../protocol/webhooks.ts";

/** Headers as `fetch` has them, or as Node has them: lower-case names. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * `no-signature`: a header is missing. `wrong-signature`: no signature matches any of the secrets and these bytes.
 * `too-old`: the timestamp is more than five minutes from this machine's clock: set the clock, or someone is sending an old
 * delivery.
 */
export type DeliveryMistake = "no-signature" | "wrong-signature" | "too-old";

/**
 * @param now epoch milliseconds
 * @returns null if one of the secrets verifies the delivery
 */
export async function deliveryMistake(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: Uint8Array,
  now: number,
): Promise<DeliveryMistake | null> {
  const id = headerOf(headers, WEBHOOK_HEADERS.id);
  const timestamp = headerOf(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = headerOf(headers, WEBHOOK_HEADERS.signature);
  if (id === null || timestamp === null || signatures === null || !/^[0-9]{1,12}$/.test(timestamp))
    return "no-signature";
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const macs = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? [bytesOf(one.slice(3))] : []));
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const mac of macs) {
      if (mac === null || !(await crypto.subtle.verify("HMAC", key, mac, content))) continue;
      return Math.abs(Number(timestamp) * 1_000 - now) > WEBHOOK_TOLERANCE ? "too-old" : null;
    }
  }
  return "wrong-signature";
}

/** Whether a text is a webhook's secret: `whsec_` and base64 of at least 24 bytes. */
export function isWebhookSecret(secret: unknown): secret is string {
  if (typeof secret !== "string" || !secret.startsWith(WEBHOOK_SECRET_PREFIX)) return false;
  return (bytesOf(secret.slice(WEBHOOK_SECRET_PREFIX.length))?.length ?? 0) >= 24;
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.slice(WEBHOOK_SECRET_PREFIX.length)) ?? new Uint8Array(1);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of base64; null if it is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(before.length + after.length);
  whole.set(before);
  whole.set(after, before.length);
  return whole;
}
