import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize, signedForm } from "../../../../src/protocol/signing/canonical.ts";
import type { JsonObject, JsonValue } from "../../../../src/protocol/signing/json.ts";
import { jsonValues, parsed, parsedObject } from "./json-values.ts";
import { vectors } from "../../../support/protocol/signing/vectors.json";

function untyped(value: unknown): JsonValue {
  // The assertion: what the types forbid is what is tried
  return value as JsonValue;
}

/** The same value with the members of every object in the reverse order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("the canonical form", () => {
  it.each(vectors)("equals another implementation's for the vector “$name”", ({ body, canonical }) => {
    expect(signedForm(body as JsonObject)).toBe(canonical);
  });

  it("sorts names by UTF-16 code units, as RFC 8785 does", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const sorted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"];
    const canonical = canonicalize(Object.fromEntries(names.map((name) => [name, 0])));
    expect(canonical).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`);
  });

  it("sorts names that look like numbers as texts", () => {
    expect(canonicalize({ 10: 1, 9: 2, 1: 3 })).toBe('{"1":3,"10":1,"9":2}');
    for (const digit of "0123456789") {
      expect(canonicalize({ [digit]: [{ [digit]: 1, "!": 2 }], "!": 3, ":": 4 })).toBe(
        `{"!":3,"${digit}":[{"!":2,"${digit}":1}],":":4}`,
      );
    }
  });

  it("escapes what RFC 8785 3.2.2.2 escapes, and nothing else", () => {
    expect(canonicalize('\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028')).toBe(
      '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"',
    );
  });

  it("leaves out undefined members, as what is sent leaves them out", () => {
    expect(canonicalize(untyped({ a: 1, b: undefined }))).toBe('{"a":1}');
    expect(canonicalize(untyped({ b: undefined }))).toBe("{}");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n])("is refused for %s", (value) => {
    expect(() => canonicalize(untyped([value]))).toThrow(TypeError);
  });

  it("means the same value as the text it was made from", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const again = parsed(canonicalize(value));
        expect(canonicalize(again)).toBe(canonicalize(value));
        expect(sortedPaths(again)).toEqual(sortedPaths(value));
      }),
    );
  });

  it("does not depend on the order of members", () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(canonicalize(reversed(value))).toBe(canonicalize(value));
      }),
    );
  });

  it("differs for different values", () => {
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (one, other) => {
        const same = canonicalize(one) === canonicalize(other);
        expect(same).toBe(JSON.stringify(sortedPaths(one)) === JSON.stringify(sortedPaths(other)));
      }),
    );
  });
});

/** A value as the sorted list of its leaves and of the ways to them: another normal form, to compare with. */
function sortedPaths(value: JsonValue, path: string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify([path, value])];
  const kind = Array.isArray(value) ? "array" : "object";
  const members = Object.entries(value).flatMap(([name, member]) => sortedPaths(member, [...path, kind, name]));
  return [JSON.stringify([path, kind]), ...members].toSorted();
}

describe("the signed form", () => {
  it("leaves out the signature of the message, and only that", () => {
    expect(signedForm({ b: 1, signature: "x", a: { signature: "kept" } })).toBe('{"a":{"signature":"kept"},"b":1}');
    expect(canonicalize({ signature: "x" })).toBe('{"signature":"x"}');
  });

  it("covers a member called __proto__, and leaves out the signature beside it", () => {
    const named = '{"b":1,"signature":"x","__proto__":{"x":1}}';
    expect(signedForm(parsedObject(named))).toBe('{"__proto__":{"x":1},"b":1}');
    expect(canonicalize(parsed('{"__proto__":[1]}'))).toBe('{"__proto__":[1]}');
  });
});
