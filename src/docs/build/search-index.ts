import type { OpenApiDocument } from "../../http/openapi/openapi.ts";
import type { SearchEntry } from "../find.ts";
import { familiesOf } from "../reference/calls.ts";
import { resolverOf } from "../reference/schema.ts";
import { plain } from "./html.ts";
import type { Rendered } from "./markdown.ts";

/** Characters: enough to find a long section. */
const LONGEST_TEXT = 8_000;

export function searchEntries(path: string, page: string, { html, headings }: Rendered): SearchEntry[] {
  const [before = "", ...sections] = html.split(/<h[23] /u);
  const entries = sections.map((section, place) => {
    const heading = headings[place];
    return entry(`${path}#${heading?.id ?? ""}`, page, heading?.text ?? "", section.replace(/^.*?<\/h[23]>/su, ""));
  });
  return [entry(path, page, "", before), ...entries];
}

/** From the document: Scalar makes the calls' pages in the browser, so there is no HTML to index. */
export function callEntries(document: OpenApiDocument): SearchEntry[] {
  return familiesOf(document).flatMap(({ name: family, calls }) =>
    calls.map(({ name, href, operation }) => {
      const words = [...new Set(wordsOf(operation, document))].join(" ");
      return entry(href, `HTTP calls: ${family}`, name, words.replaceAll(/[`*]/gu, ""));
    }),
  );
}

/** Members of an OpenAPI document whose values are words for readers, and those whose names are. */
const SAID = new Set(["summary", "description", "name", "const", "enum"]);
const NAMED = new Set(["properties", "headers", "responses", "content"]);

/** Not indexed for each call: the page of outcomes explains what many calls share. */
const SHARED = "#/components/responses/";

/** Descriptions, and names of fields, headers, statuses and codes. Follows references. */
function wordsOf(part: unknown, document: object, passed: readonly unknown[] = []): string[] {
  if (typeof part !== "object" || part === null || passed.includes(part)) return [];
  if ("$ref" in part && String(part.$ref).startsWith(SHARED)) return [];
  const own = Array.isArray(part) ? part : resolverOf(document)<object>(part);
  return Object.entries(own).flatMap(([key, value]: [string, unknown]) => {
    const said = SAID.has(key) ? [value].flat().filter((word) => typeof word === "string") : [];
    const named = NAMED.has(key) ? Object.keys(value as object) : [];
    return [...said, ...named, ...wordsOf(value, document, [...passed, part])];
  });
}

function entry(href: string, page: string, section: string, html: string): SearchEntry {
  const text = plain(
    html
      .replaceAll(/<svg.*?<\/svg>|<div class="tabs".*?<\/pre><\/div><\/div>/gsu, "")
      .replaceAll(/<(?:\/p|\/td|\/li|\/tr|br)>/gu, " "),
  )
    .replaceAll(/\s+/gu, " ")
    .trim();
  return { href, page, section, text: text.slice(0, LONGEST_TEXT) };
}
