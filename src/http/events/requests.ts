import * as z from "zod";

const AFTER_WORDS = "Send the number of the last event that you have read, or 0 to read all events that are kept.";

/** An empty text is not a number: a reader that has lost its number must not skip unread events. */
export const eventsQuery = z.object({
  after: z
    .string({ error: AFTER_WORDS })
    .regex(/^[0-9]{1,15}$/, { error: AFTER_WORDS })
    .transform(Number)
    .optional(),
});

/**
 * The number in an event's id, `evt_<posId>_<number>`; null if it is not an id of this account. Each number has one
 * spelling, so each event has one id.
 */
export function numberIn(id: string, posId: string): number | null {
  const prefix = `evt_${posId}_`;
  const number = id.slice(prefix.length);
  return id.startsWith(prefix) && /^[1-9][0-9]{0,14}$/.test(number) ? Number(number) : null;
}
