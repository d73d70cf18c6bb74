/** The same step in every language, as tabs: regions of the complete tills, and for JavaScript those of its examples. */
import { EXAMPLES, readmeExample } from "./examples.ts";
import { highlight } from "./highlight.ts";

interface Language {
  id: string;
  name: string;
  /** The code of a region, or null if it has none. */
  region: (name: string) => string | null;
}

/** What the client of this project does by itself has no example in JavaScript. */
const CLIENT: Record<string, string> = { transact: "new PosClient", totals: "pos.totals", events: "pos.events" };

/** Those whose complete till has the regions; their files in the order in which a reader wants them. */
export const TILLS: { id: string; name: string; files: string[] }[] = [
  { id: "python", name: "Python", files: ["till.py"] },
  { id: "php", name: "PHP", files: ["till.php"] },
];

const LANGUAGES: Language[] = [
  { id: "js", name: "JavaScript", region: inJavaScript },
  ...TILLS.map(({ id, name, files }) => ({ id, name, region: (region: string) => inFiles(region, files) })),
];

function inJavaScript(name: string): string | null {
  const text = CLIENT[name];
  if (text === undefined) return inFiles(name, ["sign.mjs", "receive.mjs"]);
  return readmeExample(text).replaceAll(/^```.*\n/gmu, "");
}

function inFiles(name: string, files: string[]): string | null {
  const found = files.flatMap((file) => regionsOf(EXAMPLES[file]?.source ?? "").filter((one) => one.name === name));
  return found[0]?.code ?? null;
}

/** What stands between `region NAME` and `endregion` in comments or directives, moved to the left edge. */
export function regionsOf(source: string): { name: string; code: string }[] {
  const regions = source.matchAll(/^ *(?:# ?|\/\/ )region (\w+)\n(.*?)^ *(?:# ?|\/\/ )endregion$/gmsu);
  return [...regions].map(([, name = "", code = ""]) => {
    const indent = /^ */u.exec(code)?.[0] ?? "";
    return { name, code: code.replaceAll(new RegExp(`^${indent}`, "gmu"), "").trimEnd() };
  });
}

/**
 * One block of HTML for Markdown, which ends such a block at an empty line: so line feeds are written as entities. The tabs
 * are radio buttons, which need no script.
 */
export function tabs(region: string): string {
  const parts = LANGUAGES.flatMap(({ id, name, region: find }) => {
    const code = find(region);
    return code === null ? [] : [{ id, name, code }];
  });
  if (parts.length < TILLS.length) throw new Error(`Not every till has the region ${region}.`);
  const panels = parts.map(({ id, name, code }, place) => {
    const button = `tab-${region}-${id}`;
    return (
      `<input type="radio" id="${button}" name="tab-${region}" value="${id}"${place === 0 ? " checked" : ""}>` +
      `<label for="${button}">${name}</label>` +
      `<div class="code" data-language="${id}"><pre tabindex="0" role="group" aria-label="${name}"><code>` +
      `${highlight(code, id).replaceAll("\n", "&#10;")}</code></pre></div>`
    );
  });
  return `<div class="tabs" role="radiogroup" aria-label="Language">${panels.join("")}</div>`;
}
