import { describe, it } from "vitest";
import { BoundedMap } from "../../../../src/gateway/lib/bounded-map.ts";

describe("a map with a bound", () => {
  it("drops its oldest entry for a new key, not a new value", ({ expect }) => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("b", 3);
    expect([map.get("a"), map.get("b")]).toEqual([1, 3]);
    map.set("c", 4);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 3, 4]);
  });
});
