/** Every link in every Markdown file leads somewhere. The network is not used: links to other sites are not checked. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

/** Pages of the documentation's site: its build checks their headings. */
const PAGES = join("src", "docs");

function markdownFiles(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith(".md") ? [relative(ROOT, path)] : [];
    const isOurs = /^(?!node_modules$|dist$)[^.]|^\.github$/u.test(entry.name) && entry.isDirectory();
    return isOurs ? markdownFiles(path) : [];
  });
}

interface Read {
  targets: string[];
  /** Anchors, as the host of the repository makes them of headings. */
  anchors: Set<string>;
}

function read(path: string): Read {
  const text = readFileSync(join(ROOT, path), "utf8").replaceAll(/^```.*?^```$/gmsu, "");
  const prose = text.replaceAll(/`[^`\n]*`/gu, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:href|src)="([^"]*)"/gu)].map(
    ([, link, html]) => link ?? html ?? "",
  );
  const counts = new Map<string, number>();
  const anchors = new Set([...text.matchAll(/\b(?:id|name)="([^"]*)"/gu)].map(([, anchor = ""]) => anchor));
  for (const [, heading = ""] of text.matchAll(/^#+ (.*)$/gmu)) {
    const slug = slugOf(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
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
  if (path.startsWith("/")) return "a path from the root of nothing";
  const file = path === "" ? from : join(dirname(from), decodeURIComponent(path));
  if (!existsSync(join(ROOT, file))) return "there is no such file";
  if (file.startsWith("..")) return "it leaves the project";
  // Some headings of the site's pages are generated, so they are checked in the built site.
  if (anchor === undefined || file.startsWith(PAGES)) return null;
  if (!file.endsWith(".md") || statSync(join(ROOT, file)).isDirectory()) return "only Markdown has headings";
  return read(file).anchors.has(anchor) ? null : "there is no such heading";
}

describe("the Markdown of this project", () => {
  const files = markdownFiles();

  it("includes the README, the changelog and the pages", ({ expect }) => {
    expect(files).toEqual(
      expect.arrayContaining(["README.md", "CHANGELOG.md", join("src", "docs", "threat-model.md")]),
    );
  });

  it.for(files)("links in %s only to what exists", (file, { expect }) => {
    const broken = read(file).targets.flatMap((target) => {
      const problem = problemOf(target, file);
      return problem === null ? [] : [`${target}: ${problem}`];
    });
    expect(broken).toEqual([]);
  });

  it.for([
    ["no-such-file.md", "there is no such file"],
    [".github/CONTRIBUTING.md#no-such-heading", "there is no such heading"],
    ["#no-such-heading", "there is no such heading"],
    ["/docs", "a path from the root of nothing"],
    ["../elsewhere.md", "there is no such file"],
    ["LICENSE#top", "only Markdown has headings"],
  ] as const)("does not link to %s: %s", ([target, problem], { expect }) => {
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
