import * as z from "zod";
import { AUDIT_ACTIONS } from "../../../storage/audit-actions.ts";
import { optional, text } from "../../../validation/fields.ts";
import { instantFilter } from "../filters.ts";
import { pageQuery } from "../../pages.ts";

/** Longer than every name in the log. */
const LONGEST_NAME = 200;

const CURSOR_WORDS = "Send the cursor from the previous page.";

export const auditQuery = z.object({
  cursor: optional(
    z
      .string()
      .regex(/^[0-9]{1,15}-[0-9]{1,15}$/, { error: CURSOR_WORDS })
      .transform((value) => {
        const [at = 0, id = 0] = value.split("-").map(Number);
        return { at, id };
      }),
  ),
  limit: pageQuery.shape.limit,
  actor: optional(text(LONGEST_NAME)),
  target: optional(text(LONGEST_NAME)),
  action: optional(z.enum(AUDIT_ACTIONS, { error: `Send one of ${AUDIT_ACTIONS.join(", ")}.` })),
  from: instantFilter,
  to: instantFilter,
});
