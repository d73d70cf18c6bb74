import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME_BYTES, JSON_DEPTH, JSON_PROBLEMS } from "../../../../src/protocol/limits.ts";
import { decodeUtf8, parseJson } from "../../../../src/protocol/signing/json.ts";
import { anyText } from "../../../support/any-text.ts";
import { jsonValues, parsed, parsedObject } from "./json-values.ts";

function pathsRefused(text: string): string[] {
  const result = parseJson(text);
  return result.ok ? [] : result.error.map((problem) => problem.path);
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("numbers", () => {
  it.each([
    ["0", 0],
    ["2", 2],
    ["-7", -7],
    ["1000000001", 1_000_000_001],
    ["999999999999999", 999_999_999_999_999],
    ["-999999999999999", -999_999_999_999_999],
  ])("accepts the integer %s", (text, value) => {
    expect(parseJson(`{"n":${text}}`)).toEqual({ ok: true, value: { n: value } });
  });

  const refused =
    "2.0 2.5 2e0 2E0 2e2 2e-1 2e+1 -0 -0.0 0e1 1000000000000000 -1000000000000000 999999999999999.0 1e400".split(" ");
  it.each(refused)("refuses %s, which languages write back in different ways", (text) => {
    expect(pathsRefused(`{"n":${text}}`)).toEqual(["n"]);
    expect(pathsRefused(`[${text}]`)).toEqual(["0"]);
    expect(pathsRefused(text)).toEqual([""]);
  });

  it.each(["2.0", "2.5", "2e0", "-0", "1000000000000000"])("accepts %s in a message without a signature", (text) => {
    for (const written of [`{"n":${text}}`, `{"n":${text},"t":"\\u0061"}`]) {
      expect(parseJson(written, "any")).toEqual({ ok: true, value: JSON.parse(written) });
    }
    const wrong = parseJson(`{"t":${text},"n":"\\ud83d"}`, "any");
    expect(wrong).toMatchObject({ ok: false, error: [{ path: "n" }] });
  });

  it("names the dotted path of each number that it refuses", () => {
    const text = '{"transData":{"printCount":2.0},"list":[1,2,3,{"name":-0}],"fine":2}';
    expect(pathsRefused(text)).toEqual(["transData.printCount", "list.3.name"]);
  });
});

describe("texts", () => {
  it("accepts surrogate pairs, escaped or not", () => {
    expect(parsed('["😂","\\ud83d\\ude02"]')).toEqual(["😂", "😂"]);
  });

  it("refuses lone surrogates in texts, escaped or not", () => {
    expect(pathsRefused('{"note":"a\\ud83d"}')).toEqual(["note"]);
    expect(pathsRefused('{"note":"\\ude02\\ud83d"}')).toEqual(["note"]);
    expect(pathsRefused('{"note":"\ud83d"}')).toEqual(["note"]);
    expect(pathsRefused('"\\udc00"')).toEqual([""]);
  });

  it("refuses lone surrogates in names, with a path that can be written", () => {
    expect(pathsRefused('{"a":{"\\ud83d":1}}')).toEqual(["a.\ufffd"]);
  });
});

describe("nesting", () => {
  it("accepts nesting up to the limit, and refuses deeper nesting", () => {
    expect(parseJson(nested(JSON_DEPTH)).ok).toBe(true);
    expect(pathsRefused(nested(JSON_DEPTH + 1))).toEqual([""]);
    expect(parseJson('{"a":'.repeat(JSON_DEPTH) + "1" + "}".repeat(JSON_DEPTH)).ok).toBe(true);
    expect(pathsRefused('{"a":'.repeat(JSON_DEPTH + 1) + "1" + "}".repeat(JSON_DEPTH + 1))).toEqual([""]);
  });

  it("counts depth, not brackets, nor brackets within texts", () => {
    for (const element of ["[[]]", '{"a":{}}', "[1]", "[12]"]) {
      expect(parseJson(`[${Array(100).fill(element).join(",")}]`).ok).toBe(true);
    }
    expect(parsed(`["${"[".repeat(100)}\\"${"{".repeat(100)}\\\\"]`)).toHaveLength(1);
    for (const before of ['""', '"","\\n",""']) {
      expect(pathsRefused(`[${before},${nested(JSON_DEPTH)}]`)).toEqual([""]);
    }
  });

  it.each(["[", '{"a":', '[{"a":', "]", '"[', '"\\'])("survives a frame full of %s", (piece) => {
    const text = piece.repeat(Math.floor(FRAME_BYTES / piece.length));
    expect(pathsRefused(text)).toEqual([""]);
  });
});

describe("members", () => {
  it("takes the last value of a repeated name", () => {
    expect(parsedObject('{"a":1,"\\u0061":2}')).toEqual({ a: 2 });
    expect(parsedObject('{"a":{"b":1},"a":{"b":1,"b":2}}')).toEqual({ a: { b: 2 } });
  });

  it("accepts the same name in different objects", () => {
    const text = '{"a":{"a":[{"a":"\\"a\\":1"},{"a":":"}]},"b":"a","c:":"\\\\"}';
    expect(parsed(text)).toEqual({ a: { a: [{ a: '"a":1' }, { a: ":" }] }, b: "a", "c:": "\\" });
  });

  it("keeps a member called __proto__ as a member, which changes nothing else", () => {
    const value = parsedObject('{"__proto__":{"admin":1},"list":[]}');
    expect(Object.keys(value)).toEqual(["__proto__", "list"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value["admin"]).toBeUndefined();
    expect("admin" in {}).toBe(false);
    expect(pathsRefused('{"__proto__":{"x":1.5}}')).toEqual(["__proto__.x"]);
  });
});

describe("problems", () => {
  it.each(["", " ", "{", "nul", "[1,]", '{"a":1}x', "{'a':1}", '"\u0001"', "01", "NaN"])("refuses %j", (text) => {
    expect(pathsRefused(text)).toEqual([""]);
  });

  it("quote no part of the text, which may hold a password", () => {
    const result = parseJson('{"posId":"POS-0001","password":hunter2}');
    expect(JSON.stringify(result)).not.toMatch(/hunter2|POS-0001/);
  });

  it("are limited to a useful number, with short paths", () => {
    expect(pathsRefused(`[${Array(1000).fill("0.5").join(",")}]`)).toHaveLength(JSON_PROBLEMS);
    const pathOf = (name: string): string[] => pathsRefused(`{"${name}":0.5}`);
    expect([64, 65].map((length) => pathOf("n".repeat(length)))).toEqual([["n".repeat(64)], [`${"n".repeat(64)}…`]]);
  });

  it("name every kind of error at once", () => {
    const paths = pathsRefused('{"n":1.0,"t":"\\ud800","\\udfff":null}');
    expect(new Set(paths)).toEqual(new Set(["n", "t", "\ufffd"]));
  });
});

/** A piece of JSON text, and whether it may stand in a message. */
interface Written {
  text: string;
  fine: boolean;
}
/** Mostly a valid one. */
function choose(fine: string[], wrong: string[]): fc.Arbitrary<Written> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fine).map((text) => ({ text, fine: true })) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong).map((text) => ({ text, fine: false })) },
  );
}

