/** The pages in reading order. */
import contributing from "../../CONTRIBUTING.md" with { type: "text" };
import threatModel from "../http/THREAT-MODEL.md" with { type: "text" };
import capacity from "./capacity.md" with { type: "text" };
import cardData from "./card-data.md" with { type: "text" };
import chaosReport from "./chaos-report.md" with { type: "text" };
import chaos from "./chaos.md" with { type: "text" };
import closeTheDay from "./close-the-day.md" with { type: "text" };
import cost from "./cost.md" with { type: "text" };
import dailyWork from "./daily-work.md" with { type: "text" };
import errors from "./errors.md" with { type: "text" };
import events from "./events.md" with { type: "text" };
import firstSale from "./first-sale.md" with { type: "text" };
import howItWorks from "./how-it-works.md" with { type: "text" };
import limits from "./limits.md" with { type: "text" };
import maintenance from "./maintenance.md" with { type: "text" };
import notSupported from "./not-supported.md" with { type: "text" };
import operating from "./operating.md" with { type: "text" };
import outcomes from "./outcomes.md" with { type: "text" };
import overview from "./overview.md" with { type: "text" };
import recovery from "./recovery.md" with { type: "text" };
import signatures from "./signatures.md" with { type: "text" };
import speed from "./speed.md" with { type: "text" };
import terminal from "./terminal.md" with { type: "text" };
import testAmounts from "./test-amounts.md" with { type: "text" };
import tools from "./tools.md" with { type: "text" };
import { asyncApi } from "../contracts/asyncapi.ts";
import type { Rendered } from "./build/markdown.ts";
import type { PageEntry } from "./build/page.ts";
import { callsPage } from "./reference/calls.ts";
import { openApi } from "../http/openapi/openapi.ts";
import { asyncApiPage } from "./reference/asyncapi.ts";

export interface Page extends PageEntry {
  /** Markdown, or a function that creates the page. */
  content: string | (() => Rendered);
}

/** A page whose Markdown begins with its title and a paragraph that describes it. */
function page(path: string, name: string, source: string): Page {
  const [, title, description, content] = /^# ([^\n]*)\n\n(.*?)\n\n(.*)$/su.exec(source) ?? [];
  if (title === undefined || description === undefined || content === undefined) {
    throw new Error(`The page ${path} does not begin with a title and a description.`);
  }
  return { path, name, title, description: description.replaceAll("\n", " "), content };
}

export const GROUPS: { name: string; pages: Page[] }[] = [
  { name: "Start", pages: [page("/docs", "Overview", overview)] },
  {
    name: "Take payments",
    pages: [
      page("/docs/first-sale", "First sale", firstSale),
      page("/docs/outcomes", "Outcomes", outcomes),
      page("/docs/recovery", "Recovery", recovery),
      page("/docs/close-the-day", "Close the day", closeTheDay),
      page("/docs/events", "Events and webhooks", events),
      page("/docs/errors", "Errors", errors),
      page("/docs/signatures", "Signatures", signatures),
      page("/docs/test-amounts", "Test a till", testAmounts),
      page("/docs/not-supported", "Not supported", notSupported),
    ],
  },
  { name: "Build a terminal", pages: [page("/docs/terminal", "Terminal protocol", terminal)] },
  {
    name: "Run it",
    pages: [
      page("/docs/operating", "Deploy", operating),
      page("/docs/daily-work", "Daily work", dailyWork),
      page("/docs/maintenance", "Keys and restores", maintenance),
      page("/docs/cost", "Cost", cost),
    ],
  },
  {
    name: "How it works",
    pages: [
      page("/docs/how-it-works", "Promises", howItWorks),
      page("/docs/limits", "Limits, times, versions", limits),
      page("/docs/security", "Threat model", threatModel),
      page("/docs/card-data", "Card data and PCI", cardData),
      page("/docs/contributing", "The code", contributing),
      page("/docs/speed", "Speed", speed),
      page("/docs/capacity", "Capacity", capacity),
      page("/docs/chaos", "Under faults", chaos),
      page("/docs/chaos-report", "Report of a run", chaosReport),
    ],
  },
  {
    name: "Reference",
    pages: [
      page("/docs/tools", "Tools", tools),
      {
        path: "/docs/reference",
        name: "HTTP calls",
        title: "HTTP reference",
        description:
          "Every call with its parameters, fields and answers, by family. You can send each one from its page.",
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

/** Files whose pages are not called like them. */
const SITE_PATHS: Record<string, string> = {
  overview: "/docs",
  "THREAT-MODEL": "/docs/security",
  CONTRIBUTING: "/docs/contributing",
};

/**
 * A page's Markdown with links to the site's pages. In the files, they lead to other files, so that they work wherever the
 * repository is shown. What only a running gateway has, such as the reference, is linked at the address of `npm start`.
 */
export function withSiteLinks(source: string): string {
  return source
    .replaceAll(/\]\((?!https?:)(?:[\w./-]*\/)?([\w-]+)\.md(#[\w-]+)?\)/gu, (_, file: string, hash = "") => {
      return `](${SITE_PATHS[file] ?? `/docs/${file}`}${hash})`;
    })
    .replaceAll("](http://127.0.0.1:8787/", "](/");
}
