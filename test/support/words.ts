/**
 * Counts the words that each page of the documentation shows, as a reader sees them: `npm run words`. Everything counts that
 * is not a block of code, also what programs write; only the reference does not.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { buildSite, docsPages, textOf } from "./site.ts";

/** What somebody who writes a till must read. */
export const TO_TAKE_PAYMENTS = "first-sale outcomes recovery close-the-day events errors signatures"
  .split(" ")
  .map((name) => `/docs/${name}`);

/** Words by page, and those of the files beside the site. Builds the site. */
export function wordsByPage(): Map<string, number> {
  buildSite();
  const pages = [...docsPages()].flatMap(([path, html]): [string, number][] => {
    if (path.startsWith("/docs/reference")) return [];
    const [, main = ""] = /<main[^>]*>(.*?)<nav class="turn"/su.exec(html) ?? [];
    return [[path, count(main)]];
  });
  const files = ["README.md", "CHANGELOG.md", "SECURITY.md"].map((name): [string, number] => [
    name,
    count(marked.parse(readFileSync(join(import.meta.dirname, "..", "..", name), "utf8"), { async: false })),
  ]);
  return new Map([...pages, ...files]);
}

function count(html: string): number {
  const text = textOf(html.replaceAll(/<pre.*?<\/pre>/gsu, "").replaceAll(/<\/(?:td|th|li|p|h\d)>/gu, " "));
  return text.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

export function sum(of: Map<string, number>, paths: Iterable<string> = of.keys()): number {
  return [...paths].reduce((total, path) => total + (of.get(path) ?? 0), 0);
}

if (import.meta.main) {
  const counted = wordsByPage();
  for (const [name, number] of counted) console.log(`${String(number).padStart(6)}  ${name}`);
  console.log(`${String(sum(counted, TO_TAKE_PAYMENTS)).padStart(6)}  to take payments`);
  console.log(`${String(sum(counted)).padStart(6)}  in all`);
}
