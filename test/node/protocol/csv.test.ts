import { describe, it } from "vitest";
import { auditCsv, formatCsv, statisticsCsv, transactionsCsv } from "../../../src/protocol/csv.ts";
import { TRANSACTION_MEMBERS } from "../../../src/protocol/events.ts";

function cell(text: string): string {
  return (
    formatCsv(["cell"], [{ cell: text }])
      .split("cell\r\n")[1]
      ?.slice(0, -2) ?? ""
  );
}

describe("a cell of a CSV list", () => {
  it("is no formula, however a spreadsheet splits or trims it", ({ expect }) => {
    for (const character of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
      for (const before of ["", " ", "a;", "a; ", "a\t", "a\n", "a\r\n"]) {
        expect(cell(`${before}${character}A1`)).toMatch(/^"?'/u);
      }
    }
    // A number is none: an amount may be negative.
    expect([cell("-1"), cell("-3.00")]).toEqual(["-1", "-3.00"]);
    expect([cell("\ta"), cell("\ra")]).toEqual(['"\'\ta"', '"\'\ra"']);
  });

  it("is quoted only if it contains a separator or begins with space", ({ expect }) => {
    expect([" a", "a;b", "a,b", "a\tb", "a\nb"].map(cell)).toEqual(['" a"', '"a;b"', '"a,b"', '"a\tb"', '"a\nb"']);
    expect(["a b", "a-b", "1=1", "a"].map(cell)).toEqual(["a b", "a-b", "1=1", "a"]);
  });
});

describe("a CSV list", () => {
  it("has a header, nested members, lists as JSON, and empty cells", ({ expect }) => {
    const rows = [{ a: 1, b: { c: "x" }, d: ["y", 2] }, { a: null, b: null, d: true }, { b: {} }];
    expect(formatCsv(["a", "b.c", "d"], rows)).toBe('a,b.c,d\r\n1,x,"[""y"",2]"\r\n,,true\r\n,,\r\n');
    expect(formatCsv(["a"], [])).toBe("a\r\n");
  });

  it("keeps its columns, which scripts read by name or by place", ({ expect }) => {
    const members = TRANSACTION_MEMBERS.slice(0, -1).join(",");
    expect(transactionsCsv([])).toBe(`${members},voidedBy.requestId,voidedBy.referenceId\r\n`);
    expect(auditCsv([])).toBe("id,at,actor,action,target,details,before,after\r\n");
    const parts = ["gateway", "delivery", "customer"].flatMap((part) => [
      `${part}.count`,
      ...[10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000].map((most) => `${part}.within.${most}`),
    ]);
    expect(statisticsCsv([])).toBe(
      `hour,day,timezone,posId,responseCode,transactions.00,transactions.11,approvalRate,${parts.join(",")}\r\n`,
    );
  });

  it("has a column for each currency of statistics", ({ expect }) => {
    const rows = [
      { turnover: [{ currency: "SGD", transAmt: "-3.00" }] },
      { turnover: [{ currency: "MYR", transAmt: "12.50" }] },
      { turnover: [] },
    ];
    const [head, ...lines] = statisticsCsv(rows).split("\r\n");
    expect(head).toContain(",approvalRate,turnover.MYR,turnover.SGD,gateway.count,");
    expect(lines.slice(0, 3).map((line) => line.split(",").slice(8, 10))).toEqual([
      ["", "-3.00"],
      ["12.50", ""],
      ["", ""],
    ]);
  });
});
