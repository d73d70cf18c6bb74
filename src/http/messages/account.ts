/** What an account's till sends, transfers apart. */
import * as z from "zod";
import { PASSWORD_LONGEST, PREBIND_ENTRIES } from "../../limits.ts";
import {
  currencyCode,
  identifier,
  optional,
  password,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  text,
} from "../../validation/fields.ts";

export const loginRequest = z.object({ posId: text(POS_ID_LENGTH), password: password(1, PASSWORD_LONGEST) });

/** Entries beyond the tenth are not even looked at: they may be anything. */
export const prebindRequest = z.object({
  uniqueIds: z.preprocess(
    (entries) => (Array.isArray(entries) ? entries.slice(0, PREBIND_ENTRIES) : entries),
    z
      .array(identifier(TERMINAL_ID_LENGTH), {
        error: `Send an array of up to ${PREBIND_ENTRIES} terminal ids; [] clears the list.`,
      })
      .transform((entries) => [...new Set(entries)]),
  ),
});

export const channelsQuery = z.object({ currency: optional(currencyCode) });
