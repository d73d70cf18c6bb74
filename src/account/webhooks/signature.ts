/** Signatures of deliveries, and the secrets behind them (Standard Webhooks 1.0, "Signature scheme": symmetric, `v1`). */
import { createHmac, randomBytes } from "node:crypto";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../protocol/webhooks.ts";
import { SECOND } from "../../time/units.ts";

/** The standard requires at least 24. The hash uses 32. */
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and base64. */
export function newSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * The headers of a delivery. Every valid secret signs, newest first.
 *
 * @param id the same for each attempt of one event
 * @param now when it is sent, epoch milliseconds
 */
export function deliveryHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / SECOND);
  return {
    "content-type": "application/json",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: String(timestamp),
    [WEBHOOK_HEADERS.signature]: secrets.map((secret) => `v1,${mac(`${id}.${timestamp}.${body}`, secret)}`).join(" "),
  };
}

function mac(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(content, "utf8").digest("base64");
}
