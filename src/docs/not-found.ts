import { escapeHtml } from "./build/html.ts";
import { pageHtml, type PageGroup } from "./build/page.ts";

/** The page for an address below /docs where there is none: it lists those that there are. */
export function notFoundPage(groups: readonly PageGroup[]): string {
  const items = groups
    .flatMap(({ pages }) => pages)
    .map(
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
  return pageHtml(page, groups);
}
