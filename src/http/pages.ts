/** Lists that come in pages: `{"data": […], "next": cursor or null}`, the cursor being the last row's key. */
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import type * as z from "zod";
import { invalid } from "./body.ts";
import type { AppEnvironment } from "./context.ts";
import { refuse } from "./errors.ts";
import { problemsOf } from "../validation/problems.ts";

export interface Page<Row> {
  data: Row[];
  next: string | null;
}

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
