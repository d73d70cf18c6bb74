/** The documentation: Markdown, tables from the code and both contracts, as files of the static site. */
import base from "../console/page/base.css" with { type: "text" };
import style from "./docs.css" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import reference from "./reference/reference.css" with { type: "text" };
import { openApi } from "../http/openapi/openapi.ts";
import { EXAMPLES } from "./build/examples.ts";
import { withInserts } from "./build/inserts.ts";
import { renderMarkdown, type Rendered } from "./build/markdown.ts";
import { pageHtml } from "./build/page.ts";
import { callEntries, searchEntries } from "./build/search-index.ts";
import { notFoundPage } from "./not-found.ts";
import { GROUPS, type Page } from "./pages.ts";
import { familyPages } from "./reference/calls.ts";
import { startPages } from "./start-page.ts";
import { pagePolicy } from "../http/site/page-policy.ts";

const PAGES: Page[] = [...GROUPS.flatMap(({ pages }) => pages), ...familyPages(openApi())];

/**
 * Every file below /docs by its path in the site, but the scripts; /docs itself is docs.html. 404.html is for addresses
 * below /docs where there is no file, the start pages for the gateway's own address.
 */
export function docsFiles(): Record<string, string> {
  const pages = PAGES.map((page) => ({ page, rendered: render(page) }));
  const found = [
    ...pages.flatMap(({ page: { path, name, layout }, rendered }) =>
      layout === "scalar" ? [] : searchEntries(path, name, rendered),
    ),
    ...callEntries(openApi()),
  ];
  const files: Record<string, string> = {
    "docs/docs.css": base + style,
    "docs/reference.css": reference,
    "docs/search.json": JSON.stringify(found),
    "docs/icon.svg": icon,
    "404.html": notFoundPage(GROUPS),
    ...startPages(),
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

/**
 * The headers of these pages, for the site's `_headers`.
 *
 * Scalar needs inline styles: the editor of its requests writes style elements whose text changes with use, so no list
 * of hashes covers them, and a nonce in a file that is the same for everybody protects nothing. Its pages alone allow
 * them. Scripts are the site's own files on every page.
 */
export const DOCS_HEADERS = `/docs
  ${policy()}
  Referrer-Policy: no-referrer
/docs/*
  ${policy()}
  Referrer-Policy: no-referrer
/docs/reference/*
  ! Content-Security-Policy
  ${policy("'self' 'unsafe-inline'")}
`;

function policy(styles?: string): string {
  return `Content-Security-Policy: ${pagePolicy(styles)}`;
}
