/** What the search of the pages looks in: each section with its words. */
import type { Rendered } from "./markdown.ts";
import { plain } from "./html.ts";

export interface SearchEntry {
  /** Where it is, with the section. */
  href: string;
  /** The page's name, and the section's. */
  page: string;
  section: string;
  text: string;
}

/** Enough to find a section by, of those that are long. */
const LONGEST_TEXT = 8_000;

export function searchEntries(path: string, page: string, { html, headings }: Rendered): SearchEntry[] {
  const [before = "", ...sections] = html.split(/<h[23] /u);
  const entries = sections.map((section, place) => {
    const heading = headings[place];
    return entry(`${path}#${heading?.id ?? ""}`, page, heading?.text ?? "", section.replace(/^.*?<\/h[23]>/su, ""));
  });
  return [entry(path, page, "", before), ...entries];
}

function entry(href: string, page: string, section: string, html: string): SearchEntry {
  const text = plain(html.replaceAll(/<svg.*?<\/svg>/gsu, "").replaceAll(/<(?:\/p|\/td|\/li|\/tr|br)>/gu, " "))
    .replaceAll(/\s+/gu, " ")
    .trim();
  return { href, page, section, text: text.slice(0, LONGEST_TEXT) };
}
