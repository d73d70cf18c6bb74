/** What asks for a page of a list. */
import * as z from "zod";
import { PAGE_ROWS } from "../../limits.ts";
import { optional, TERMINAL_ID_LENGTH, text } from "../../validation/fields.ts";

const LIMIT_WORDS = `Send a number from 1 to ${PAGE_ROWS}.`;

const limit = z
  .string({ error: LIMIT_WORDS })
  .regex(/^[0-9]{1,4}$/, { error: LIMIT_WORDS })
  .transform(Number)
  .refine((value) => value >= 1 && value <= PAGE_ROWS, { error: LIMIT_WORDS });

/** `?cursor=` of the page before, a posId or a terminalId, and `?limit=` rows. */
export const pageQuery = z.object({ cursor: optional(text(TERMINAL_ID_LENGTH)), limit: optional(limit) });

/** For lists whose keys are numbers. */
export const numberedPageQuery = z.object({
  cursor: optional(
    z
      .string()
      .regex(/^[0-9]{1,15}$/, { error: "Send the cursor as the page before gave it." })
      .transform(Number),
  ),
  limit: optional(limit),
});
