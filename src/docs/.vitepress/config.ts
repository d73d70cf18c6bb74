/** The site of the documentation, which the Worker serves below /docs. See https://vitepress.dev/reference/site-config */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type DefaultTheme } from "vitepress";
import { openApi } from "../../gateway/http/openapi/openapi.ts";
import { slug } from "../build/text.ts";
import { readDescription, type Group, llmsText, renderTwin } from "../build/twins.ts";
import reference from "../reference/[page].paths.ts";
import { listFamilies } from "../reference/call-pages.ts";
import { coloursAsClasses, coloursCss } from "./colours.ts";
import { pluginForDiagrams, pluginForDrawings } from "./diagrams.ts";
import { pluginForLinks } from "./links.ts";

const docs = join(import.meta.dirname, "..");

/** @param pages as the sidebar shows them, by file */
function group(text: string, pages: Record<string, string>): DefaultTheme.SidebarItem {
  return { text, items: Object.entries(pages).map(([file, name]) => ({ text: name, link: `/${file}` })) };
}

const families = listFamilies(openApi()).map(({ page, name }) => [`reference/${page}`, name] as const);

const sidebar = [
  group("Start", { "": "Overview", "not-supported": "Not supported", tools: "Tools" }),
  group("Take payments", {
    "first-sale": "First sale",
    "handle-responses": "Handle responses",
    recovery: "Recovery",
    "cancel-void-inquiry": "Cancel, void, inquire",
    "bind-a-terminal": "Bind a terminal",
    "test-and-go-live": "Test and go live",
    "close-the-day": "Close the day",
    events: "Events",
    webhooks: "Webhooks",
  }),
  group("Build a terminal", {
    "first-terminal": "A first terminal",
    terminal: "Protocol",
    "terminal-requirements": "Requirements",
    "test-a-terminal": "Test",
  }),
  group("Run it", {
    deploy: "Deploy",
    "onboard-a-shop": "Onboard a shop",
    monitor: "Monitor and alert",
    "find-and-resolve": "Find and resolve",
    runbooks: "Runbooks",
    "rotate-keys": "Rotate keys",
    restore: "Back up and restore",
    "keep-and-erase": "Keep and erase data",
  }),
  group("Plan", { cost: "Cost", capacity: "Capacity", speed: "Speed" }),
  group("Trust", {
    promises: "Promises",
    "under-faults": "Under faults",
    "threat-model": "Threat model",
    "card-data": "Card data and PCI",
  }),
  group("Reference", {
    reference: "HTTP calls",
    ...Object.fromEntries(families),
    "reference/frames": "Terminal frames",
    "reference/javascript-client": "JavaScript client",
    errors: "Errors",
    signatures: "Signatures",
    limits: "Limits, times, versions",
    settings: "Settings and roles",
    "log-events": "Log events",
    metrics: "Metrics",
  }),
];

/** Returns the pages in the order of the sidebar, as Markdown. */
function groupsOfPages(): Group[] {
  const generated = new Map(reference.paths().map(({ params, content }) => [`reference/${params.page}`, content]));
  return sidebar.map(({ text = "", items = [] }) => {
    const paths = items.map(({ link = "" }) => link.slice(1) || "index");
    const pages = paths.map((path) => ({
      path,
      markdown: generated.get(path) ?? readFileSync(join(docs, `${path}.md`), "utf8"),
    }));
    return { name: text, pages };
  });
}

/** VitePress's two inline scripts, which are the same on every page. */
const INLINE = /<script id="check-[\w-]+">(.*?)<\/script>/gsu;
const inline = new Set<string>();

export default defineConfig({
  base: "/docs/",
  lang: "en",
  title: "Payment terminal gateway",
  titleTemplate: ":title · Payment terminal gateway",
  head: [
    ["link", { rel: "icon", href: "/docs/icon.svg", type: "image/svg+xml" }],
    ["link", { rel: "stylesheet", href: "/docs/colours.css" }],
  ],
  // The introduction of the contracts is a part of them, and no page.
  srcExclude: ["contracts/**"],
  cleanUrls: true,
  // A link leads to a page, or the build fails.
  ignoreDeadLinks: false,
  // The list of pages is a file, not a script within each page.
  metaChunk: true,
  // A picture is a file: the policy of /docs allows no image within a page.
  vite: { logLevel: "warn", build: { assetsInlineLimit: 0 } },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // As on the host of the repository, so that a link to a heading works there too.
    anchor: { slugify: slug },
    attrs: { disable: true },
    codeTransformers: [coloursAsClasses],
    config(md) {
      pluginForLinks(md);
      pluginForDiagrams(md);
      pluginForDrawings(md);
    },
  },
  themeConfig: {
    logo: "/icon.svg",
    // The gateway's own first page, from which the console is one step.
    logoLink: { link: "/", target: "_self" },
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      // A word of four letters has too many neighbours to forgive a typing error.
      options: { miniSearch: { searchOptions: { combineWith: "AND", fuzzy: 0.12 } } },
    },
    docFooter: { prev: "Previous page", next: "Next page" },
    notFound: {
      title: "There is no such page",
      quote: "The address has a typing error, or the page has moved. Search for it, or begin with the overview.",
      linkText: "Overview",
      linkLabel: "Overview",
    },
  },
  /** The paragraph below the title says what a page is about. */
  transformPageData({ filePath, params = {} }) {
    if (params["description"] !== undefined) return { description: params["description"] };
    return { description: readDescription(readFileSync(join(docs, filePath), "utf8")) };
  },
  /** Inline scripts become a file, so that the policy of /docs can forbid them like that of every other page. */
  transformHtml(html) {
    for (const [, script = ""] of html.matchAll(INLINE)) inline.add(script);
    return html.replace(INLINE, "").replace("<head>", '<head>\n    <script src="/docs/look.js"></script>');
  },
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, "look.js"), [...inline].join("\n"));
    writeFileSync(join(outDir, "colours.css"), coloursCss());
    for (const folder of ["examples", "monitoring", "pictures"]) {
      cpSync(join(docs, folder), join(outDir, folder), { recursive: true });
    }
    const groups = groupsOfPages();
    writeFileSync(join(outDir, "llms.txt"), llmsText(groups));
    for (const page of groups.flatMap(({ pages }) => pages)) {
      const path = join(outDir, `${page.path}.md`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, renderTwin(page));
    }
  },
});
