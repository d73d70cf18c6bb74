/** package-lock.json pins the content of every package, for every platform; the workflows pin every action. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

type Lock = Record<string, Entry>;

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Packages of a registry by their path. What has no `node_modules` in its path is a workspace or the project. */
function packagesOf(lock: Lock): [path: string, entry: Entry][] {
  return Object.entries(lock).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
}

/** Where npm looks for `name` when the package at `from` asks for it: next to it, then further up. */
function find(lock: Lock, from: string, name: string): Entry | undefined {
  const parents = from.split("/").map((_, index, parts) => parts.slice(0, parts.length - index).join("/"));
  const folder = [...parents, ""].find((parent) => Object.hasOwn(lock, join(parent, "node_modules", name)));
  return folder === undefined ? undefined : lock[join(folder, "node_modules", name)];
}

/** What is wrong with a lock file, in sentences. */
function problemsOf(lock: Lock): string[] {
  return packagesOf(lock).flatMap(([path, { integrity, resolved, optionalDependencies = {} }]) => [
    ...(integrity?.startsWith("sha512-") === true ? [] : [`${path} has no integrity`]),
    ...(resolved === undefined ? [] : [`${path} names a host: see .npmrc`]),
    ...Object.keys(optionalDependencies)
      .filter((name) => find(lock, path, name) === undefined)
      .map((name) => `${path} has a build ${name} that is not pinned`),
  ]);
}

describe("the lock file", () => {
  const lock = (JSON.parse(read("package-lock.json")) as { packages: Lock }).packages;

  it("has every package's integrity for every platform, and names no host", ({ expect }) => {
    expect(packagesOf(lock).length).toBeGreaterThan(300);
    expect(problemsOf(lock)).toEqual([]);
  });

  it("has one workerd, whose newest compatibility date the Worker uses", ({ expect }) => {
    const versions = packagesOf(lock).filter(([path]) => path.endsWith("node_modules/workerd"));
    expect(versions).toHaveLength(1);
    const [, year, month, day] = /^1\.(\d{4})(\d\d)(\d\d)\./u.exec(versions[0]?.[1].version ?? "") ?? [];
    expect(read("wrangler.toml")).toContain(`compatibility_date = "${year}-${month}-${day}"`);
  });

  it("has the packages of test/tools in the versions that tests find", ({ expect }) => {
    expect(packagesOf(lock).filter(([path]) => path.startsWith("test/tools/"))).toEqual([]);
  });

  it("rejects an entry that is not pinned", ({ expect }) => {
    const integrity = "sha512-AAAA";
    const broken: Lock = {
      "": { version: "1.0.0" },
      "test/typed-client": { version: "0.0.0" },
      "node_modules/typed-client": { resolved: "test/typed-client", link: true },
      "node_modules/tool": { integrity, optionalDependencies: { "@tool/linux": "1.0.0", "@tool/windows": "1.0.0" } },
      "node_modules/tool/node_modules/@tool/linux": { version: "1.0.0" },
      "node_modules/other": { integrity, resolved: "https://registry.example/other.tgz" },
    };
    expect(problemsOf(broken)).toEqual([
      "node_modules/tool has a build @tool/windows that is not pinned",
      "node_modules/tool/node_modules/@tool/linux has no integrity",
      "node_modules/other names a host: see .npmrc",
    ]);
  });
});

describe("the workflows", () => {
  it("take every action from a commit: a tag can move", ({ expect }) => {
    const folder = ".github/workflows";
    const sources = readdirSync(join(ROOT, folder)).map((name) => read(join(folder, name)));
    const actions = sources.flatMap((source) =>
      [...source.matchAll(/\buses: (.*)/gu)].map(([, action = ""]) => action),
    );
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/u.test(action))).toEqual([]);
  });
});
