/** Lists that come in pages: `{"data": […], "next": cursor or null}`, the cursor being the last row's key. */
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import * as z from "zod";
import { PAGE_ROWS } from "../limits.ts";
import { invalid } from "./body.ts";
import type { AppEnvironment } from "./context.ts";
import { refuse } from "./errors.ts";
import { optional, TERMINAL_ID_LENGTH, text } from "../validation/fields.ts";
import { problemsOf } from "../validation/problems.ts";

export interface Page<Row> {
  data: Row[];
  next: string | null;
}

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

/** Validates a query; what is wrong with it is answered as with a body. */
export function query<Schema extends z.ZodType>(schema: Schema) {
  return zValidator<Schema, "query", AppEnvironment, string, typeof answerProblems>("query", schema, answerProblems);
}

function answerProblems(
  result: { success: true } | { success: false; error: z.core.$ZodError },
  c: Context<AppEnvironment>,
): Response | undefined {
  return result.success ? undefined : refuse(c, invalid(problemsOf(result.error)));
}

/** A page out of `limit + 1` rows: the one too many shows that there is a next page. */
export function pageOf<Row, View>(
  rows: Row[],
  size: number,
  keyOf: (row: Row) => string | number,
  view: (row: Row) => View,
): Page<View> {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    data: shown.map(view),
    next: rows.length > size && last !== undefined ? String(keyOf(last)) : null,
  };
}
