/** Every link in every Markdown file leads somewhere. The network is not used: links to other sites are not checked. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { marked } from "marked";
import type { Token } from "marked";
import { describe, it } from "vitest";
import { familiesOf } from "../../src/docs/reference/calls.ts";
import { openApi } from "../../src/http/openapi/openapi.ts";
import { ROOT } from "../support/outside.ts";

/** Pages of the documentation's site: their links are the site's own paths. */
const PAGES = join("src", "docs");

/** The pages of the HTTP reference. */
const FAMILIES = new Set(familiesOf(openApi()).map(({ path }) => path));

function markdownFiles(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith(".md") ? [relative(ROOT, path)] : [];
    const isOurs = entry.isDirectory() && !entry.name.startsWith(".") && !["node_modules", "dist"].includes(entry.name);
    return isOurs ? markdownFiles(path) : [];
  });
}

interface Read {
  targets: string[];
  /** Anchors, as the host of the repository makes them of headings. */
  anchors: Set<string>;
}

function read(path: string): Read {
  const targets: string[] = [];
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  const visit = (token: Token): void => {
    if ((token.type === "link" || token.type === "image") && typeof token["href"] === "string") {
      targets.push(token["href"]);
    }
    if (token.type === "heading" && typeof token["text"] === "string") {
      const slug = slugOf(token["text"]);
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      anchors.add(count === 0 ? slug : `${slug}-${count}`);
    }
    // HTML in the Markdown: links, pictures and anchors.
    if (token.type === "html") {
      for (const [, target = ""] of token.raw.matchAll(/\b(?:href|src)="([^"]*)"/gu)) targets.push(target);
      for (const [, anchor = ""] of token.raw.matchAll(/\b(?:id|name)="([^"]*)"/gu)) anchors.add(anchor);
    }
  };
  // Everything in it is synchronous.
  void marked.walkTokens(marked.lexer(readFileSync(join(ROOT, path), "utf8")), visit);
  return { targets, anchors };
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** What is wrong with a link, or null. */
function problemOf(target: string, from: string): string | null {
  if (/^(?:https?:|mailto:)/u.test(target)) return null;
  const [path = "", anchor] = target.split("#", 2);
  if (from.startsWith(PAGES) && path.startsWith("/")) return isOnSite(path) ? null : "the site has no such page";
  if (path.startsWith("/")) return "a path from the root of nothing";
  const file = path === "" ? from : join(dirname(from), decodeURIComponent(path));
  if (!existsSync(join(ROOT, file))) return "there is no such file";
  if (file.startsWith("..")) return "it leaves the project";
  // Some headings of the site's pages are generated, so they are checked in the built site.
  if (anchor === undefined || file.startsWith(PAGES)) return null;
  if (!file.endsWith(".md") || statSync(join(ROOT, file)).isDirectory()) return "only Markdown has headings";
  return read(file).anchors.has(anchor) ? null : "there is no such heading";
}

function isOnSite(path: string): boolean {
  if (
    ["/openapi.json", "/openapi-pos.json", "/openapi-terminal.json", "/asyncapi.json", "/console", "/healthz"].includes(
      path,
    )
  )
    return true;
  if (FAMILIES.has(path)) return true;
  return readFileSync(join(ROOT, PAGES, "pages.ts"), "utf8").includes(`"${path}"`);
}

describe("the Markdown of this project", () => {
  const files = markdownFiles();

  it("is found", ({ expect }) => {
    expect(files).toEqual(
      expect.arrayContaining(["README.md", "CHANGELOG.md", join("src", "http", "THREAT-MODEL.md")]),
    );
  });

  it.for(files)("%s links only to what exists", (file, { expect }) => {
    const broken = read(file).targets.flatMap((target) => {
      const problem = problemOf(target, file);
      return problem === null ? [] : [`${target}: ${problem}`];
    });
    expect(broken).toEqual([]);
  });

  it.for([
    ["no-such-file.md", "there is no such file"],
    ["src/http/THREAT-MODEL.md#no-such-heading", "there is no such heading"],
    ["#no-such-heading", "there is no such heading"],
    ["/docs", "a path from the root of nothing"],
    ["../elsewhere.md", "there is no such file"],
    ["LICENSE#top", "only Markdown has headings"],
  ] as const)("would not link to %s: %s", ([target, problem], { expect }) => {
    expect(problemOf(target, "README.md")).toBe(problem);
  });

  it.for([
    ["From a shell", "from-a-shell"],
    ["`npm test`, and what it does", "npm-test-and-what-it-does"],
    ["A [link](x.md) in it", "a-link-in-it"],
    ["Käse & Brot", "käse--brot"],
  ] as const)("has the heading “%s” at #%s", ([heading, slug], { expect }) => {
    expect(slugOf(heading)).toBe(slug);
  });
});
