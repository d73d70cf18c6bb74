/** Records that objects keep for a year are stored without the names of their members. Their own tests hold the layouts. */
import { describe, it } from "vitest";
import { Positional } from "../../src/objects/storage/positional.ts";

const LAYOUT = ["name", ["amounts", ["sale", "cash"]], "last"] as const;

describe("a record without names", () => {
  const stored = new Positional<object>(LAYOUT);

  it.for([
    [{}, "1[7]"],
    [{ name: "a", amounts: { sale: 1, cash: null }, last: [0] }, '1[0,"a",[0,1],[0]]'],
    [{ name: "a", amounts: { sale: null, cash: null }, last: null }, '1[0,"a",[0]]'],
    [{ amounts: { cash: "" }, last: {} }, '1[1,[1,""],{}]'],
    [
      { name: undefined, amounts: null, last: "\uFEFF💳\uD83D\u0000\u2028" },
      '1[1,null,"\uFEFF💳\\ud83d\\u0000\u2028"]',
    ],
    [{ name: "a", amounts: { sale: 1, other: 2 } }, '1[4,"a",{"sale":1,"other":2}]'],
    [{ name: "a", other: 1 }, '1{"name":"a","other":1}'],
  ] as const)("%j is stored as %s, and has the same members when it is read", ([record, text], { expect }) => {
    expect(stored.pack(record)).toBe(text);
    expect(JSON.parse(JSON.stringify(stored.unpack(text)))).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it("has its members in the order of the layout", ({ expect }) => {
    expect(JSON.stringify(stored.unpack(stored.pack({ last: 2, name: 1 })))).toBe('{"name":1,"last":2}');
  });

  it("is readable by code with a newer layout, and refused by code with an older one", ({ expect }) => {
    const newer = new Positional<object>(LAYOUT, ["new", ...LAYOUT]);
    expect(newer.unpack(stored.pack({ name: "a" }))).toEqual({ name: "a" });
    const text = newer.pack({ new: true, name: "a" });
    expect(text).toBe('2[12,true,"a"]');
    expect(newer.unpack(text)).toEqual({ new: true, name: "a" });
    expect(() => stored.unpack(text)).toThrow("a stored record has an unknown layout");
    expect(() => stored.unpack("{}")).toThrow("a stored record has an unknown layout");
  });
});
