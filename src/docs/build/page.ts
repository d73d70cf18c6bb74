import { escapeHtml } from "./html.ts";
import type { Heading } from "./markdown.ts";

export interface PageEntry {
  path: string;
  /** In the navigation. */
  name: string;
  title: string;
  description: string;
  /**
   * `wide` has room for the tables of a long reference. `scalar` leaves everything below its text to reference.mjs and
   * has its own Content-Security-Policy.
   */
  layout?: "wide" | "scalar";
  /** With `scalar`: the tag whose calls the page shows, and those calls for a browser without scripts. */
  tag?: string;
  calls?: string;
}

interface PageGroup {
  name: string;
  pages: PageEntry[];
}

interface PageContent extends PageEntry {
  html: string;
  headings: Heading[];
}

export function pageHtml(page: PageContent, groups: readonly PageGroup[]): string {
  const { path, title, description, headings, layout } = page;
  const name = layout === "scalar" ? "reference" : "docs";
  const list = groups.map((group) => groupHtml(group, path, headings)).join("");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · Payment terminal gateway</title>
    <meta name="description" content="${escapeHtml(description)}">
    <link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/docs/${name}.css">
    <script type="module" src="/docs/${name}.js"></script>
    <script type="module" src="/docs/search.js"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="masthead">
      <a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24"> Payment terminal gateway</a>
      <nav class="contracts" aria-label="This gateway">
        <a href="/">Start</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/asyncapi.json">AsyncAPI</a>
      </nav>
    </header>
    <details class="menu">
      <summary>Pages and sections</summary>
      <nav aria-label="Pages and sections">${list}</nav>
    </details>
${layout === "scalar" ? scalarHtml(page) : columnsHtml(page, groups, list)}
  </body>
</html>
`;
}

function columnsHtml(page: PageContent, groups: readonly PageGroup[], list: string): string {
  const all = groups.flatMap(({ pages }) => pages);
  const place = all.findIndex(({ path }) => path === page.path);
  return `    <div class="columns${page.layout === "wide" ? " wide" : ""}">
      <nav class="pages" aria-label="Pages">${list}</nav>
      <main id="content" tabindex="-1">
        ${headHtml(page)}
${page.html}
        ${place < 0 ? "" : nextHtml(all[place - 1], all[place + 1])}
      </main>
      <nav class="sections" aria-label="On this page">
        <h2>On this page</h2>
        ${sectionsHtml(page.headings)}
      </nav>
    </div>`;
}

/** Scalar brings its own sidebar and main element. */
function scalarHtml(page: PageContent): string {
  return `    <section id="content" class="about" tabindex="-1" aria-label="About this page">
        ${headHtml(page)}
${page.html}
    </section>
    <section id="reference" data-tag="${escapeHtml(page.tag ?? "")}">${page.calls ?? ""}</section>`;
}

function headHtml({ title, description }: PageContent): string {
  return `<h1>${escapeHtml(title)}</h1>
        <p class="lead">${escapeHtml(description)}</p>`;
}

function groupHtml({ name, pages }: PageGroup, current: string, headings: Heading[]): string {
  const items = pages.map(({ path, name: pageName }) => {
    const here = path === current;
    const link = `<a href="${path}"${here ? ' aria-current="page"' : ""}>${escapeHtml(pageName)}</a>`;
    return `<li>${link}${here && headings.length > 0 ? sectionsHtml(headings) : ""}</li>`;
  });
  return `<p class="group">${escapeHtml(name)}</p><ul>${items.join("")}</ul>`;
}

function sectionsHtml(headings: Heading[]): string {
  const items = headings.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<ul>${items.join("")}</ul>`;
}

function nextHtml(before: PageEntry | undefined, after: PageEntry | undefined): string {
  const link = (entry: PageEntry | undefined, word: string, className: string): string =>
    entry === undefined
      ? ""
      : `<a class="${className}" href="${entry.path}"><span>${word}</span> ${escapeHtml(entry.name)}</a>`;
  return `<nav class="turn" aria-label="Previous and next page">${link(before, "Previous", "before")}${link(after, "Next", "after")}</nav>`;
}
