import * as fc from "fast-check";
import { describe, it } from "vitest";
import { isCardNumber, maskCardNo, maskCardNumbers } from "../../src/terminal/card-data.ts";
import { cardNumber, SCHEME_SAMPLES } from "../support/card-numbers.ts";

describe("card numbers in a free text", () => {
  it("are known for every scheme, in its lengths, and are masked to the last four digits", ({ expect }) => {
    for (const [scheme, number] of SCHEME_SAMPLES) {
      const masked = "x".repeat(number.length - 4) + number.slice(-4);
      expect([scheme, isCardNumber(number), maskCardNumbers(`card ${number}.`)]).toEqual([
        scheme,
        true,
        `card ${masked}.`,
      ]);
    }
  });

  it("are masked whatever separates their groups", ({ expect }) => {
    for (const [written, masked] of [
      ["4111 1111 1111 1111", "xxxx xxxx xxxx 1111"],
      ["4111-1111-1111-1111", "xxxx-xxxx-xxxx-1111"],
      ["4111 - 1111 - 1111 - 1111", "xxxx - xxxx - xxxx - 1111"],
      ["4111\u00a01111\u00a01111\u00a01111", "xxxx\u00a0xxxx\u00a0xxxx\u00a01111"],
      ["4111\u20131111\u20131111\u20131111", "xxxx\u2013xxxx\u2013xxxx\u20131111"],
      ["4111\u200b1111\u200b1111\u200b1111", "xxxx\u200bxxxx\u200bxxxx\u200b1111"],
      ["4111.1111.1111.1111", "xxxx.xxxx.xxxx.1111"],
      ["4111/1111/1111/1111", "xxxx/xxxx/xxxx/1111"],
      ["3782 822463 10005", "xxxx xxxxxx x0005"],
      ["3782.822463.10005", "xxxx.xxxxxx.x0005"],
      ["4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "x x x x x x x x x x x x 1 1 1 1"],
      ["41111111 11111111", "xxxxxxxx xxxx1111"],
    ] as const) {
      expect(maskCardNumbers(written)).toBe(masked);
    }
  });

  it("are masked in the digits of every script", ({ expect }) => {
    for (const zero of [0x0660, 0x06f0, 0x0966, 0x0e50, 0xff10, 0x1d7ce, 0x1d7d8]) {
      const written = [..."4111111111111111"].map((digit) => String.fromCodePoint(zero + Number(digit))).join("");
      expect(maskCardNumbers(`<${written}>`)).toBe(`<xxxxxxxxxxxx${[...written].slice(-4).join("")}>`);
    }
  });

  it("are all masked where there are several, beside other numbers, letters and one another", ({ expect }) => {
    for (const [written, masked] of [
      ["4111111111111111 5555555555554444", "xxxxxxxxxxxx1111 xxxxxxxxxxxx4444"],
      ["4111111111111111,378282246310005", "xxxxxxxxxxxx1111,xxxxxxxxxxx0005"],
      ["1234 4111111111111111", "1234 xxxxxxxxxxxx1111"],
      ["table 12 4111 1111 1111 1111 12", "table 12 xxxx xxxx xxxx 1111 12"],
      ["PAN4111111111111111X", "PANxxxxxxxxxxxx1111X"],
      ["4111 1111 1111 1111 4111 1111 1111 1111", "xxxx xxxx xxxx 1111 xxxx xxxx xxxx 1111"],
    ] as const) {
      expect(maskCardNumbers(written)).toBe(masked);
    }
  });

  it("are masked with the expiry and the code that follow them directly", ({ expect }) => {
    expect(maskCardNumbers("41111111111111112812")).toBe("xxxxxxxxxxxx1111xxxx");
    expect(maskCardNumbers("41111111111111111228123")).toBe("xxxxxxxxxxxx1111xxxxxxx");
    expect(maskCardNumbers("37828224631000528121234")).toBe("xxxxxxxxxxx0005xxxxxxxx");
  });

  it("are masked wherever they stand (any scheme, any text around)", ({ expect }) => {
    const around = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll(/\p{Nd}/gu, ""));
    fc.assert(
      fc.property(cardNumber, around, around, (number, before, after) => {
        expect(maskCardNumbers(before + number + after)).not.toContain(number);
      }),
    );
  });
});

describe("digits that are no card number", () => {
  it("stay as they are", ({ expect }) => {
    for (const text of [
      "",
      "4111111111111112", // fails the check digit
      "1234567890123452", // no scheme's range
      "+60 11-1234 5676", // a phone number of twelve digits
      "560203-14-5671", // an identity number that begins with a birthday
      "2026-11-20 14:30:25",
      "12.50 4.99 1000.00",
      "978020137962", // an article number
      "00000000000000000000000000000000",
      "4111.1111,1111.1111",
      "xxxxxxxxxxxx1111",
      "411111111111111112345678901234", // within a longer number
    ]) {
      expect(maskCardNumbers(text)).toBe(text);
    }
  });

  it("stay as they are in numbers of up to eleven or of more than nineteen digits", ({ expect }) => {
    const digits = fc.oneof(
      fc.stringMatching(/^[0-9]{1,11}$/u),
      // Longer ones without an expiry behind a card number: zeros are no month.
      fc.stringMatching(/^[0-9]{16}000[0-9]{3,11}$/u),
    );
    fc.assert(
      fc.property(digits, (text) => {
        expect(maskCardNumbers(text)).toBe(text);
      }),
    );
  });

  it("keep everything but digits of the text, and its length", ({ expect }) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-z .-]{0,128}$/u), (text) => {
        const masked = maskCardNumbers(text);
        expect(masked.replaceAll(/[0-9x]/gu, "#")).toBe(text.replaceAll(/[0-9x]/gu, "#"));
        expect(maskCardNumbers(masked)).toBe(masked);
      }),
    );
  });
});

describe("cardNo", () => {
  it("shows the last four digits and nothing else, whatever was sent", ({ expect }) => {
    for (const [sent, shown] of [
      ["4111111111111111", "xxxxxxxxxxxx1111"],
      ["4111 1111 1111 1111", "xxxxxxxxxxxx1111"],
      ["411111******1111", "xxxxxxxxxxxx1111"],
      ["1111", "1111"],
      ["", ""],
      ["41111111111111ab", "xxxxxxxxxxxx11xx"],
      ["4".repeat(50), `${"x".repeat(28)}4444`],
    ] as const) {
      expect(maskCardNo(sent)).toBe(shown);
    }
  });
});
