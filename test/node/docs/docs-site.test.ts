/** What VitePress makes of the documentation. Building it takes longer than all the other tests of the documentation. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch, { type SearchOptions } from "minisearch";
import { beforeAll, describe, it } from "vitest";
import { ERROR_CODES, ERROR_PAGE } from "../../../src/protocol/errors.ts";
import { GATEWAY_CODES, RESOLVED } from "../../../src/protocol/gateway-codes.ts";
import { buildSite, docsPages, isServed, SITE, textOf } from "../../support/site.ts";

let pages: Map<string, string>;
let find: (query: string) => string[];

beforeAll(async () => {
  buildSite();
  pages = docsPages();
  find = await finder();
});

function page(path: string): string {
  const found = pages.get(path);
  if (found === undefined) throw new Error(`There is no page ${path}.`);
  return found;
}

function built(path: string): unknown {
  return JSON.parse(readFileSync(join(SITE, path), "utf8"));
}

/** `METHOD /path` of everything in the HTTP contract. */
function calls(): string[] {
  const { paths } = built("openapi.json") as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Looks in the index that the pages load, as their search does: every word must match. Finds addresses, best first. */
async function finder(): Promise<typeof find> {
  const chunks = join(SITE, "docs", "assets", "chunks");
  const name = readdirSync(chunks).find((one) => one.startsWith("@localSearchIndexroot."));
  const { default: json } = (await import(pathToFileURL(join(chunks, name ?? "")).href)) as { default: string };
  const index = MiniSearch.loadJSON(json, { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] });
  const options: SearchOptions = {
    combineWith: "AND",
    fuzzy: 0.12,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
  };
  return (query) => index.search(query, options).map(({ id }) => String(id).replace(/\/docs\/(?=#|$)/u, "/docs"));
}

/** Bytes. A reader on a shop's network waits for each. */
const LONGEST_PAGE = 120 * 1024;

describe("every page", () => {
  it("is at most 120 KiB long", ({ expect }) => {
    const long = [...pages].filter(([, html]) => Buffer.byteLength(html) > LONGEST_PAGE);
    expect(long.map(([path, html]) => [path, Buffer.byteLength(html)])).toEqual([]);
  });

  it("can be reached from every other one", ({ expect }) => {
    for (const [path, html] of pages) {
      const needed = [...pages.keys()].filter((one) => one !== path && one !== "/docs/404");
      const missing = needed.filter((one) => !html.includes(`href="${one === "/docs/index" ? "/docs/" : one}"`));
      expect(path === "/docs/404" ? [] : missing, path).toEqual([]);
    }
    expect(pages.size).toBeGreaterThan(30);
  });

  it("has one title, and no address twice", ({ expect }) => {
    for (const [path, html] of pages) {
      if (path === "/docs/404") continue;
      expect(html.match(/<h1[ >]/gu), path).toHaveLength(1);
      const ids = [...html.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id);
      expect(new Set(ids).size, path).toBe(ids.length);
      expect(ids, path).not.toContain("");
    }
  });

  it("has a description, and so do the pages beside the documentation", ({ expect }) => {
    const others = ["start.html", "console/index.html", "operator/console/index.html"];
    const all = [...pages, ...others.map((name) => [name, readFileSync(join(SITE, name), "utf8")] as const)];
    for (const [path, html] of all.filter(([one]) => one !== "/docs/404")) {
      expect(/<meta\s+name="description"\s+content="([^"]*)"/u.exec(html)?.[1]?.length ?? 0, path).toBeGreaterThan(20);
    }
  });

  it("links only to what exists", ({ expect }) => {
    const broken: string[] = [];
    for (const [path, html] of pages) {
      for (const [, href = ""] of html.matchAll(/ (?:href|src)="([^"]*)"/gu)) {
        if (/^https:|^$/u.test(href)) continue;
        const { pathname, hash } = new URL(href, `https://gateway.test${path === "/docs/index" ? "/docs/" : path}`);
        const target = pages.get(pathname === "/docs/" ? "/docs/index" : pathname);
        const id = decodeURIComponent(hash.slice(1));
        if (!isServed(pathname)) broken.push(`${path}: ${href}`);
        // Layout elements get their ids in the browser.
        else if (id !== "" && id !== "VPContent" && target?.includes(` id="${id}"`) !== true)
          broken.push(`${path}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("loads nothing from anywhere else, and has no scripts within", ({ expect }) => {
    for (const [path, html] of pages) {
      const loads = [...html.matchAll(/<(?:script|img|link)\b[^>]*?(?:src|href)="([^"]*)"/gu)].map(([, url]) => url);
      expect(
        loads.filter((url) => url?.startsWith("/docs/") !== true),
        path,
      ).toEqual([]);
      expect(/<script(?![^>]* src=)|<[^>]*\son\w+=/u.exec(html), path).toBeNull();
    }
  });

  it("has every placeholder filled in", ({ expect }) => {
    for (const [path, html] of pages) {
      const words = textOf(html.replaceAll(/<code\b.*?<\/code>/gsu, ""));
      expect(/\{\{|\}\}|undefined|NaN|\[object/u.exec(words), path).toBeNull();
    }
  });
});

describe("the Markdown of the pages", () => {
  it("is a file beside each page, listed in llms.txt", ({ expect }) => {
    const list = readFileSync(join(SITE, "docs", "llms.txt"), "utf8");
    const named = [...list.matchAll(/^- \[[^\]]+\]\((\/docs\/[^)]+)\.md\): .{20,}$/gmu)].map(([, path = ""]) => path);
    expect(named.toSorted()).toEqual([...pages.keys()].filter((path) => path !== "/docs/404").toSorted());
    for (const path of named) {
      const markdown = readFileSync(join(SITE, `${path}.md`), "utf8");
      expect(markdown, path).toMatch(/^# .+\n\n.{20,}/u);
      expect(markdown, path).not.toContain("<!--");
    }
  });

  it("links only to what exists", ({ expect }) => {
    const broken = [...pages.keys()]
      .filter((path) => path !== "/docs/404")
      .flatMap((path) => {
        const markdown = readFileSync(join(SITE, `${path}.md`), "utf8").replaceAll(/^```.*?^```|`[^`\n]*`/gmsu, "");
        return [...markdown.matchAll(/\]\(([^)\s#]+)/gu)]
          .map(([, href = ""]) => href)
          .filter(
            (href) => !href.startsWith("https:") && !isServed(new URL(href, `https://gateway.test${path}`).pathname),
          )
          .map((href) => `${path}: ${href}`);
      });
    expect(broken).toEqual([]);
  });
});

describe("code on a page", () => {
  it("has colours", ({ expect }) => {
    const html = page("/docs/signatures");
    for (const language of ["bash", "py"]) {
      const [, block = ""] = html.split(`<div class="language-${language} `);
      expect(block.split("</pre>")[0]?.match(/<span class="k\d+">/gu)?.length ?? 0, language).toBeGreaterThan(10);
    }
  });
});

describe("the reference", () => {
  it("lists every call, and has a section for each in its family", ({ expect }) => {
    const links = [...page("/docs/reference").matchAll(/href="(\/docs\/reference\/[^"#]*)#([^"]*)"/gu)];
    expect(links.filter(([, path = "", id = ""]) => !page(path).includes(` id="${id}"`))).toEqual([]);
    expect(calls().filter((call) => !page("/docs/reference").includes(`<code>${call}</code>`))).toEqual([]);
    const families = [...pages].filter(([path]) => path.startsWith("/docs/reference/")).map(([, html]) => html);
    expect(calls().filter((call) => !families.some((html) => html.includes(`<code>${call}</code>`)))).toEqual([]);
    expect(calls().length).toBeGreaterThan(20);
  });

  it("has every frame of the contract", ({ expect }) => {
    const { components } = built("asyncapi.json") as {
      components: { messages: Record<string, { name: string }> };
    };
    const names = Object.values(components.messages).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !page("/docs/reference/frames").includes(`<h3 id="${name}"`))).toEqual([]);
  });
});

describe("the search", () => {
  it("finds every call of the HTTP contract among the first three", ({ expect }) => {
    const missed = calls().filter(
      (call) =>
        !find(call)
          .slice(0, 3)
          .some((href) => href.includes("/docs/reference")),
    );
    expect(missed).toEqual([]);
  });

  it("finds every responseCode of the gateway first, where it is explained", ({ expect }) => {
    const codes = [...Object.keys(GATEWAY_CODES), RESOLVED];
    const missed = codes.filter((code) => find(code)[0] !== `/docs/handle-responses#${code.toLowerCase()}`);
    expect(missed.map((code) => [code, find(code).slice(0, 2)])).toEqual([]);
  });

  it("finds every error by its name and by its code", ({ expect }) => {
    for (const [name, codes] of Object.entries(ERROR_CODES)) {
      for (const query of [name, ...codes.map(String)]) {
        expect(find(query).some((href) => href.startsWith(`${ERROR_PAGE}#`))).toBe(true);
      }
    }
  });

  it.for([
    ["time-out", "/docs/recovery#time-outs"],
    ["OPERATOR_TOKENS", "/docs/rotate-keys#an-operators-token"],
    ["prebind list", "/docs/bind-a-terminal#without-a-key"],
    ["card data", "/docs/card-data#what-happens-to-card-data"],
    ["PCI DSS", "/docs/card-data#pci-dss-who-does-what"],
    ["roll back", "/docs/deploy#roll-back"],
    ["idempotency key", "/docs#glossary"],
    ["long polling", "/docs/events#read-events"],
    ["TLS", "/docs/deploy#before-you-go-live"],
    ["refund", "/docs/not-supported"],
  ] as const)("finds “%s” where it is explained", ([query, href], { expect }) => {
    expect(
      find(query)
        .slice(0, 5)
        .some((found) => found.startsWith(href)),
    ).toBe(true);
  });

  it("finds a word by its beginning, in any case, despite typing errors", ({ expect }) => {
    for (const query of ["recov", "RECOVERY", "recvery", "recovary"]) {
      expect(find(query).some((href) => href.startsWith("/docs/recovery"))).toBe(true);
    }
    expect(find("recovery zzyzx")).toEqual([]);
  });
});
