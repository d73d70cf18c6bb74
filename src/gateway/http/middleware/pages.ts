/** Lists in pages: `{"data": […], "next": cursor or null}`. The cursor is the last row's key. */
import * as z from "zod";
import { PAGE_ROWS } from "../../../protocol/limits.ts";
import { optionalField, textField } from "../validation/fields.ts";
import { TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";

const LIMIT_WORDS = `Send a number from 1 to ${PAGE_ROWS}.`;

const limit = z
  .string({ error: LIMIT_WORDS })
  .regex(/^[0-9]{1,4}$/)
  .transform(Number)
  .refine((value) => value >= 1 && value <= PAGE_ROWS, { error: LIMIT_WORDS });

/** The query of lists whose keys are posIds or terminalIds. */
export const pageQuery = z.object({
  cursor: optionalField(textField(TERMINAL_ID_LENGTH)),
  limit: optionalField(limit),
});

export const numberedPageQuery = z.object({
  cursor: optionalField(
    z
      .string()
      .regex(/^[0-9]{1,15}$/, { error: "Send the cursor from the previous page." })
      .transform(Number),
  ),
  limit: optionalField(limit),
});

export interface AnswerPage<Row> {
  data: Row[];
  next: string | null;
}

/**
 * Makes a page of `limit + 1` rows: the extra row shows that there is a next page.
 *
 * @param judgedTo the last row that a filter has checked, if it stopped early: the next page begins after it
 */
export function makePage<Row, View>(
  { rows, judgedTo = null }: { rows: Row[]; judgedTo?: Row | null },
  size: number,
  keyOf: (row: Row) => string | number,
  view: (row: Row) => View,
): AnswerPage<View> {
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : judgedTo;
  return { data: shown.map(view), next: last === null || last === undefined ? null : String(keyOf(last)) };
}
