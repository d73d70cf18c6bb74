/** The only call of the gateway to an address that someone else chose. */
import { DELIVERY_WAIT } from "../../protocol/limits/webhooks.ts";
import { within } from "../../bounds/within.ts";
import type { Answered } from "./delivery.ts";

/**
 * Posts a text and reads only the status of the answer. It follows no redirect and drops the body unread, so the body's
 * length and speed do not matter. Ends after `DELIVERY_WAIT`. Never throws: an error's text may contain the address, so it
 * is dropped (I6).
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
  const status = await statusOf(address, headers, body, over);
  return { status, milliseconds: Date.now() - began };
}

async function statusOf(
  address: string,
  headers: Record<string, string>,
  body: string,
  over: AbortController,
): Promise<number | null> {
  try {
    const call = fetch(address, { method: "POST", headers, body, redirect: "manual", signal: over.signal });
    const response = await within(DELIVERY_WAIT, call);
    response.body?.cancel().catch(() => undefined);
    return response.status;
  } catch {
    return null;
  } finally {
    over.abort();
  }
}
