import * as fc from "fast-check";
import { describe, it } from "vitest";
import {
  ACTIVATION_CODE_FORM,
  BIND_KEY_FORM,
  codeDigest,
  codeDigests,
  drawCode,
  readCode,
} from "../../../../src/gateway/secrets/short-codes.ts";
import { keysFrom } from "../../../support/master-keys.ts";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

describe("bind keys", () => {
  it("use every character of the alphabet and no other", ({ expect }) => {
    const seen = new Set(Array.from({ length: 500 }, () => drawCode(BIND_KEY_FORM)).flatMap((key) => Array.from(key)));
    expect([...seen].toSorted().join("")).toBe(ALPHABET);
  });

  it("read the same however they are typed", ({ expect }) => {
    const key = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(key, fc.infiniteStream(fc.nat(5)), (written, choices) => {
        const typed = Array.from(written, (character) => {
          const { value: choice } = choices.next();
          if (choice === 0) return `${character}-`;
          if (choice === 1 && character === "0") return "o";
          if (choice === 1 && character === "1") return "i";
          if (choice === 2 && character === "1") return "L";
          return choice === 3 ? character.toLowerCase() : character;
        }).join("");
        expect(readCode(BIND_KEY_FORM, typed)).toBe(written);
      }),
    );
  });

  it("are not read from texts with another length or other characters", ({ expect }) => {
    for (const typed of [
      "",
      "1234567",
      "123456789",
      "1234567U",
      "1234 678",
      "1234567ß",
      "123456ß",
      "１２３４５６７８",
    ]) {
      expect(readCode(BIND_KEY_FORM, typed)).toBeNull();
    }
  });

  it("have one digest per master key, which reveals nothing without that key", ({ expect }) => {
    const one = `one:${btoa("a".repeat(32))}`;
    const keys = keysFrom(`${one},two:${btoa("b".repeat(32))}`);
    const digests = codeDigests(BIND_KEY_FORM, keys, "00000000");
    expect(digests).toHaveLength(2);
    expect(new Set(digests).size).toBe(2);
    expect(digests[0]).toBe(codeDigest(BIND_KEY_FORM, keys.current, "00000000"));
    // What is stored must be found by every later version.
    expect(digests[0]).toBe("JdsUz9jxgJDf8RqK3wKwPhF6M27DFt937ErPhandFy4");
  });
});

describe("activation codes", () => {
  it("have twelve characters, which may be typed in groups", ({ expect }) => {
    expect(drawCode(ACTIVATION_CODE_FORM)).toMatch(/^[0-9A-HJKMNP-TV-Z]{12}$/);
    expect(readCode(ACTIVATION_CODE_FORM, "7k3q-9zxm-d4ta")).toBe("7K3Q9ZXMD4TA");
    expect(readCode(ACTIVATION_CODE_FORM, "7K3Q-9ZXM")).toBeNull();
  });

  it("have another digest than a bind key of the same characters", ({ expect }) => {
    const keys = keysFrom(`one:${btoa("a".repeat(32))}`);
    expect(codeDigest(ACTIVATION_CODE_FORM, keys.current, "0000")).not.toBe(
      codeDigest(BIND_KEY_FORM, keys.current, "0000"),
    );
  });
});
