import type { z } from "zod";
import { JSON_PROBLEMS } from "../limits.ts";
import { pathTo } from "../signing/json-structure.ts";
import type { Problem } from "../signing/problem.ts";

/** Every field that a schema found wrong: where, as a dotted path, and the schema's own words on how to mend it. */
export function problemsOf(error: z.core.$ZodError): Problem[] {
  return error.issues.slice(0, JSON_PROBLEMS).map(({ path, message }) => ({
    path: path.reduce<string>((container, name) => pathTo(container, String(name)), ""),
    message,
  }));
}
