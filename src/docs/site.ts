/** The documentation: Markdown, tables from the code and both contracts, as files of the static site. */
import base from "../console/page/base.css" with { type: "text" };
import style from "./docs.css" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import script from "./docs.mjs" with { type: "text" };
import { EXAMPLES } from "./build/examples.ts";
import { withInserts } from "./build/inserts.ts";
import { renderMarkdown } from "./build/markdown.ts";
import { pageHtml } from "./build/page.ts";
import { GROUPS, type Page } from "./pages.ts";

/** Every file below /docs by its path in the site; /docs itself is docs.html. */
export function docsFiles(): Record<string, string> {
  const pages = GROUPS.flatMap((group) => group.pages).map((page) => [`${page.path.slice(1)}.html`, render(page)]);
  const examples = Object.entries(EXAMPLES).map(([name, { source }]) => [`docs/examples/${name}`, source]);
  return {
    ...(Object.fromEntries(pages) as Record<string, string>),
    ...(Object.fromEntries(examples) as Record<string, string>),
    "docs/docs.css": base + style,
    "docs/docs.js": script,
    "docs/icon.svg": icon,
  };
}

function render({ content, ...entry }: Page): string {
  const rendered = typeof content === "string" ? renderMarkdown(withInserts(content)) : content();
  return pageHtml({ ...entry, ...rendered }, GROUPS);
}

/** What a browser may do with these pages: show them, and nothing else. For the site's `_headers`. */
export const DOCS_HEADERS = ["/docs", "/docs/*"]
  .map(
    (path) => `${path}
  Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
  Referrer-Policy: no-referrer
`,
  )
  .join("");
