/** The docs' page about cost has the counted numbers and their price. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { bill } from "../cost/bill.ts";
import { RECORDED_BYTES } from "../cost/kept-bytes.ts";
import { total } from "../cost/prices.ts";
import { CONNECTION, type Counts, LOGIN, POLL, REFRESH, SALE } from "../cost/sale.ts";
import { tableRows } from "../support/markdown-table.ts";
import { ROOT } from "../support/outside.ts";

/** The page's labels of the counts. */
const WORDS: Record<keyof Counts, string> = {
  d1RoundTrips: "calls to D1",
  d1Writes: "calls to D1 that write",
  d1RowsRead: "rows read in D1",
  d1RowsWritten: "rows written in D1",
  objectRequests: "calls to objects",
  framesFromTerminal: "frames from the terminal",
  framesToTerminal: "frames to the terminal",
  framesToWorker: "frames to the Worker that waits",
  ticks: "frames from the Worker that waits",
  socketsEnded: "ends of sockets that the object is told of",
  alarms: "alarms that fire",
  alarmsSet: "alarms set",
  objectRowsRead: "rows read in objects",
  objectRowsWritten: "rows written in objects",
  logLines: "log lines",
};

const page = readFileSync(join(ROOT, "src", "docs", "cost.md"), "utf8");

const rows = tableRows(page);

describe("the page about cost", () => {
  it("has the counts of a sale, a till's login and refresh, a connection and a wait for an event", ({ expect }) => {
    for (const [name, words] of Object.entries(WORDS) as [keyof Counts, string][]) {
      const expected = [words, ...[SALE, LOGIN, REFRESH, CONNECTION, POLL].map((counts) => String(counts[name]))];
      expect(rows).toContainEqual(expected);
    }
  });

  it("has the price of transfers and terminals", async ({ expect }) => {
    const { transfers, terminals, rounds, reader, deliveries, statistics, recorded } = await bill();
    expect(Math.ceil(recorded)).toBe(RECORDED_BYTES);
    const of = (name: string): number => transfers.find((part) => part.name === name)?.dollars ?? NaN;
    const written = of("rows written in objects");
    expect(page).toContain(`A million transfers cost ${total(transfers).toFixed(2)} USD`);
    expect(page).toContain(`A thousand connected terminals cost ${total(terminals).toFixed(2)} USD`);
    expect(page).toContain(`adds ${total(rounds).toFixed(2)} USD`);
    expect(total(rounds)).toBeLessThanOrEqual(0.5);
    expect(page).toContain(`A reader that waits for a month costs ${total(reader).toFixed(2)} USD`);
    expect(page).toContain(`A million deliveries to a webhook cost ${total(deliveries).toFixed(2)} USD`);
    const { quiet, busy } = statistics;
    expect(page).toContain(`Statistics add ${total(quiet).toFixed(2)} USD to a million transfers`);
    expect(page).toContain(`${total(busy).toFixed(2)} USD at a busy one`);
    expect(page).toContain(`rows written in objects, ${written.toFixed(2)} USD`);
    expect(page).toContain(`The journal is kept for 400 days (${of("journal, kept for 13 months").toFixed(2)} USD)`);
    expect(page).toContain(`kept as long (${of("references and events, kept for 13 months").toFixed(2)} USD)`);
    expect(page).toContain(`Setting an alarm counts as a row (${of("alarms set").toFixed(2)} USD)`);
    expect(page).toContain(`one per request and one per finished transaction (${of("logs").toFixed(2)} USD)`);
    expect(Math.max(...transfers.map(({ dollars }) => dollars))).toBe(written);
  });
});
