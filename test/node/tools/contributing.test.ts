/** The recipes of CONTRIBUTING.md lead somewhere: what they name exists, and the example of a field has every place. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

const TEXT = readFileSync(join(ROOT, ".github/CONTRIBUTING.md"), "utf8");

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/gu)].map(([, span = ""]) => span);
}

function git(...args: string[]): string[] {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
}

const FILES = git("ls-files");
const CODE = FILES.filter((path) => /^(?:src|test)\/.*\.(?:tsx?|mjs)$/u.test(path))
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .join("\n");

describe("what CONTRIBUTING.md names", () => {
  it("exists as a file or folder", ({ expect }) => {
    const paths = spansOf(TEXT).filter((span) =>
      /^[\w.-]+(?:\/[\w.[\]-]+)*\.(?:ts|tsx|mjs|md|json|toml)$|^(?:src|test)\//u.test(span),
    );
    expect(paths.length).toBeGreaterThan(40);
    const missing = paths.filter(
      (path) => !FILES.some((file) => file === path || file.startsWith(`${path}/`) || file.endsWith(`/${path}`)),
    );
    expect(missing).toEqual([]);
  });

  it("exists as an identifier of the code", ({ expect }) => {
    const names = spansOf(TEXT).filter((span) =>
      /^[a-z]+[A-Z]\w*$|^[A-Z][A-Z_]{3,}$|^[A-Z][a-z]+[A-Z]\w*$/u.test(span),
    );
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(CODE))).toEqual([]);
  });
});

describe("the table of where to look", () => {
  it("names what its files have", ({ expect }) => {
    const rows = [...TEXT.matchAll(/^\| [^|\n]+ \| `(\w+)` in `(src\/[^`]+)` +\|$/gmu)];
    expect(rows.length).toBeGreaterThan(5);
    const missing = rows.filter(
      ([, name = "", path = ""]) =>
        !new RegExp(`(?:function|const|class) ${name}\\b`, "u").test(readFileSync(join(ROOT, path), "utf8")),
    );
    expect(missing.map(([row]) => row)).toEqual([]);
  });
});

describe("the recipe for an optional field", () => {
  const [, text = ""] = /^### Add an optional field to a request\n(.*?)^##/msu.exec(TEXT) ?? [];
  const recipe = spansOf(text);

  it("names every file of the source that has its example", ({ expect }) => {
    const places = git("grep", "-l", "metadata", "--", "src/**/*.ts", "src/**/*.tsx");
    expect(places.length).toBeGreaterThan(6);
    expect(places.filter((path) => !recipe.includes(path) && !recipe.includes(basename(path)))).toEqual([]);
  });

  it("names only files that have its example", ({ expect }) => {
    const files = recipe.filter((span) => /^src\/.*\.tsx?$/u.test(span));
    const places = git("grep", "-l", "metadata", "--", "src");
    expect(files.length).toBeGreaterThan(6);
    expect(files.filter((path) => !places.includes(path))).toEqual([]);
  });
});
