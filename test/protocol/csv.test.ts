import { describe, it } from "vitest";
import { csvOf } from "../../src/protocol/csv.ts";

function cell(text: string): string {
  return (
    csvOf(["cell"], [{ cell: text }])
      .split("cell\r\n")[1]
      ?.slice(0, -2) ?? ""
  );
}

describe("a cell of a CSV list", () => {
  it("is no formula, however a spreadsheet splits or trims it", ({ expect }) => {
    for (const character of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
      for (const before of ["", " ", "a;", "a; ", "a\t", "a\n", "a\r\n"]) {
        expect(cell(`${before}${character}1`)).toMatch(/^"?'/u);
      }
    }
    expect([cell("\ta"), cell("\ra")]).toEqual(['"\'\ta"', '"\'\ra"']);
  });

  it("is quoted if it begins with a space or has a separator, and is otherwise as it is", ({ expect }) => {
    expect([" a", "a;b", "a,b", "a\tb", "a\nb"].map(cell)).toEqual(['" a"', '"a;b"', '"a,b"', '"a\tb"', '"a\nb"']);
    expect(["a b", "a-b", "1=1", "a"].map(cell)).toEqual(["a b", "a-b", "1=1", "a"]);
  });
});
