/** Architecture rules that no import rule can express. Import rules are in `test/oxlint.json`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../support/outside.ts";

/** The source files under a folder in which some text occurs, comments aside. */
function filesWith(pattern: RegExp, folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .filter((path) => pattern.test(withoutComments(readFileSync(join(ROOT, path), "utf8"))))
    .toSorted();
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "");
}

describe("the source", () => {
  it("has SQL only in folders named storage", ({ expect }) => {
    const files = filesWith(/\.prepare\(|sql\s*\.exec\b/u, "src");
    const storage = files.filter((path) => path.split("/").includes("storage"));
    expect(storage.length).toBeGreaterThan(5);
    expect(files).toEqual(storage);
  });

  it("reads the clock of a terminal's object in its turns, and outside them only for reads", ({ expect }) => {
    expect(filesWith(/Date\.now\(/u, "src/terminal")).toEqual(["src/terminal/notes.ts", "src/terminal/status.ts"]);
  });

  it("sets the alarm of an object in one place", ({ expect }) => {
    expect(filesWith(/\bsetAlarm\(/u, "src")).toEqual(["src/objects/turns.ts"]);
  });
});
