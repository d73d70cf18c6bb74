import * as z from "zod";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { text } from "../../validation/fields.ts";

const entry = text(TERMINAL_ID_LENGTH);

/**
 * Ignores entries beyond the tenth. An entry that cannot be a terminal id does not invalidate the list: it is ignored, and
 * `leftOut` has its position, counted from 1.
 */
export const prebindRequest = z.object({
  uniqueIds: z
    .array(z.unknown(), { error: `Send an array of up to ${PREBIND_ENTRIES} terminal ids; [] clears the list.` })
    .transform((entries) => {
      const listed = new Set<string>();
      const leftOut: number[] = [];
      for (const [index, value] of entries.slice(0, PREBIND_ENTRIES).entries()) {
        const { success, data } = entry.safeParse(value);
        if (success) listed.add(data);
        else leftOut.push(index + 1);
      }
      return { listed: [...listed], leftOut };
    }),
});
