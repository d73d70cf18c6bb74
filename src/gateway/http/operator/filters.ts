import * as z from "zod";
import type { Filter, Filters, FilterValue } from "../../../protocol/operator-filters.ts";
import { identifier, mandatory, optionalField, textField } from "../validation/fields.ts";
import { pageQuery } from "../middleware/pages.ts";

const INSTANT_WORDS = "Send a time as ISO 8601 with Z or an offset, such as 2026-11-20T10:15:00Z; write + as %2B.";

/** The text becomes an `EpochMs`. */
const instant = z.iso
  .datetime({ offset: true, error: mandatory(INSTANT_WORDS) })
  .transform((value) => Date.parse(value));

export const instantFilter = optionalField(instant);

export const flag = z
  .enum(["true", "false"], { error: mandatory("Send true or false.") })
  .transform((value) => value === "true");

export function filterShape<Of extends Filters>(filters: Of) {
  const schemas = Object.entries(filters).map(([name, filter]) => [name, optionalField(makeSchema(filter))]);
  return Object.fromEntries(schemas) as { [Name in keyof Of]: z.ZodType<FilterValue<Of[Name]> | undefined> };
}

export function listQuery<Of extends Filters>(filters: Of) {
  return z.object({ ...pageQuery.shape, ...filterShape(filters) });
}

function makeSchema(filter: Filter): z.ZodType {
  switch (filter.kind) {
    case "text":
      return textField(filter.length);
    case "id":
      return identifier(filter.length);
    case "pattern":
      return z.string({ error: filter.must }).regex(filter.pattern);
    case "choice":
      return z.enum(filter.of, { error: `Send ${choiceWords(filter.of)}.` });
    case "flag":
      return flag;
    case "time":
      return instant;
  }
}

function choiceWords(values: readonly string[]): string {
  if (values.length > 3) return `one of ${values.join(", ")}`;
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
}

export const BAD_CURSOR = "Send the cursor from the previous page.";

/** For lists whose keys have several parts, joined by dashes. */
export function defineCursor<Key>(pattern: RegExp, keyOf: (parts: string[]) => Key) {
  const cursor = z.string().regex(pattern, { error: BAD_CURSOR });
  return optionalField(cursor.transform((value) => keyOf(value.split("-"))));
}
