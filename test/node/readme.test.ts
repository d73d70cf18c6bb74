/** What the README says of settings, pages, calls and folders is what there is. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { openApi } from "../../src/http/openapi/openapi.ts";
import { GATEWAY_CODES } from "../../src/http/openapi/gateway-codes.ts";
import * as limits from "../../src/docs/build/limits.ts";
import { tableRows } from "../support/markdown-table.ts";
import { ROOT } from "../support/outside.ts";

const DAY = 86_400_000;

function source(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

const readme = source("README.md");

/** The part under a heading of the second level. */
function part(heading: string): string {
  const found = new RegExp(`^## ${heading}\n(.*?)(?=^## |$(?![\\s\\S]))`, "msu").exec(readme)?.[1];
  if (found === undefined) throw new Error(`the README has no part ${heading}`);
  return found;
}

/** Without heads: what is told of begins with its name in code. */
function rowsOf(text: string): string[][] {
  return tableRows(text, "| `");
}

function names(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name);
}

describe("the README", () => {
  it("has every setting of wrangler.toml, with its default, and no other", ({ expect }) => {
    const configuration = source("wrangler.toml");
    const [, variables = ""] = /^\[vars\]\n(.*?)^\[/msu.exec(configuration) ?? [];
    const [, secrets = ""] = /^required = \[(.*)\]/mu.exec(configuration) ?? [];
    const rates = [...configuration.matchAll(/^name = "([A-Z_]+)".*?limit = (\d+), period = 60/gmsu)];
    const expected = [
      ...[...secrets.matchAll(/"(\w+)"/gu)].map(([, name]) => [name, "secret", "none"]),
      ...[...variables.matchAll(/^(\w+) = "(.*)"/gmu)].map(([, name, value]) => [
        name,
        "`wrangler.toml`",
        value === "" ? "none" : value,
      ]),
      ...rates.map(([, name, limit]) => [name, "`wrangler.toml`", `${Number(limit).toLocaleString("en")} a minute`]),
    ];
    expect(expected.length).toBeGreaterThan(10);
    const told = rowsOf(part("Configuration")).map(([name, where, , value = ""]) => [
      names(name)[0],
      where,
      value.replaceAll("`", ""),
    ]);
    expect(new Set(told)).toEqual(new Set(expected));
  });

  it("names every page of the documentation, and both contracts", ({ expect }) => {
    const pages = [...source("src/docs/pages.ts").matchAll(/path: "(\/docs[^"]*)"/gu)].map(([, path]) => path);
    expect(pages.length).toBeGreaterThan(8);
    const told = rowsOf(part("The documentation")).flatMap(([paths]) => names(paths));
    expect(new Set(told)).toEqual(new Set([...pages, "/openapi.json", "/asyncapi.json"]));
    const elsewhere = [...readme.matchAll(/`(\/docs[\w/-]*)`/gu)].map(([, path]) => path);
    expect(elsewhere.filter((path) => !pages.includes(path))).toEqual([]);
  });

  it("names no call that there is not", ({ expect }) => {
    const calls = Object.entries(openApi().paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/gu, ":$1")}`),
    );
    const told = [...readme.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [\w/:.…-]+)`/gu)].map(([, call = ""]) => call);
    expect(told.length).toBeGreaterThan(5);
    const missing = told.filter((call) => {
      const [method = "", path = ""] = call.split(" ");
      return !calls.some((one) => one.startsWith(method) && one.endsWith(path.replace(/^…/u, "")));
    });
    expect(missing).toEqual([]);
  });

  it("names every folder of the source, and only what is there", ({ expect }) => {
    const told = rowsOf(part("How it is made")).flatMap(([paths]) => names(paths));
    expect(told.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => `src/${name}`).filter((path) => !told.includes(path))).toEqual([]);
  });

  it("has the numbers of the code", ({ expect }) => {
    for (const told of [
      `at least ${limits.SHORTEST_REQUEST_SECONDS}`,
      `transactions after ${limits.JOURNAL_LIFE / DAY}\n  days`,
      `audit rows after ${limits.AUDIT_LIFE / DAY}`,
      `lives for ${limits.PREVIOUS_SIGNING_KEY_LIFE / 3_600_000} hours`,
      `for ${limits.JOURNAL_LIFE / DAY} days`,
    ]) {
      expect(readme).toContain(told);
    }
    const codes = [...readme.matchAll(/`(?:11|22) ([A-Z_]+)`/gu)].map(([, code]) => code);
    expect(codes.filter((code) => !GATEWAY_CODES.some(({ responseCode }) => responseCode === code))).toEqual([]);
  });
});

describe("what stands beside it", () => {
  it("is the license that both packages and both contracts name", ({ expect }) => {
    const licenses = ["package.json", "src/client/package.json"].map(
      (path) => JSON.parse(source(path)).license as string,
    );
    expect(source("LICENSE")).toMatch(/^MIT License\n/u);
    expect(source("src/client/LICENSE")).toBe(source("LICENSE"));
    expect([...licenses, openApi().info.license.identifier]).toEqual(["MIT", "MIT", "MIT"]);
  });

  it("is a changelog whose newest version is that of both packages", ({ expect }) => {
    const versions = ["package.json", "src/client/package.json"].map(
      (path) => JSON.parse(source(path)).version as string,
    );
    const newest = /^## \[([\d.]+)\]/mu.exec(source("CHANGELOG.md"))?.[1];
    expect(versions).toEqual([newest, newest]);
  });
});
