/** Headers that say what a caller prefers. */
import { describe, it } from "vitest";
import { prefers } from "../../../../src/gateway/http/middleware/accept.ts";
import { readPreference } from "../../../../src/gateway/http/middleware/prefer.ts";

describe("Prefer (RFC 7240)", () => {
  it.for([
    ["respond-async", 0, "respond-async"],
    ["Respond-Async; x=1", 0, "respond-async"],
    ["wait=5", 5_000, "wait=5"],
    ['WAIT = "5" ; x=1', 5_000, "wait=5"],
    ["wait=0", 0, "wait=0"],
    ["wait=999999", 999_999_000, "wait=999999"],
    ["wait=1, wait=2", 1_000, "wait=1"],
    ["wait=soon, wait=2", 2_000, "wait=2"],
    ["return=minimal,wait=3 ,respond-async", 3_000, "respond-async, wait=3"],
  ] as const)("asks, as %s, to wait %i ms", ([header, wait, applied], { expect }) => {
    expect(readPreference(header)).toEqual({ wait, applied });
  });

  it("is ignored if it is missing, of another kind or malformed", ({ expect }) => {
    for (const header of [
      undefined,
      "",
      "wait",
      "wait=",
      "wait=-1",
      "wait=1.5",
      "wait=1000000",
      "x=wait=1",
      "wait=1s",
      "until=1",
    ]) {
      expect([header, readPreference(header)]).toEqual([header, null]);
    }
  });
});

describe("Accept", () => {
  it.for([
    ["text/csv", true],
    ["text/csv, application/json", true],
    ["text/csv;q=0.9, application/json;q=0.9", true],
    ["text/csv;q=0.899, application/json;q=0.9", false],
    ["application/json;q=0.5, text/csv;q=1.0", true],
    ["TEXT/CSV; Q=0.5, Application/JSON; Q=0.4", true],
    ["text/csv; header=present; q=0.1, application/json;q=0.2", false],
    ["text/csv;q=0", false],
    ["text/csv;q=0.000", false],
    ["text/csv;q=0.001", true],
    // What is not a quality counts as one.
    ["text/csv;q=1.001, application/json", true],
    ["text/csv;q=0.1234, application/json", true],
    ["text/csv;q=1.0, application/json;q=2", true],
    ["text/csv;quality=0, application/json;q=0.9", true],
    ["text/csvs, */*", false],
  ] as const)("prefers, as %s, a type to JSON: %s", ([header, isPreferred], { expect }) => {
    expect(prefers("text/csv", header)).toBe(isPreferred);
  });
});
