import { createHmac, randomBytes } from "node:crypto";
import { withTimeout } from "../../lib/with-timeout.ts";
import { DELIVERY_WAIT } from "../../../protocol/limits.ts";
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../../protocol/webhooks.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";
import type { Answered } from "./endpoint.ts";

/**
 * The only call of the gateway to an address that someone else chose, and its signature (Standard Webhooks 1.0,
 * "Signature scheme": symmetric, `v1`).
 *
 * Reads only the status of the answer: follows no redirect and drops the body unread, so the body's length and speed do
 * not matter. Ends after `DELIVERY_WAIT`. Never throws: an error's text may contain the address, so it is dropped (I6).
 *
 * @param over aborts the call; always aborted when this returns
 */
export async function post(
  address: string,
  headers: Record<string, string>,
  body: string,
  over: AbortController,
): Promise<Answered> {
  const began = Date.now();
  let status: number | null = null;
  try {
    const call = fetch(address, { method: "POST", headers, body, redirect: "manual", signal: over.signal });
    const response = await withTimeout(DELIVERY_WAIT, call);
    response.body?.cancel().catch(() => undefined);
    ({ status } = response);
  } catch {
    // Without a status, the endpoint has not taken the event.
  } finally {
    over.abort();
  }
  return { status, milliseconds: Date.now() - began };
}

/** The standard requires at least 24 bytes. The hash uses 32. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Every valid secret signs, newest first.
 *
 * @param id the same for each attempt of one event
 * @param now when it is sent
 */
export function deliveryHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: EpochMs,
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
