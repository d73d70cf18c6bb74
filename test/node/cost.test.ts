/** What the README says about costs is what is counted, and what that costs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { bill, total } from "../cost/bill.ts";
import { CONNECTION, type Counts, REFRESH, SALE } from "../cost/sale.ts";
import { tableRows } from "../support/markdown-table.ts";
import { ROOT } from "../support/outside.ts";

/** The README's words for what is counted. */
const WORDS: Record<keyof Counts, string> = {
  d1RoundTrips: "calls to D1",
  d1RowsRead: "rows read in D1",
  d1RowsWritten: "rows written in D1",
  objectRequests: "calls to objects",
  framesFromTerminal: "frames from the terminal",
  framesToTerminal: "frames to the terminal",
  framesToWorker: "frames to the Worker that waits",
  socketsEnded: "ends of sockets that the object is told of",
  alarms: "alarms that fire",
  alarmsSet: "alarms set",
  objectRowsRead: "rows read in objects",
  objectRowsWritten: "rows written in objects",
  logLines: "log lines",
};

const readme = readFileSync(join(ROOT, "README.md"), "utf8");

const rows = tableRows(readme);

describe("the README", () => {
  it("says how often a sale, a refresh and a connection do what is counted", ({ expect }) => {
    for (const [name, words] of Object.entries(WORDS) as [keyof Counts, string][]) {
      const expected = [words, ...[SALE, REFRESH, CONNECTION].map((counts) => String(counts[name]))];
      expect(rows).toContainEqual(expected);
    }
  });

  it("says what that costs", { timeout: 60_000 }, async ({ expect }) => {
    const { transfers, terminals } = await bill();
    const written = transfers.find(({ name }) => name === "rows written in objects")?.dollars ?? 0;
    expect(readme).toContain(`A million transfers cost ${total(transfers).toFixed(2)} USD`);
    expect(readme).toContain(`A thousand connected terminals cost ${total(terminals).toFixed(2)} USD`);
    expect(readme).toContain(`rows written in objects, ${written.toFixed(2)} USD`);
    expect(Math.max(...transfers.map(({ dollars }) => dollars))).toBe(written);
  });
});
