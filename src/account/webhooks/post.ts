/** The one call that leaves the gateway for an address that somebody else chose. */
import { DELIVERY_WAIT } from "../../protocol/limits/webhooks.ts";
import { within } from "../../within.ts";
import type { Answered } from "./delivery.ts";

/**
 * Posts a text and reads the status of the answer, nothing else: no redirect is followed, and the body is dropped unread,
 * so that it does not matter how long it is or how slowly it comes. Ends after `DELIVERY_WAIT`. Never throws: an error's
 * text may hold the address, so it goes nowhere (I6).
 *
 * @param over aborts the call; it is aborted in any case when this returns
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
