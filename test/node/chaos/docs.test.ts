/** The page about faults shows a run of the checker as it is now, in which every promise held. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { PROMISES } from "../../chaos/check/check.ts";
import { judge } from "../../chaos/check/judge.ts";
import { report } from "../../chaos/check/report.ts";
import { tableRows } from "../../support/markdown-table.ts";
import { ROOT } from "../../support/outside.ts";
import { correctDay } from "./correct-day.ts";

const AGAIN = "Run npm run chaos again, and publish its journal: npm run chaos -- --judge JOURNAL --publish.";

const page = readFileSync(join(ROOT, "src/docs/chaos.md"), "utf8");
const [published = ""] = /^## The last published run$.*?(?=^## )/msu.exec(page) ?? [];

describe("a report", () => {
  it("tells where, when and how its run was", ({ expect }) => {
    const text = report(judge(correctDay()));
    expect(text).toMatch(/^2026-11-22, seed 7, \d+ (?:s|min) in all, gateway 2548280, Node 24\.21\.0\.$/mu);
    expect(text).toContain("npm run chaos -- --seconds 60 --terminals 2 --accounts 2 --seed 7\n");
  });
});

describe("the published run under faults", () => {
  it("counts as many sentences of each promise as the checker has", ({ expect }) => {
    const own = judge([]).checks.map(({ promise }) => `${promise} ${PROMISES[promise]}`);
    const expected = Map.groupBy(own, (promise) => promise);
    const counts = tableRows(published, "| I").map(
      ([promise = "", sentences]) => [promise, Number(sentences)] as const,
    );
    expect(new Map(counts), AGAIN).toEqual(new Map([...expected].map(([promise, all]) => [promise, all.length])));
  });

  it("checked every promise and broke none", ({ expect }) => {
    expect(published, AGAIN).toMatch(/^\*\*All promises held\*\*: [\d,]+ checks, no violation\./mu);
    const rows = tableRows(published, "| I");
    expect(rows.map(([, , , violations]) => violations)).toEqual(rows.map(() => "0"));
  });

  it("says how to repeat it", ({ expect }) => {
    expect(published, AGAIN).toMatch(/```bash\nnpm run chaos -- .*--seed \d+/u);
  });
});
