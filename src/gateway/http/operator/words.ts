/** Words that several descriptions of operators' calls share. */
import { PAGE_ROWS } from "../../../protocol/limits.ts";
import type { Filter, Filters } from "../../../protocol/operator-filters.ts";

export const PAGE_LIMIT = {
  description: `Rows per page. Default: ${PAGE_ROWS}.`,
  schema: { type: "integer", minimum: 1, maximum: PAGE_ROWS },
  examples: [20],
};

/** For lists whose keys are texts. */
export const PAGE_NOTES = {
  cursor: { description: "`next` of the previous page. Without it, the first page.", examples: ["T-1001"] },
  limit: PAGE_LIMIT,
};

export const NUMBERED_PAGES = {
  cursor: { description: "`next` of the previous page. Without it, the newest page.", examples: ["1000000042"] },
  limit: PAGE_LIMIT,
};

/** The overview and the metrics wake the coordinator, which sleeps otherwise, and no other object. */
export const READS_ONLY_DATABASE =
  "Reads only the database and asks no account and no terminal, so it may be called every few seconds.";

const NAME_REMOVED = "null or the empty string removes it.";

export const removableName = (example: string) => ({
  description: `The operator's name for it; ${NAME_REMOVED}`,
  examples: [example],
});

/** Requires a member that is neither missing, null nor empty, or one that removes the name. */
export function changesSomething(names: readonly string[]) {
  const others = names.filter((name) => name !== "name");
  return {
    not: {
      properties: { ...Object.fromEntries(others.map((name) => [name, { enum: [null, ""] }])), name: { not: {} } },
    },
  };
}

export const INSTANT = {
  schema: { type: "string", format: "date-time" },
  examples: ["2026-11-20T10:15:00Z"],
};

export function filterNotes<Of extends Filters>(filters: Of) {
  const notes = Object.entries(filters).map(([name, filter]) => [name, describeFilter(filter)]);
  return Object.fromEntries(notes) as Record<keyof Of & string, ReturnType<typeof describeFilter>>;
}

function describeFilter({ kind, words, example }: Filter) {
  return {
    description: words,
    ...(kind === "flag" ? { schema: { type: "string", enum: ["true", "false"] } } : {}),
    ...(kind === "time" ? INSTANT : { examples: [example] }),
  };
}

export const SHORT_PAGES = "A page may be short, even empty, and still have a `next`.";

export function noSuch(what: string): string {
  return `There is no such ${what}, or no operator is set.`;
}

export const RETIRED_OR_BUSY = "The terminal is retired, or has a transaction in progress.";