describe("any text", () => {
  it("is accepted if each of its numbers, strings and names is valid", () => {
    const names = choose(
      ["a", "b", "true", "1.5", "-0", "e", "1e5", "__proto__", 'n\\"', "\\u0063", "\\n", "12345678901234567890", "{:"],
      ["\\ud83d", "\\ude02x", "\ud83d"],
    );
    const numbers = choose(
      ["0", "7", "-7", "10", "-10", "100000000000000", "-999999999999999"],
      ["0.5", "1.0", "-0", "-0.1", "1e5", "1E5", "1e+5", "0e0", "1000000000000000", "-1234567890123456789"],
    );
    const leaf = fc.oneof(
      numbers,
      names.map(({ text, fine }) => ({ text: `"${text}"`, fine })),
      fc.constantFrom("true", "false", "null", "[]", "{}").map((text) => ({ text, fine: true })),
    );
    const value = fc.letrec<{ value: Written }>((tie) => ({
      value: fc.oneof(
        { weight: 3, arbitrary: leaf },
        {
          weight: 1,
          arbitrary: fc.array(tie("value"), { maxLength: 4 }).map((elements) => ({
            text: `[${elements.map(({ text }) => text).join(" , ")}]`,
            fine: elements.every(({ fine }) => fine),
          })),
        },
        {
          weight: 1,
          arbitrary: fc
            .uniqueArray(fc.tuple(names, tie("value")), { maxLength: 4, selector: ([name]) => name.text })
            .map((members) => ({
              text: `{${members.map(([name, { text }]) => `"${name.text}": ${text}`).join(",")}}`,
              fine: members.every(([name, member]) => name.fine && member.fine),
            })),
        },
      ),
    })).value;
    fc.assert(
      fc.property(value, ({ text, fine }) => {
        const result = parseJson(text);
        expect([text, result.ok]).toEqual([text, fine]);
        if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });

  it("is parsed to the value that it encodes, whatever white space", () => {
    fc.assert(
      fc.property(jsonValues(), fc.constantFrom(0, 2), (value, indentation) => {
        const text = JSON.stringify(value, null, indentation);
        expect(JSON.stringify(parsed(text))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("never throws, and agrees with JSON.parse on what it accepts", () => {
    const piece = fc.constantFrom("[", "]", "{", "}", ":", ",", '"', "\\", '"a"', '"\\u0061"', "1", "-0", "2.0", " ");
    const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    const anything = fc.oneof(soup, anyText(), fc.json());
    fc.assert(
      fc.property(anything, (text) => {
        const result = parseJson(text);
        if (result.ok) expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)));
        else expect(result.error).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

function bytes(...values: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(values);
}

describe("decodeUtf8", () => {
  it("decodes UTF-8, and drops a byte order mark", () => {
    expect(decodeUtf8(new TextEncoder().encode("Straße 😂"))).toBe("Straße 😂");
    expect(decodeUtf8(bytes(0x7b, 0x7d).buffer)).toBe("{}");
    expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBe("{}");
  });

  it.each([
    ["a lone continuation byte", bytes(0x22, 0x80, 0x22)],
    ["an overlong form", bytes(0xc0, 0xaf)],
    ["a surrogate", bytes(0xed, 0xa0, 0x80)],
    ["a text that ends too early", bytes(0xf0, 0x9f, 0x98)],
    ["Latin-1", bytes(0x63, 0x61, 0x66, 0xe9)],
  ])("returns null for %s, and keeps working afterwards", (_, invalid) => {
    expect(decodeUtf8(invalid)).toBeNull();
    expect(decodeUtf8(bytes(0x31))).toBe("1");
  });
});
