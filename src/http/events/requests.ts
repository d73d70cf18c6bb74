import * as z from "zod";

const AFTER_WORDS = "Send the number of the last event that you have read, or 0 to read all events that are kept.";

/** An empty text is no number: a reader that has lost its own must not pass over what it has not read. */
export const eventsQuery = z.object({
  after: z
    .string({ error: AFTER_WORDS })
    .regex(/^[0-9]{1,15}$/, { error: AFTER_WORDS })
    .transform(Number)
    .optional(),
});

/**
 * The number in an event's id, `evt_<posId>_<number>`; null where it is no id of this account's. Numbers are written in
 * one way, so that one event has one id.
 */
export function numberIn(id: string, posId: string): number | null {
  const prefix = `evt_${posId}_`;
  const number = id.slice(prefix.length);
  return id.startsWith(prefix) && /^[1-9][0-9]{0,14}$/.test(number) ? Number(number) : null;
}
