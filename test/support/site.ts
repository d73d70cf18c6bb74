/** The static site as the build makes it. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = new URL("../..", import.meta.url).pathname;
export const SITE = join(ROOT, "dist", "site");

/** Builds the site. Throws with the build's output if it fails. */
export function buildSite(): void {
  const { status, stderr } = spawnSync(process.execPath, ["src/tools/development/build.mjs", "site"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Reads the documentation's pages: HTML by path without `.html`. */
export function docsPages(): Map<string, string> {
  const names = readdirSync(join(SITE, "docs"), { recursive: true, encoding: "utf8" });
  const pages = names.filter((name) => name.endsWith(".html"));
  return new Map(
    pages.map((name) => [
      `/docs/${name.replaceAll("\\", "/").slice(0, -".html".length)}`,
      readFileSync(join(SITE, "docs", name), "utf8"),
    ]),
  );
}

/** Whether a file is served at `path`, as the platform finds it: the very name, or with `.html`. */
export function isServed(path: string): boolean {
  return existsSync(join(SITE, path)) || existsSync(join(SITE, `${path}.html`));
}

/** A page's text as a reader sees it, in one line. */
export function textOf(html: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", "#10": "\n", amp: "&" };
  return html
    .replaceAll(/<(?:head|script)\b.*?<\/(?:head|script)>/gsu, "")
    .replaceAll(/<br>/gu, " ")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll(/&(#?\w+);/gu, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\s+/gu, " ");
}
