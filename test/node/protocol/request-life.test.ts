import { describe, it } from "vitest";
import { requestLife } from "../../../src/protocol/limits.ts";

describe("the life of a request", () => {
  it.for([
    ["90", 90],
    ["40", 40],
    ["39", 40],
    ["999999", 999_999],
    ["1000000", 90],
    ["", 90],
    ["90s", 90],
    ["x90", 90],
  ] as const)("is, configured as %j, %i s", ([configured, seconds], { expect }) => {
    expect(requestLife(configured)).toBe(seconds * 1_000);
  });
});
