/** Texts that people read: the gateway's own answers, and what goes to printers. */
import { describe, it } from "vitest";
import { MULTI_LINE, onOneLine, SINGLE_LINE } from "../../../src/protocol/characters.ts";
import { GATEWAY_CODES } from "../../../src/protocol/gateway-codes.ts";
import { coverageWords, readAmount, readSearchText } from "../../../src/protocol/operator-search.ts";

describe("the gateway's own answer", () => {
  it("shows a cashier whether money moved", ({ expect }) => {
    for (const { statusCode, responseText } of Object.values(GATEWAY_CODES)) {
      expect(responseText).toMatch(/^[A-Z].{20,126}\.$/u);
      if (statusCode === "22") expect(responseText).toMatch(/Ask again|ask the operator/u);
    }
  });
});

describe("the words of a search", () => {
  it("show what it has covered, and what it may lack", ({ expect }) => {
    const covered = { from: "A", to: "2026-11-20T10:00:00Z", completeUntil: "2026-11-20T10:00:00Z" };
    const words = (members: object) =>
      coverageWords({ ...covered, cut: false, notCovered: [], ...members }, (at) => at);
    expect(words({})).toEqual(["Searched: payments from A to 2026-11-20T10:00:00Z."]);
    const lacking = { completeUntil: "2026-11-20T09:59:59Z", cut: true, notCovered: ["P-1", "P-2"] };
    expect(words(lacking).slice(1)).toEqual([
      "Those since 2026-11-20T09:59:59Z may be missing, unless you name the account or its shop.",
      "Earlier ones may be missing: there is too much to search. Name a shorter time, or the account.",
      "Not searched: P-1, P-2. Name each account.",
    ]);
  });
});

describe("what an operator types into the search", () => {
  it("may be an amount as people write it", ({ expect }) => {
    const amounts = ["48.22", "48,22", "48.22 MYR", "MYR 1,048.22", "myr1.048,22", "0.05"].map(readAmount);
    expect(amounts).toEqual(["48.22", "48.22", "48.22", "1048.22", "1048.22", "0.05"]);
    expect(["48", "48.2", "4822", "R-48.22", "1,04.22", "48.22 ringgit"].map(readAmount)).toEqual(Array(6).fill(null));
  });

  it("may be a number, an amount, a card or a reference", ({ expect }) => {
    expect(readSearchText(" ")).toEqual([{}]);
    expect(readSearchText(" 1000000042 ")).toEqual([{ transId: "1000000042" }, { referenceId: "1000000042" }]);
    expect(readSearchText("48,22 MYR")).toEqual([{ amount: "48.22" }]);
    expect(readSearchText("1234")).toEqual([{ cardLastFour: "1234" }, { referenceId: "1234" }]);
    expect(readSearchText("r-42")).toEqual([{ referenceId: "r-42" }, { referenceId: "R-42" }]);
    expect(readSearchText("R-42")).toEqual([{ referenceId: "R-42" }]);
    expect(readSearchText("The corner shop by the bridge")).toEqual([]);
  });
});

describe("a text for printers and displays", () => {
  const controls = [..."\u0000\u0007\u001b\u007f\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069"];
  const breaks = [..."\t\n\v\f\r\u0085\u2028\u2029"];

  it("has no control characters, and line feeds only if it may", ({ expect }) => {
    for (const character of [...controls, ...breaks]) {
      const text = `a${character}b`;
      expect([text, SINGLE_LINE.test(text), MULTI_LINE.test(text)]).toEqual([text, false, character === "\n"]);
    }
    for (const text of ["", "a b", "é 支付 😂", "~\u00a0"]) expect(SINGLE_LINE.test(text)).toBe(true);
  });

  it("becomes one line: spaces for breaks, nothing for controls", ({ expect }) => {
    for (const character of breaks) expect(onOneLine(`a${character}\r\nb${character}c`)).toBe("a b c");
    for (const character of controls) expect(onOneLine(`a${character}${character}b${character}`)).toBe("ab");
    expect(onOneLine("as it is")).toBe("as it is");
  });
});
