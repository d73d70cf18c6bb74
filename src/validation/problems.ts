import type * as z from "zod";
import { JSON_PROBLEMS } from "../limits.ts";
import { pathTo } from "../signing/json-structure.ts";
import type { Problem } from "../signing/problem.ts";

/**
 * Every field that a schema found wrong, once: where, as a dotted path, and the schema's own words on how to mend it. Of
 * several findings on one field the first is the most basic.
 */
export function problemsOf(error: z.core.$ZodError): Problem[] {
  const problems = new Map<string, Problem>();
  for (const issue of error.issues) {
    const path = issue.path.reduce<string>((container, name) => pathTo(container, String(name)), "");
    if (!problems.has(path)) problems.set(path, { path, message: issue.message });
  }
  return [...problems.values()].slice(0, JSON_PROBLEMS);
}
