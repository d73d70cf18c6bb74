/** The pages in reading order. */
import contributing from "../../CONTRIBUTING.md" with { type: "text" };
import threatModel from "../http/THREAT-MODEL.md" with { type: "text" };
import capacity from "./capacity.md" with { type: "text" };
import cardData from "./card-data.md" with { type: "text" };
import chaos from "./chaos.md" with { type: "text" };
import closeTheDay from "./close-the-day.md" with { type: "text" };
import cost from "./cost.md" with { type: "text" };
import dailyWork from "./daily-work.md" with { type: "text" };
import errors from "./errors.md" with { type: "text" };
import events from "./events.md" with { type: "text" };
import firstSale from "./first-sale.md" with { type: "text" };
import limits from "./limits.md" with { type: "text" };
import maintenance from "./maintenance.md" with { type: "text" };
import operating from "./operating.md" with { type: "text" };
import outcomes from "./outcomes.md" with { type: "text" };
import overview from "./overview.md" with { type: "text" };
import recovery from "./recovery.md" with { type: "text" };
import signatures from "./signatures.md" with { type: "text" };
import terminal from "./terminal.md" with { type: "text" };
import testAmounts from "./test-amounts.md" with { type: "text" };
import tools from "./tools.md" with { type: "text" };
import webhooks from "./webhooks.md" with { type: "text" };
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

/** The title of a file that is read elsewhere, too. The site has its own. */
const TITLE = /^# .*\n/u;

/** A page whose Markdown begins with its title and a paragraph that describes it. */
function page(path: string, name: string, source: string): Page {
  const [, title, description, content] = /^# ([^\n]*)\n\n(.*?)\n\n(.*)$/su.exec(source) ?? [];
  if (title === undefined || description === undefined || content === undefined) {
    throw new Error(`The page ${path} does not begin with a title and a description.`);
  }
  return { path, name, title, description: description.replaceAll("\n", " "), content };
}

export const GROUPS: { name: string; pages: Page[] }[] = [
  {
    name: "Start",
    pages: [page("/docs", "Overview", overview)],
  },
  {
    name: "For a till",
    pages: [
      page("/docs/first-sale", "First sale", firstSale),
      page("/docs/outcomes", "Outcomes", outcomes),
      page("/docs/recovery", "Recovery", recovery),
      page("/docs/close-the-day", "Close the day", closeTheDay),
      page("/docs/test-amounts", "Test a till", testAmounts),
    ],
  },
  {
    name: "For a terminal",
    pages: [page("/docs/terminal", "Terminal protocol", terminal)],
  },
  {
    name: "For the operator",
    pages: [
      page("/docs/operating", "Running it", operating),
      page("/docs/daily-work", "Daily work", dailyWork),
      page("/docs/maintenance", "Maintenance", maintenance),
      page("/docs/cost", "Cost and speed", cost),
      page("/docs/capacity", "Capacity", capacity),
      page("/docs/chaos", "Under faults", chaos),
      {
        path: "/docs/security",
        name: "Security",
        title: "Threat model",
        description: "Attacks, what stops them, and the remaining risks.",
        content: threatModel.replace(TITLE, ""),
      },
      page("/docs/card-data", "Card data and PCI", cardData),
    ],
  },
  {
    name: "For a contributor",
    pages: [
      {
        path: "/docs/contributing",
        name: "The code",
        title: "Contribute",
        description: "How a transfer runs through the code, what is in each folder, and the rules.",
        content: contributing.replace(TITLE, ""),
      },
    ],
  },
  {
    name: "Topics",
    pages: [
      page("/docs/events", "Follow events", events),
      page("/docs/webhooks", "Webhooks", webhooks),
      page("/docs/signatures", "Signatures", signatures),
    ],
  },
  {
    name: "Reference",
    pages: [
      page("/docs/errors", "Errors", errors),
      page("/docs/tools", "Tools", tools),
      page("/docs/limits", "Limits, times, versions", limits),
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
