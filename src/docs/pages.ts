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

export const GROUPS: { name: string; pages: Page[] }[] = [
  {
    name: "Start",
    pages: [
      {
        path: "/docs",
        name: "Overview",
        title: "Overview",
        description:
          "What the gateway does, who it is for, the path of a transfer, and the seven promises that hold through every failure.",
        content: overview,
      },
    ],
  },
  {
    name: "For a till",
    pages: [
      {
        path: "/docs/first-sale",
        name: "First sale",
        title: "From the login to the first sale",
        description: "Log in, sign, send, read the answer. Every step is a command that you can paste.",
        content: firstSale,
      },
      {
        path: "/docs/outcomes",
        name: "Outcomes",
        title: "Outcomes",
        description: "What a statusCode promises, every responseCode of the gateway, and what to do after each.",
        content: outcomes,
      },
      {
        path: "/docs/recovery",
        name: "Recovery",
        title: "Time-outs, crashes and lost answers",
        description:
          "One rule for every time-out, crash and lost answer. Also cancel, void, inquiry and shorter waits.",
        content: recovery,
      },
      {
        path: "/docs/close-the-day",
        name: "Close the day",
        title: "Close the day",
        description:
          "What a business day adds up to, what is still open, and when a day closes. Totals of a closed day never change.",
        content: closeTheDay,
      },
      {
        path: "/docs/test-amounts",
        name: "Test a till",
        title: "Test a till",
        description: "The cents of the amount decide what the simulated terminal does, so you can test every outcome.",
        content: testAmounts,
      },
    ],
  },
  {
    name: "For a terminal",
    pages: [
      {
        path: "/docs/terminal",
        name: "Terminal protocol",
        title: "Connect a terminal",
        description: "How a terminal logs in, binds and connects, and the duties that the promises depend on.",
        content: terminal,
      },
    ],
  },
  {
    name: "For the operator",
    pages: [
      {
        path: "/docs/operating",
        name: "Running it",
        title: "Run the gateway",
        description: "Deployment step by step, the first account and terminal, every setting, and updates.",
        content: operating,
      },
      {
        path: "/docs/daily-work",
        name: "Daily work",
        title: "Daily work",
        description:
          "What is broken and how fast payments are, errors to alert on, and changes to accounts, terminals and payments.",
        content: dailyWork,
      },
      {
        path: "/docs/maintenance",
        name: "Maintenance",
        title: "Keys, stored data, rollbacks",
        description: "Key rotation, retention, rollbacks, restores, and what works while D1 is down.",
        content: maintenance,
      },
      {
        path: "/docs/cost",
        name: "Cost and speed",
        title: "Cost and speed",
        description:
          "What a transfer, a session and a connection do on the platform, what that costs, and how fast it is.",
        content: cost,
      },
      {
        path: "/docs/capacity",
        name: "Capacity",
        title: "At the size of a country",
        description:
          "What a million terminals do to each part of the platform, what ends first, and what happens at midnight and after an outage.",
        content: capacity,
      },
      {
        path: "/docs/chaos",
        name: "Under faults",
        title: "What breaks, and what does not",
        description:
          "Everything around the gateway is broken on purpose, and every promise is checked from outside. With the last report.",
        content: chaos,
      },
      {
        path: "/docs/security",
        name: "Security",
        title: "Threat model",
        description: "Attacks, what stops them, and the remaining risks.",
        content: threatModel.replace(/^# .*\n/u, ""),
      },
      {
        path: "/docs/card-data",
        name: "Card data and PCI",
        title: "Card data and PCI DSS",
        description:
          "Which card data is refused, dropped or masked, and who is responsible for each requirement of PCI DSS.",
        content: cardData,
      },
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
        content: contributing.replace(/^# .*\n/u, ""),
      },
    ],
  },
  {
    name: "Topics",
    pages: [
      {
        path: "/docs/events",
        name: "Follow events",
        title: "Follow events",
        description:
          "Everything that happens to an account's transactions, in one order. A reader misses none, whatever fails.",
        content: events,
      },
      {
        path: "/docs/webhooks",
        name: "Webhooks",
        title: "Webhooks",
        description:
          "Have every event posted to your own server, in order and signed. With receivers in several languages.",
        content: webhooks,
      },
      {
        path: "/docs/signatures",
        name: "Signatures",
        title: "Signatures, step by step",
        description:
          "One canonical form and one HMAC for every message in both directions, with programs in six languages.",
        content: signatures,
      },
    ],
  },
  {
    name: "Reference",
    pages: [
      {
        path: "/docs/errors",
        name: "Errors",
        title: "Errors",
        description: "Every error of a call or of a terminal's connection: what it means, and how to fix it.",
        content: errors,
      },
      {
        path: "/docs/tools",
        name: "Tools",
        title: "Console, command line, conformance kits",
        description: "A till and a terminal in the browser and in the shell, and kits that test your own.",
        content: tools,
      },
      {
        path: "/docs/limits",
        name: "Limits, times, versions",
        title: "Limits, time zones, versions",
        description: "Every length, rate and time-out, when a day ends, and what may change between versions.",
        content: limits,
      },
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
