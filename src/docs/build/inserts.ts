/** What stands on a page as `{{name}}`: tables made from the code, diagrams, example programs, and numbers. */
import { CLOSE_CODES_TABLE } from "../../contracts/asyncapi/close-codes.ts";
import { API_VERSIONS } from "../../protocol/api-version.ts";
import chaosReport from "../chaos-report.md" with { type: "text" };
import { capacityInsert } from "./capacity.ts";
import { diagrams } from "./diagrams.ts";
import { errorSections, errorsTable, frameErrorSections } from "./errors.ts";
import { EXAMPLES, readmeExample } from "./examples.ts";
import { figure } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { escapeHtml } from "./html.ts";
import { limitsTable } from "./limits-table.ts";
import { outcomesTable, textsTable } from "./outcomes.ts";
import { sequenceDiagram } from "./sequence.ts";
import { speedInsert } from "./speed.ts";
import { tabs, TILLS } from "./tabs.ts";
import { testAmountsTable } from "./test-amounts.ts";

const TABLES: Record<string, () => string> = {
  "outcomes table": outcomesTable,
  "texts table": textsTable,
  "errors table": errorsTable,
  "error sections": errorSections,
  "frame error sections": frameErrorSections,
  "limits table": limitsTable,
  "close codes table": () => `${CLOSE_CODES_TABLE}\n`,
  "test amounts table": testAmountsTable,
  tills: () => TILLS.flatMap(({ files }) => files.map(example)).join("\n\n"),
  "chaos report": () => chaosReport,
};

/** A page's Markdown with everything put in. Throws for a name that there is not. */
export function withInserts(source: string): string {
  return source.replaceAll(/\{\{([^{}]+)\}\}/gu, (_, name: string) => insert(name));
}

function insert(name: string): string {
  const table = TABLES[name];
  if (table !== undefined) return table();
  if (name.startsWith("diagram ")) return diagram(name.slice(8));
  if (name.startsWith("example ")) return example(name.slice(8));
  if (name.startsWith("tabs ")) return tabs(name.slice(5));
  if (name.startsWith("capacity ")) return capacityInsert(name.slice(9));
  if (name.startsWith("speed ")) return speedInsert(name.slice(6));
  if (name.startsWith("readme ")) return readmeExample(name.slice(7));
  return name === "API_VERSIONS" ? API_VERSIONS.map((version) => `\`${version}\``).join(", ") : figure(name);
}

function diagram(id: string): string {
  const found = diagrams.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no diagram ${id}.`);
  return sequenceDiagram(found);
}

/** One block of HTML for Markdown, which ends such a block at an empty line: so line feeds are written as entities. */
function example(file: string): string {
  const found = EXAMPLES[file];
  if (found === undefined) throw new Error(`There is no example ${file}.`);
  const { source, language } = found;
  const lines = source.trimEnd().split("\n").length;
  const code = highlight(source.trimEnd(), language).replaceAll("\n", "&#10;");
  return (
    `<details class="example"><summary><code>${escapeHtml(file)}</code> <span>${lines} lines</span></summary>` +
    `<p><a href="/docs/examples/${escapeHtml(file)}">The file</a></p>` +
    `<div class="code" data-language="${language}"><pre tabindex="0" role="group" aria-label="${escapeHtml(file)}"><code>` +
    `${code}</code></pre></div></details>`
  );
}
