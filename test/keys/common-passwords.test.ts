import { describe, it } from "vitest";
import { isCommonPassword } from "../../src/keys/common-passwords.ts";
import { randomKey } from "../../src/keys/sealing.ts";

describe("a common password", () => {
  it.for([
    ["one character again and again", ["aaaaaaaaaaaa", "............", "😀".repeat(12), "abababababab"]],
    ["a piece again and again", ["abc1abc1abc1", "x9!x9!x9!x9!", "hunter2hunter2hunter2"]],
    ["digits alone", ["123456789012", "201120262011", "+60 12-345 6789 12".slice(1), "000000000001"]],
    ["keys beside each other", ["qwertyuiopas", "abcdefghijkl", "lkjihgfedcba", "1qaz2wsx3edc", "1q2w3e4r5t6y"]],
    [
      "words with digits and marks",
      ["Password1234", "P@ssw0rd2026!", "passwordpassword", "Welcome2026!!", "qwerty123456"],
    ],
    ["several words", ["admin-terminal-1", "letmein letmein", "ILoveYouForever", "correct horse battery staple"]],
  ] as const)("is %s", ([, passwords], { expect }) => {
    for (const password of passwords) expect([password, isCommonPassword(password)]).toEqual([password, true]);
  });

  it("is the account's own name, with digits and marks", ({ expect }) => {
    for (const password of ["Bakery-Penang", "bakery-penang-2026!", "BAKERY-PENANGbakery-penang"]) {
      expect(isCommonPassword(password, "bakery-penang")).toBe(true);
      expect(isCommonPassword(password)).toBe(false);
    }
  });

  it("is neither a generated password nor a few uncommon words", ({ expect }) => {
    for (let time = 0; time < 1_000; time++) expect(isCommonPassword(randomKey(), "pos-1")).toBe(false);
    for (const password of [
      "correct horse battery",
      "a password of some length",
      "my till in Ipoh 7",
      "café au lait, twice",
    ])
      expect([password, isCommonPassword(password, "pos-1")]).toEqual([password, false]);
  });
});
