/** The docs' page about cost has the counted numbers and their price. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { bill, REFRESHES_PER_TRANSFER } from "../../cost/bill.ts";
import { RECORDED_BYTES } from "../../cost/kept-bytes.ts";
import { total } from "../../cost/prices.ts";
import { CONNECTION, type Counts, LOGIN, POLL, REFRESH, SALE } from "../../cost/sale.ts";
import { tableRows } from "../../support/markdown-table.ts";
import { ROOT } from "../../support/outside.ts";

/** The counts that the page shows, by its labels: those that cost most. */
const WORDS = {
  d1RoundTrips: "calls to D1",
  d1RowsWritten: "rows written in D1",
  objectRequests: "calls to objects",
  alarmsSet: "alarms set",
  objectRowsWritten: "rows written in objects",
  logLines: "log lines",
} satisfies Partial<Record<keyof Counts, string>>;

const page = readFileSync(join(ROOT, "src", "docs", "cost.md"), "utf8");

const rows = tableRows(page);

describe("the page about cost", () => {
  it("counts a sale, a POS login and refresh, a connection, and waiting", ({ expect }) => {
    for (const [name, words] of Object.entries(WORDS) as [keyof typeof WORDS, string][]) {
      const expected = [words, ...[SALE, LOGIN, REFRESH, CONNECTION, POLL].map((counts) => String(counts[name]))];
      expect(rows).toContainEqual(expected);
    }
  });

  it("has the price of transfers and terminals", async ({ expect }) => {
    const { transfers, refreshes, terminals, sweeps, reader, deliveries, statistics, recorded } = await bill();
    expect(Math.ceil(recorded)).toBe(RECORDED_BYTES);
    const tokens = total(refreshes) * REFRESHES_PER_TRANSFER;
    const { quiet, busy } = statistics;
    const sums = [transfers, quiet, busy, terminals, sweeps, reader, deliveries].map(total);
    const expected = sums.toSpliced(1, 0, tokens).map((sum) => sum.toFixed(2));
    const costs = rows.filter((cells) => cells.length === 2 && /^\d+\.\d\d$/u.test(cells[1] ?? ""));
    expect(costs.slice(0, expected.length).map(([, cost]) => cost)).toEqual(expected);
    expect(total(sweeps)).toBeLessThanOrEqual(0.5);
    const shares = transfers
      .filter(({ dollars: share }) => share >= 0.005)
      .map(({ dollars: share }) => share.toFixed(2));
    expect(costs.slice(expected.length).map(([, cost]) => cost)).toEqual(
      shares.toSorted((one, other) => Number(other) - Number(one)),
    );
  });
});
