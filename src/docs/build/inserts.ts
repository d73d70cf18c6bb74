/**
 * What stands on a page as `{{name}}`: tables made from the code, diagrams, example programs, and numbers.
 *
 * Code of a till is written in the complete tills of `examples/till` alone, which tests run, and never on a page. `{{tabs PART}}`
 * shows the same part of all of them, a tab for each language (Python, PHP, Java, C#, and JavaScript where our client does
 * not do it by itself): what stands between `region PART` and `endregion` in their comments. The parts are `sign`, `verify`,
 * `session`, `ask`, `store`, `transact`, `recover`, `cancel`, `void`, `inquiry`, `totals`, `events` and `webhook`.
 * `{{tills}}` shows all of them whole, folded; `{{example FILE}}` one file.
 */
import { API_VERSIONS } from "../../protocol/api-version.ts";
import chaosReport from "../chaos-report.md" with { type: "text" };
import { capacityInsert } from "./capacity.ts";
import { diagram } from "./diagrams.ts";
import { example, readmeExample, tabs, tills } from "./examples.ts";
import { figure } from "./figures.ts";
import { speedInsert } from "./speed.ts";
import { TABLES } from "./tables.ts";

/** What needs no name. */
const SINGLE: Record<string, () => string> = {
  ...TABLES,
  tills,
  "chaos report": () => chaosReport,
  API_VERSIONS: () => API_VERSIONS.map((version) => `\`${version}\``).join(", "),
};

/** What is followed by a name. */
const NAMED: Record<string, (name: string) => string> = {
  diagram,
  example,
  tabs,
  capacity: capacityInsert,
  speed: speedInsert,
  readme: readmeExample,
};

/** A page's Markdown with everything put in. Throws for a name that there is not. */
export function withInserts(source: string): string {
  return source.replaceAll(/\{\{([^{}]+)\}\}/gu, (_, name: string) => insert(name));
}

function insert(words: string): string {
  const single = SINGLE[words];
  if (single !== undefined) return single();
  const [first = "", ...rest] = words.split(" ");
  return NAMED[first]?.(rest.join(" ")) ?? figure(words);
}
