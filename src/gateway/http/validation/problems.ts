import type * as z from "zod";
import { JSON_PROBLEMS } from "../../../protocol/limits.ts";
import { joinPath } from "../../../protocol/signing/json.ts";
import type { Problem } from "../../../protocol/problem.ts";

/**
 * Every invalid field once: its dotted path and the schema's advice. Of several issues of a field, reports the first,
 * which is the most basic.
 */
export function validationProblems(error: Pick<z.core.$ZodError, "issues">): Problem[] {
  const problems = new Map<string, Problem>();
  for (const issue of error.issues) {
    const path = issue.path.reduce<string>((container, name) => joinPath(container, String(name)), "");
    if (!problems.has(path)) problems.set(path, { path, message: issue.message });
  }
  return [...problems.values()].slice(0, JSON_PROBLEMS);
}
