/** Which pages there are, in the order in which they are read. */
import threatModel from "../http/THREAT-MODEL.md" with { type: "text" };
import firstSale from "./first-sale.md" with { type: "text" };
import httpReference from "./reference/http.md" with { type: "text" };
import limits from "./limits.md" with { type: "text" };
import operating from "./operating.md" with { type: "text" };
import outcomes from "./outcomes.md" with { type: "text" };
import overview from "./overview.md" with { type: "text" };
import recovery from "./recovery.md" with { type: "text" };
import signatures from "./signatures.md" with { type: "text" };
import terminal from "./terminal.md" with { type: "text" };
import testAmounts from "./test-amounts.md" with { type: "text" };
import { asyncApi } from "../contracts/asyncapi.ts";
import type { Rendered } from "./build/markdown.ts";
import type { PageEntry } from "./build/page.ts";
import { asyncApiPage } from "./reference/asyncapi.ts";

export interface Page extends PageEntry {
  /** Markdown, or what makes the page. */
  content: string | (() => Rendered);
}

export const GROUPS: { name: string; pages: Page[] }[] = [
  {
    name: "Start",
    pages: [
      {
        path: "/docs",
        name: "Overview",
        title: "A till, a terminal, and the internet between them",
        description:
          "What the gateway does, who it is for, the path of a payment through it, and the six promises that hold whatever breaks.",
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
        description: "Log in, sign, send, read the answer. Every step as a command that can be pasted.",
        content: firstSale,
      },
      {
        path: "/docs/outcomes",
        name: "Outcomes and errors",
        title: "Outcomes and errors",
        description:
          "What a statusCode promises, every responseCode that the gateway makes, and what to do on each HTTP error.",
        content: outcomes,
      },
      {
        path: "/docs/recovery",
        name: "Recovery",
        title: "When an answer does not come",
        description:
          "Time-outs, lost answers, crashes: one rule for all of them. Then cancel, shorter waits, inquiries and voids.",
        content: recovery,
      },
      {
        path: "/docs/signatures",
        name: "Signatures",
        title: "Signatures, step by step",
        description:
          "One canonical form, one HMAC, the same for every message in either direction; with programs in six languages.",
        content: signatures,
      },
      {
        path: "/docs/test-amounts",
        name: "Test amounts",
        title: "Test amounts",
        description: "The simulated terminal acts on the cents of the amount: every outcome can be had at will.",
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
        title: "Connecting a terminal",
        description: "How a terminal logs in, binds itself and connects, and the duties that the promises rest on.",
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
        title: "Running the gateway",
        description: "Deployment in order, every setting, keys and their rotation, daily operations, what to watch.",
        content: operating,
      },
      {
        path: "/docs/security",
        name: "Security",
        title: "Threat model",
        description: "Why each attack that we could think of fails, and what is left.",
        content: threatModel.replace(/^# .*\n/u, ""),
      },
    ],
  },
  {
    name: "Reference",
    pages: [
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
        description: "Every path, parameter, field, status and header, as the contract at /openapi.json has them.",
        content: httpReference,
        layout: "scalar",
      },
      {
        path: "/docs/reference-terminal",
        name: "Terminal frames",
        title: "Reference of the terminal's frames",
        description: "Every frame of either side with its fields, as the contract at /asyncapi.json has them.",
        content: () => asyncApiPage(asyncApi()),
        layout: "wide",
      },
    ],
  },
];
