/**
 * The static site that the Worker serves, except its scripts: the documentation, the start pages and both contracts.
 */
import { EXAMPLES } from "./build/examples.ts";
import { escapeHtml, fileText } from "./build/html.ts";
import { withInserts } from "./build/inserts.ts";
import { renderMarkdown, type Rendered } from "./build/markdown.ts";
import { pageHtml } from "./build/page.ts";
import { callEntries, searchEntries } from "./build/search-index.ts";
import { CONTRACTS } from "./contracts.ts";
import { GROUPS, withSiteLinks, type Page } from "./pages.ts";
import { familyPages } from "./reference/calls.ts";
import { startPages } from "./start-page.ts";
import { pagePolicy } from "../http/site/static-pages.ts";

const PAGES: Page[] = [...GROUPS.flatMap(({ pages }) => pages), ...familyPages(CONTRACTS["openapi.json"])];

/**
 * All files of dist/site by path, without a leading slash; /docs itself is docs.html. 404.html is for unknown addresses
 * below /docs, the start pages for the gateway's own address.
 */
export function siteFiles(): Record<string, string> {
  const pages = PAGES.map((page) => ({ page, rendered: render(page) }));
  const found = pages.flatMap(({ page: { path, name, layout }, rendered }) =>
    layout === "scalar" ? [] : searchEntries(path, name, rendered),
  );
  const files: Record<string, string> = {
    _headers: HEADERS,
    ...Object.fromEntries(
      Object.entries(CONTRACTS).map(([path, document]) => [path, JSON.stringify(document, null, 2)]),
    ),
    "docs/docs.css": fileText("src/console/page/base.css") + fileText("src/docs/docs.css"),
    "docs/reference.css": fileText("src/docs/reference/reference.css"),
    "docs/search.json": JSON.stringify([...found, ...callEntries(CONTRACTS["openapi.json"])]),
    "docs/icon.svg": fileText("src/docs/icon.svg"),
    "404.html": notFoundPage(),
    ...startPages(),
  };
  for (const { page, rendered } of pages) {
    const { content: _content, ...entry } = page;
    files[`${page.path.slice(1)}.html`] = pageHtml({ ...entry, ...rendered }, GROUPS);
  }
  for (const [name, source] of Object.entries(EXAMPLES)) files[`docs/examples/${name}`] = source;
  return files;
}

function render({ content }: Page): Rendered {
  return typeof content === "string" ? renderMarkdown(withSiteLinks(withInserts(content))) : content();
}

function notFoundPage(): string {
  const items = GROUPS.flatMap(({ pages }) => pages).map(
    ({ path, name, description }) => `<li><a href="${path}">${escapeHtml(name)}</a>: ${escapeHtml(description)}</li>`,
  );
  const page = {
    path: "/docs/404",
    name: "Not found",
    title: "There is no such page",
    description: "The address has a typing error, or the page has moved. These are all pages.",
    headings: [],
    html: `<ul>${items.join("\n")}</ul>`,
  };
  return pageHtml(page, GROUPS);
}

/**
 * Headers for the files served without the Worker. The Worker serves the console and sets its headers. The policy is for
 * every file, so that none can be forgotten: also for the start pages and the page for unknown addresses.
 *
 * Scalar needs inline styles: the editor of its requests writes style elements whose text changes with use, so no list
 * of hashes covers them, and a nonce in a file that is the same for everybody protects nothing. Only its pages allow
 * them. Scripts are the site's own files on every page.
 */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
  ${policy()}
  X-Frame-Options: DENY
  Referrer-Policy: no-referrer
/docs/reference/*
  ! Content-Security-Policy
  ${policy("'self' 'unsafe-inline'")}
${Object.keys(CONTRACTS)
  .map((path) => `/${path}\n  Access-Control-Allow-Origin: *\n`)
  .join("")}`;

function policy(styles?: string): string {
  return `Content-Security-Policy: ${pagePolicy(styles)}`;
}
