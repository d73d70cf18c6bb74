/** The pages, calls, folders and numbers in README and CONTRIBUTING exist and are right, as are the docs' settings. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { openApi } from "../../../src/gateway/http/openapi/openapi.ts";
import { tableRows } from "../../support/markdown-table.ts";
import { ROOT } from "../../support/outside.ts";

function source(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

const readme = source("README.md");
const contributing = source(".github/CONTRIBUTING.md");
const settings = source("src/docs/settings.md");
const pages = readdirSync(join(ROOT, "src", "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => source(`src/docs/${name}`))
  .join("\n");

/** The part under a heading of the second level. */
function part(heading: string, text = readme): string {
  const found = new RegExp(`^## ${heading}\n(.*?)(?=^## |$(?![\\s\\S]))`, "msu").exec(text)?.[1];
  if (found === undefined) throw new Error(`There is no part ${heading}.`);
  return found;
}

/** The rows whose first cell begins with a name in code, linked or not. */
function rowsOf(text: string): string[][] {
  return [...tableRows(text, "| `"), ...tableRows(text, "| [`")];
}

function names(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name);
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Below the root, or within the room of the gateway. */
function isFolder(path: string): boolean {
  return [ROOT, join(ROOT, "src", "gateway")].some((folder) => existsSync(join(folder, path)));
}

describe("the README", () => {
  it("names, like the documentation, only existing calls", ({ expect }) => {
    const calls = Object.entries(openApi().paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/gu, ":$1")}`),
    );
    const documented = [...(readme + pages).matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [\w/:.…-]+)`/gu)].map(
      ([, call = ""]) => call,
    );
    expect(documented.length).toBeGreaterThan(5);
    const missing = documented.filter((call) => {
      const [method = "", path = ""] = call.split(" ");
      return !calls.some((one) => one.startsWith(method) && one.endsWith(path.replace(/^…/u, "")));
    });
    expect(missing).toEqual([]);
  });

  it("names every folder of the source, and only what exists", ({ expect }) => {
    const documented = rowsOf(part("Folders", contributing)).flatMap(([paths]) => names(paths));
    expect(documented.filter((path) => !isFolder(path))).toEqual([]);
    const missing = [...foldersIn("src").map((name) => `src/${name}`), ...foldersIn("src/gateway")];
    expect(missing.filter((path) => !documented.includes(path))).toEqual([]);
  });
});

describe("the page for operators", () => {
  it("has every setting of wrangler.toml with its default, and no other", ({ expect }) => {
    const configuration = source("wrangler.toml");
    const [, variables = ""] = /^\[vars\]\n(.*?)^\[/msu.exec(configuration) ?? [];
    const [, secrets = ""] = /^required = \[(.*)\]/mu.exec(configuration) ?? [];
    const expected = [
      ...[...secrets.matchAll(/"(\w+)"/gu)].map(([, name]) => [name, "none"]),
      ...[...variables.matchAll(/^(\w+) = "(.*)"/gmu)].map(([, name, value]) => [name, value === "" ? "none" : value]),
    ];
    expect(expected.length).toBeGreaterThan(10);
    const documented = rowsOf(part("Settings", settings)).map(([name, value = ""]) => [
      names(name)[0],
      value.replaceAll("`", ""),
    ]);
    expect(new Set(documented)).toEqual(new Set(expected));
  });
});

describe("the repository", () => {
  it("has the license that both packages and both contracts name", ({ expect }) => {
    const licenses = ["package.json", "src/sdk/package.json"].map((path) => JSON.parse(source(path)).license as string);
    expect(source("LICENSE")).toMatch(/^MIT License\n/u);
    expect(source("src/sdk/LICENSE")).toBe(source("LICENSE"));
    expect([...licenses, openApi().info.license.identifier]).toEqual(["MIT", "MIT", "MIT"]);
  });

  it("has a changelog whose newest version is that of both packages", ({ expect }) => {
    const versions = ["package.json", "src/sdk/package.json"].map((path) => JSON.parse(source(path)).version as string);
    const newest = /^## \[([\d.]+)\]/mu.exec(source("CHANGELOG.md"))?.[1];
    expect(versions).toEqual([newest, newest]);
  });
});
