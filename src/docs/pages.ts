/** The pages in reading order. */
import { basename } from "node:path";
import { asyncApi } from "../contracts/asyncapi.ts";
import { fileText } from "./build/html.ts";
import type { Rendered } from "./build/markdown.ts";
import type { PageEntry } from "./build/page.ts";
import { callsPage } from "./reference/calls.ts";
import { openApi } from "../http/openapi/openapi.ts";
import { asyncApiPage } from "./reference/asyncapi.ts";

export interface Page extends PageEntry {
  /** Markdown, or a function that creates the page. */
  content: string | (() => Rendered);
}

/** Pages whose paths do not give their files. */
const FILES: Record<string, string> = {
  "/docs": "src/docs/overview.md",
  "/docs/security": "src/http/THREAT-MODEL.md",
  "/docs/contributing": "CONTRIBUTING.md",
};

/** The Markdown begins with the title and a paragraph that describes the page. */
function page(path: string, name: string): Page {
  const source = fileText(FILES[path] ?? `src${path}.md`);
  const [, title, description, content] = /^# ([^\n]*)\n\n(.*?)\n\n(.*)$/su.exec(source) ?? [];
  if (title === undefined || description === undefined || content === undefined) {
    throw new Error(`The page ${path} does not begin with a title and a description.`);
  }
  return { path, name, title, description: description.replaceAll("\n", " "), content };
}

/** @param names as the navigation shows them, by file */
function group(name: string, names: Record<string, string>): { name: string; pages: Page[] } {
  return { name, pages: Object.entries(names).map(([file, shown]) => page(`/docs/${file}`, shown)) };
}

export const GROUPS: { name: string; pages: Page[] }[] = [
  { name: "Start", pages: [page("/docs", "Overview")] },
  group("Take payments", {
    "first-sale": "First sale",
    outcomes: "Outcomes",
    recovery: "Recovery",
    "close-the-day": "Close the day",
    events: "Events and webhooks",
    errors: "Errors",
    signatures: "Signatures",
    "test-amounts": "Test a till",
    "not-supported": "Not supported",
  }),
  group("Build a terminal", { terminal: "Terminal protocol" }),
  group("Run it", {
    operating: "Deploy",
    "daily-work": "Daily work",
    maintenance: "Keys and restores",
    cost: "Cost",
  }),
  group("How it works", {
    "how-it-works": "Promises",
    limits: "Limits, times, versions",
    security: "Threat model",
    "card-data": "Card data and PCI",
    contributing: "The code",
    speed: "Speed",
    capacity: "Capacity",
    chaos: "Under faults",
  }),
  {
    name: "Reference",
    pages: [
      page("/docs/tools", "Tools"),
      {
        path: "/docs/reference",
        name: "HTTP calls",
        title: "HTTP reference",
        description:
          "Every call with its parameters, fields and responses, by family. You can send each one from its page.",
        content: () => callsPage(openApi()),
      },
      {
        path: "/docs/reference-terminal",
        name: "Terminal frames",
        title: "Terminal frames",
        description: "Every frame with its fields, from the contract at /asyncapi.json.",
        content: () => asyncApiPage(asyncApi()),
        layout: "wide",
      },
    ],
  },
];

/**
 * Links between the files become links between the site's pages. In the files, they work wherever the repository is
 * shown. Parts that only a running gateway has, such as the reference, are linked at the address of `npm start`.
 */
export function withSiteLinks(source: string): string {
  return source
    .replaceAll(/\]\((?!https?:)(?:[\w./-]*\/)?([\w-]+)\.md(#[\w-]+)?\)/gu, (_, file: string, hash = "") => {
      const path = Object.keys(FILES).find((one) => basename(FILES[one] ?? "", ".md") === file);
      return `](${path ?? `/docs/${file}`}${hash})`;
    })
    .replaceAll("](http://127.0.0.1:8787/", "](/");
}
