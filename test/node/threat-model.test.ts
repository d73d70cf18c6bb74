import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../support/outside.ts";

/** A folder, a file, a test without its ending, or a pattern of tests. */
function exists(path: string): boolean {
  return globSync([path, `${path}.test.ts`], { cwd: ROOT }).length > 0;
}

describe("the threat model", () => {
  it("names only tests that exist", async ({ expect }) => {
    const text = await readFile(join(ROOT, "src", "docs", "security.md"), "utf8");
    const paths = new Set([...text.matchAll(/`(test\/[^`]+)`/gu)].map(([, path = ""]) => path));
    expect(paths.size).toBeGreaterThan(10);
    expect([...paths].filter((path) => !exists(path))).toEqual([]);
  });
});
