/** What the operator's commands read before they call the gateway. */
import { describe, it } from "vitest";
import { parseCsv, readTerminals } from "../../../src/sdk/command-line/csv.ts";
import { instant } from "../../../src/tools/operator/options.ts";

describe("a CSV file", () => {
  it("is read with quotes, any line endings, and a byte order mark", ({ expect }) => {
    expect(parseCsv('\ufeffa,"b, ""c""\n2",\r\nd,,e\n')).toEqual([["a", 'b, "c"\n2', ""], ["d", "", "e"], [""]]);
    expect(parseCsv("a")).toEqual([["a"]]);
    expect(parseCsv("a,")).toEqual([["a", ""]]);
  });

  it("names terminals with columns in any order, despite spaces and gaps", ({ expect }) => {
    const text = ' name ,terminalId,isVT,merchantId\r\n"Counter 1, left", T-1 ,0,M-1\r\n\r\n , \r\n,T-2,1\r\n,T-3,\r\n';
    expect(readTerminals(text)).toEqual({
      ok: true,
      value: [
        { terminalId: "T-1", isVT: 0, name: "Counter 1, left", merchantId: "M-1" },
        { terminalId: "T-2", isVT: 1 },
        { terminalId: "T-3", isVT: 0 },
      ],
    });
  });

  it.for([
    ["", "The first line must name the columns: terminalId, and optionally name, merchantId, isVT."],
    ["T-1\nT-2\n", "must name the columns"],
    ["terminalId,colour\nT-1,red\n", "must name the columns"],
    ["terminalId,name\nT-1,a\n,b\n", "Line 3 has no terminalId."],
    ["terminalId\nT-1\nT-2\nT-1\n", "Line 4 has T-1 a second time."],
    ["terminalId\nT-1,x\n", "Line 2 has more cells"],
    ["terminalId,isVT\nT-1,yes\n", "Line 2: isVT is 0 or 1."],
    ["terminalId,isVT\n\nT-1,yes\n,1\n", "Line 3: isVT is 0 or 1.\nLine 4 has no terminalId."],
    [`terminalId\n${"T-1\n".repeat(99)}`, "Line 52 has T-1 a second time.\nand 48 more lines"],
  ] as const)("is refused with every line that has a mistake: %j", ([text, words], { expect }) => {
    expect(readTerminals(text)).toEqual({ ok: false, error: expect.stringContaining(words) });
  });

  it("is refused, if of another kind, with its first fifty lines", ({ expect }) => {
    const lines = Array.from({ length: 50 }, (_, index) => `Line ${index + 3} has T-1 a second time.`).join("\n");
    for (const [mistakes, error] of [
      [50, lines],
      [51, `${lines}\nand 1 more lines`],
    ] as const) {
      expect(readTerminals(`terminalId\n${"T-1\n".repeat(mistakes + 1)}`)).toEqual({ ok: false, error });
    }
  });
});

describe("a point in time", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");

  it.for([
    ["30m", "2026-11-20T11:30:00.000Z"],
    ["12h", "2026-11-20T00:00:00.000Z"],
    ["7d", "2026-11-13T12:00:00.000Z"],
    ["2026-11-20T10:15:00+08:00", "2026-11-20T10:15:00+08:00"],
  ] as const)("is %s", ([given, taken], { expect }) => {
    expect(instant(given, now)).toBe(taken);
  });

  it.for(["yesterday", "7", "7y", "2026-11-20", "2026-11-20T10:15:00", "-1h"])("is not %s", (given, { expect }) => {
    expect(instant(given, now)).toBeNull();
  });
});
