/**
 * The example programs: shown whole or as tabs and served as files; and those of the client's README, which are tested.
 */
import { codeHtml } from "./highlight.ts";
import { escapeHtml, fileText } from "./html.ts";

const LANGUAGE_OF: Record<string, string> = {
  "sign.sh": "bash",
  "sign.mjs": "js",
  "receive.mjs": "js",
  "till.php": "php",
  "till.py": "python",
  "receive.py": "python",
  "Till.java": "java",
  "Json.java": "java",
  "Events.java": "java",
  "Till.cs": "cs",
  "Json.cs": "cs",
  "Events.cs": "cs",
};

export const EXAMPLES: Record<string, string> = Object.fromEntries(
  Object.keys(LANGUAGE_OF).map((name) => [name, fileText(`src/docs/${fileOf(name)}`)]),
);

function fileOf(name: string): string {
  return /^(?:till|json|events)\.|\.py$/iu.test(name) ? `examples/till/${name}` : `examples/${name}`;
}

export function readmeExample(text: string): string {
  const blocks = [...fileText("src/client/README.md").matchAll(/^```js\n(.*?)^```$/gmsu)].map(([block]) => block);
  const found = blocks.find((block) => block.includes(text));
  if (found === undefined) throw new Error(`The client's README has no example with ${text}.`);
  return found;
}

/**
 * Regions whose JavaScript is a block of the client's README, by a text in that block. The client does the rest itself.
 */
const CLIENT: Record<string, string> = {
  transact: "new PosClient",
  cancel: "pos.cancel",
  void: "pos.cancel",
  inquiry: "pos.cancel",
  totals: "pos.totals",
  events: "pos.events",
};

/** A region may have a part in each file. */
const TILLS = [
  { id: "python", name: "Python", files: ["till.py", "receive.py"] },
  { id: "php", name: "PHP", files: ["till.php"] },
  { id: "java", name: "Java", files: ["Till.java", "Json.java", "Events.java"] },
  { id: "cs", name: "C#", files: ["Till.cs", "Json.cs", "Events.cs"] },
];

function inJavaScript(name: string): string {
  const text = CLIENT[name];
  if (text === undefined) return inFiles(name, ["sign.mjs", "receive.mjs"]);
  return readmeExample(text).replaceAll(/^```.*\n/gmu, "");
}

function inFiles(name: string, files: string[]): string {
  const found = files.flatMap((file) => regionsOf(EXAMPLES[file] ?? "").filter((one) => one.name === name));
  return found.map(({ code }) => code).join("\n\n");
}

/** The text between `region NAME` and `endregion` in comments, moved to the left edge. */
function regionsOf(source: string): { name: string; code: string }[] {
  const regions = source.matchAll(/^ *(?:#|\/\/) region (\w+)\n(.*?)^ *(?:#|\/\/) endregion$/gmsu);
  return [...regions].map(([, name = "", code = ""]) => {
    const indent = /^ */u.exec(code)?.[0] ?? "";
    return { name, code: code.replaceAll(new RegExp(`^${indent}`, "gmu"), "").trimEnd() };
  });
}

/** The tabs are radio buttons, which need no script. */
export function tabs(region: string): string {
  const inTills = TILLS.map(({ id, name, files }) => ({ id, name, code: inFiles(region, files) }));
  const parts = [{ id: "js", name: "JavaScript", code: inJavaScript(region) }, ...inTills].filter(
    ({ code }) => code !== "",
  );
  if (parts.length < TILLS.length) throw new Error(`Not every till has the region ${region}.`);
  const panels = parts.map(({ id, name, code }, place) => {
    const button = `tab-${region}-${id}`;
    return (
      `<input type="radio" id="${button}" name="tab-${region}" value="${id}"${place === 0 ? " checked" : ""}>` +
      `<label for="${button}">${name}</label>${inOneBlock(codeHtml(code, id, name))}`
    );
  });
  return `<div class="tabs" role="radiogroup" aria-label="Language">${panels.join("")}</div>`;
}

export function tabLinks(region: string): string {
  const links = TILLS.flatMap(({ name, files }) =>
    files.flatMap((file) => {
      const lines = linesOf(EXAMPLES[file] ?? "", region);
      return lines === null ? [] : [`[${name}](${fileOf(file)}#L${lines.first}-L${lines.last})`];
    }),
  );
  return `The code in ${links.join(", ")}`;
}

/** The first and the last line of a region, counted from 1; null if there is none. */
function linesOf(source: string, region: string): { first: number; last: number } | null {
  const lines = source.split("\n");
  const start = lines.findIndex((line) => line.endsWith(` region ${region}`));
  const length = lines.slice(start).findIndex((line) => line.endsWith(" endregion"));
  return start < 0 ? null : { first: start + 2, last: start + length };
}

export function tillLinks(): string {
  return TILLS.flatMap(({ files }) => files.map(exampleLink)).join(", ");
}

export function exampleLink(file: string): string {
  return `[\`${file}\`](${fileOf(file)})`;
}

export function tills(): string {
  return TILLS.flatMap(({ files }) => files.map(example)).join("\n\n");
}

export function example(file: string): string {
  const found = EXAMPLES[file];
  if (found === undefined) throw new Error(`There is no example ${file}.`);
  const source = found.trimEnd();
  return (
    `<details class="example"><summary><code>${escapeHtml(file)}</code> <span>${source.split("\n").length} lines</span></summary>` +
    `<p><a href="/docs/examples/${escapeHtml(file)}">The file</a></p>` +
    `${inOneBlock(codeHtml(source, LANGUAGE_OF[file] ?? "", file))}</details>`
  );
}

/** Markdown ends a block of HTML at an empty line, so line feeds become entities. */
function inOneBlock(html: string): string {
  return html.replaceAll("\n", "&#10;");
}
