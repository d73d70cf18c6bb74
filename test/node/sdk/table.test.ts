/** Tables of the command lines, as a window of a person shows them. */
import { stripVTControlCharacters } from "node:util";
import { describe, it } from "vitest";
import { dataLines } from "../../../src/sdk/command-line/table.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");

const ROWS = [
  {
    requestId: "1000000103",
    receivedAt: "2026-11-20T09:07:00.000+00:00",
    transAmt: "48.22",
    currency: "MYR",
    statusCode: "22",
    shopName: "Harbour Café 店",
    conflict: null,
    terminalId: "T-HARBOUR-01",
    referenceId: "1M8JDETS9A3RH96RF8CF",
  },
];

const linesIn = (width: number): string[] => stripVTControlCharacters(dataLines(ROWS, { width, now: NOW })).split("\n");

describe("a table in a person's window", () => {
  it("has columns that fit, ages in place of times, names the rest", ({ expect }) => {
    expect(linesIn(80)).toEqual([
      "number      received  amount           shop             terminal",
      "1000000103  53 min    48.22   MYR  22  Harbour Café 店  T-HARBOUR-01",
      "",
      "Also: referenceId. All of it: --json",
    ]);
    expect(linesIn(120)).toHaveLength(2);
    expect(linesIn(5)[1]).toBe("1000000103");
  });

  it("has every column and whole times for a program", ({ expect }) => {
    const [head, row] = dataLines(ROWS, null).split("\n");
    expect(head).toMatch(/^requestId +receivedAt .* conflict +terminalId +referenceId$/u);
    expect(row).toContain("2026-11-20T09:07:00.000+00:00");
  });
});
