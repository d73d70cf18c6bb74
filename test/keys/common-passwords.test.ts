import { describe, it } from "vitest";
import { isCommonPassword } from "../../src/keys/common-passwords.ts";
import { randomKey } from "../../src/keys/sealing.ts";

describe("a common password", () => {
  it.for([
    [
      "one character again and again",
      ["aaaaaaaaaaaa", "............", "😀".repeat(12), "abababababab", "aabababbbaab"],
    ],
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

  it("is every word that many choose, with what people put around it", ({ expect }) => {
    const words =
      "password passphrase changeme welcome admin supervisor till merchant qwertz zxcvbn iloveyou football jennifer " +
      "trustno summer indonesia thequickbrownfox";
    for (const word of words.split(" ")) {
      const chosen = [`${word.toUpperCase()}2026!!!!!`, `1234-${word}-${word}`];
      expect([word, ...chosen.map((password) => isCommonPassword(password))]).toEqual([word, true, true]);
    }
  });

  it("is a word with digits and marks that look like its letters", ({ expect }) => {
    const written = "f00tball adm1n s3cret b4tman pa5sword mas7er foot8all p@ssword pa$$word adm!n";
    for (const word of written.split(" ")) expect([word, isCommonPassword(`${word}_2026`)]).toEqual([word, true]);
    expect(isCommonPassword("p2ssword_2026")).toBe(false);
  });

  it("is a row of keys in any order in which people type them, from either end", ({ expect }) => {
    const rows =
      "opqrstuvwxyz sdfghjklzxcv zuiopasdfghj 5tgb6yhn7ujm edcrfvtgbyhn 5t6y7u8i9o0p r4t5y6u7i8o9 wsxcde34rfvb erasdfzxcv";
    for (const row of rows.split(" ")) {
      const backwards = [...row].toReversed().join("");
      expect([row, isCommonPassword(row), isCommonPassword(backwards)]).toEqual([row, true, true]);
    }
  });

  it("is the account's own name, with digits and marks", ({ expect }) => {
    for (const password of ["Bakery-Penang", "bakery-penang-2026!", "BAKERY-PENANGbakery-penang"]) {
      expect(isCommonPassword(password, "bakery-penang")).toBe(true);
      expect(isCommonPassword(password)).toBe(false);
    }
    expect(isCommonPassword("bakery-penang has a red door", "bakery-penang")).toBe(false);
  });

  it("is neither a generated password nor a few uncommon words", ({ expect }) => {
    for (let time = 0; time < 1_000; time++) expect(isCommonPassword(randomKey(), "pos-1")).toBe(false);
    for (const password of [
      "correct horse battery",
      "a password of some length",
      "my till in Ipoh 7",
      "café au lait, twice",
      "xqzzqxxzqqzx",
      "#9%&!(7)=?^~",
    ])
      expect([password, isCommonPassword(password, "pos-1")]).toEqual([password, false]);
  });
});
