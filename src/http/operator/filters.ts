/** What the operator's lists are filtered by. */
import * as z from "zod";
import { identifier, mandatory, optional, text } from "../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, NAME_LENGTH } from "../../protocol/lengths.ts";

/** A filter by the beginning of a text. */
export function beginning(length: number) {
  return optional(text(length));
}

export const nameFilter = beginning(NAME_LENGTH);
export const merchantFilter = optional(identifier(MERCHANT_ID_LENGTH));

const FLAG_WORDS = "Send true or false.";

export const flagFilter = optional(
  z.enum(["true", "false"], { error: mandatory(FLAG_WORDS) }).transform((value) => value === "true"),
);

const INSTANT_WORDS = "Send a time as ISO 8601 with Z or an offset, such as 2026-11-20T10:15:00Z; write + as %2B.";

/** A point in time as epoch milliseconds. */
export const instantFilter = optional(
  z.iso.datetime({ offset: true, error: mandatory(INSTANT_WORDS) }).transform((value) => Date.parse(value)),
);
