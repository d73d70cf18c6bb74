/** The table of the documentation's promises, `promises.md`: no page without a row, no row without its test. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Page, promise, file and name of each row. */
const ROWS = [
  ...read("test/node/docs/promises.md").matchAll(/^\| `([^`]+)` +\| (.+?) +\| `([^`]+)` +\| `(.+)` +\|$/gmu),
];

/** Whether a file has the test as it stands in the table. */
function isTest(file: string, name: string): boolean {
  const path = join("test", `${file}.test.ts`);
  return existsSync(join(ROOT, path)) && read(path).includes(name);
}

describe("the promises of the documentation", () => {
  it("are in the table, whatever page makes them", ({ expect }) => {
    const config = read("src/docs/.vitepress/config.ts");
    const groups = config.matchAll(/group\("(?:Take payments|Build a terminal|Run it|Trust)", \{(.*?)\}\)/gsu);
    const pages = [...groups].flatMap(([, items = ""]) => items.match(/[\w-]+(?="?: ")/gu) ?? []);
    expect(pages.length).toBeGreaterThan(20);
    expect([...new Set(ROWS.map(([, page = ""]) => page))].toSorted()).toEqual(pages.toSorted());
  });

  it("have a test each", ({ expect }) => {
    expect(ROWS.length).toBeGreaterThan(100);
    expect(ROWS.filter(([, , , file = "", name = ""]) => !isTest(file, name)).map(([row]) => row)).toEqual([]);
  });
});
