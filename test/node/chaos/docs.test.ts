/** The report on the page about faults is the checker's, of a run in which every promise held. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { judge } from "../../chaos/check/judge.ts";
import { report } from "../../chaos/check/report.ts";
import { ROOT } from "../../support/outside.ts";
import { correctDay } from "./correct-day.ts";

const AGAIN = "Run npm run chaos again, and publish its report as test/chaos/check/command.ts says.";

const published = readFileSync(join(ROOT, "src/docs/chaos-report.md"), "utf8");

/** The cells of the rows of all tables. */
const rows = published
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

describe("a report", () => {
  it("tells where, when and how its run was", ({ expect }) => {
    const [started, ...others] = correctDay();
    if (started?.kind !== "run.started") throw new Error("The day has no beginning.");
    const versions = { gateway: "2548280", Node: "24.21.0" };
    const text = report(judge([{ ...started, date: "2026-11-22", versions }, ...others]));
    expect(text).toMatch(/^2026-11-22, seed 7, \d+ (?:s|min) in all, gateway 2548280, Node 24\.21\.0\.$/mu);
    expect(text).toContain("npm run chaos -- --seconds 60 --terminals 2 --accounts 2 --seed 7\n");
  });
});

describe("the published report of a chaos run", () => {
  it("has a row for each of the checker's sentences, and for no other", ({ expect }) => {
    const sentences = judge([]).checks.map(({ says }) => says);
    const begin = rows.findIndex((cells) => cells.includes("What must hold"));
    const shown = rows.slice(begin + 2, begin + 2 + sentences.length).map((cells) => cells[2] ?? "");
    expect(shown.toSorted(), AGAIN).toEqual(sentences.toSorted());
  });

  it("is of a run that checked every promise and broke none", ({ expect }) => {
    expect(published, AGAIN).toMatch(/^\*\*All promises held\*\*: [\d,]+ checks, no violation\./mu);
    expect(published, AGAIN).toMatch(/## Violations\n\nNone\.\n/u);
  });

  it("says how to repeat the run", ({ expect }) => {
    expect(published, AGAIN).toMatch(/```bash\nnpm run chaos -- .*--seed \d+/u);
  });
});
