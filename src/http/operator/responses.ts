import * as z from "zod";
import { shaped, time } from "../../protocol/schemas/fields.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";

/** Members that several of the operator's responses share. */
export const next = z
  .string()
  .max(TERMINAL_ID_LENGTH)
  .nullable()
  .meta({ description: "The `cursor` of the next page; null on the last page.", examples: [null] });

/** A page of a list. */
export function pageSchema<Row extends z.ZodType>(row: Row, description: string) {
  return z.object({ data: z.array(row), next }).meta({ description });
}

export const createdAt = time("When it was made.", "UTC");

/** A key or a secret that is shown once, when it is created. */
export function shownOnce(what: string): z.ZodString {
  return shaped(
    /^[A-Za-z0-9_-]{43}$/,
    `${what}: 32 random bytes in base64url. Only in this response.`,
    "c2hvd24gb25jZSwgaGVyZSBhbmQgbmV2ZXIgYWdhaW4",
  );
}
