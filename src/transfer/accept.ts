/** `Accept` of a transfer: a till may get its answer as a stream of events. */
import { prefers } from "../http/accept.ts";

export const EVENT_STREAM = "text/event-stream";

export function prefersEvents(accept: string | undefined): boolean {
  return prefers(EVENT_STREAM, accept);
}
