/** Architecture rules that no import rule can express. Import rules are in `test/oxlint.json`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

/** The files under a folder whose names match. */
function filesIn(folder: string, names: RegExp): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return found.filter((name) => names.test(name)).map((name) => join(folder, name));
}

/** The source files under a folder in which some text occurs, comments aside. */
function filesWith(pattern: RegExp, folder: string): string[] {
  return filesIn(folder, /\.ts$/u)
    .filter((path) => pattern.test(withoutComments(readFileSync(join(ROOT, path), "utf8"))))
    .toSorted();
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "");
}

describe("the source", () => {
  it("has SQL only in src/gateway/d1 and in the objects' storage", ({ expect }) => {
    const files = filesWith(/\.prepare\(|sql\s*\.exec\b/u, "src");
    const storage = files.filter((path) => /\/(?:storage|d1)\//u.test(path));
    expect(storage.length).toBeGreaterThan(5);
    expect(files).toEqual(storage);
  });

  it("reads a terminal's clock only in its turns and for its status", ({ expect }) => {
    expect(filesWith(/Date\.now\(/u, "src/gateway/terminal")).toEqual(["src/gateway/terminal/terminal.ts"]);
  });

  it("writes no row over another with REPLACE, which resets newer columns", ({ expect }) => {
    expect(filesWith(/\bREPLACE INTO\b|\bOR REPLACE\b/u, "src")).toEqual([]);
  });

  it("sets the alarm of an object in one place", ({ expect }) => {
    expect(filesWith(/\bsetAlarm\(/u, "src")).toEqual(["src/gateway/durable/turns.ts"]);
  });

  it("imports only packages that package.json names: `npm start` installs no others", ({ expect }) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Packages;
    // A program for the reader's own project.
    const files = filesIn("src", /\.(?:ts|tsx|mjs)$/u).filter((path) => !path.startsWith("src/docs/examples/"));
    const imported = new Set(files.flatMap((path) => packagesIn(readFileSync(join(ROOT, path), "utf8"))));
    expect(imported).toContain("zod");
    const named = Object.keys({ ...dependencies, ...devDependencies });
    expect([...imported].filter((name) => !named.includes(name))).toEqual([]);
  });
});

interface Packages {
  dependencies: object;
  devDependencies: object;
}

/** The packages that a source imports. Node's and the runtime's own modules have a scheme. */
function packagesIn(source: string): string[] {
  const imports = /^(?:import|export|\} from)\b(?:.*\bfrom)? "((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^"]*)?"/gmu;
  return [...source.matchAll(imports)].map(([, name = ""]) => name);
}
