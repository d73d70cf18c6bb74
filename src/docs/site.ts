/** The documentation: Markdown, tables from the code and both contracts, as files of the static site. */
import base from "../console/page/base.css" with { type: "text" };
import style from "./docs.css" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import script from "./docs.mjs" with { type: "text" };
import search from "./search.mjs" with { type: "text" };
import { EXAMPLES } from "./build/examples.ts";
import { withInserts } from "./build/inserts.ts";
import { renderMarkdown, type Rendered } from "./build/markdown.ts";
import { pageHtml } from "./build/page.ts";
import { searchEntries } from "./build/search-index.ts";
import { GROUPS, type Page } from "./pages.ts";

/** Every file below /docs by its path in the site; /docs itself is docs.html. */
export function docsFiles(): Record<string, string> {
  const pages = GROUPS.flatMap((group) => group.pages).map((page) => ({ page, rendered: render(page) }));
  const files: Record<string, string> = {
    "docs/docs.css": base + style,
    "docs/docs.js": script,
    "docs/search.js": search,
    "docs/search.json": JSON.stringify(
      pages.flatMap(({ page, rendered }) => searchEntries(page.path, page.name, rendered)),
    ),
    "docs/icon.svg": icon,
  };
  for (const { page, rendered } of pages) {
    const { content: _content, ...entry } = page;
    files[`${page.path.slice(1)}.html`] = pageHtml({ ...entry, ...rendered }, GROUPS);
  }
  for (const [name, { source }] of Object.entries(EXAMPLES)) files[`docs/examples/${name}`] = source;
  return files;
}

function render({ content }: Page): Rendered {
  return typeof content === "string" ? renderMarkdown(withInserts(content)) : content();
}

/** What a browser may do with these pages: show them, and nothing else. For the site's `_headers`. */
export const DOCS_HEADERS = ["/docs", "/docs/*"]
  .map(
    (path) => `${path}
  Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
  Referrer-Policy: no-referrer
`,
  )
  .join("");
