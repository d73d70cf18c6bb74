/** What each kind of field takes, what it makes of it, and what it says about anything else. */
import { describe, it } from "vitest";
import * as z from "zod";
import * as fields from "../../../../../src/gateway/http/validation/fields.ts";

const CURRENCY = "Send a three-letter currency code, such as MYR.";
const ZONE = "Send an IANA time zone name, such as Asia/Kuala_Lumpur.";
const DATE = "Send a date as YYYY-MM-DD, such as 2026-11-20.";
const TIME = "Send the time in UTC as YYYYMMDDTHHMMSS or YYYYMMDDHHMMSS.";
const TEXT = "Send a string of 1 to 3 characters.";
const ID = "Send 1 to 3 letters, digits, '.', '_' or '-'.";
const PASSWORD = "Send a password of 2 to 4 characters.";
const ADDRESS = "Send an absolute URL that begins with https:// or http://.";
const ONE_LINE = "Send one line without control characters.";
const LINES = "Send text without control characters other than line feeds.";

interface Kind {
  schema: z.ZodType;
  /** Whether it must be there. */
  isRequired: boolean;
  /** What is sent, and what is made of it. */
  takes: [sent: unknown, taken: unknown][];
  /** What is sent, and what is said about it. */
  refuses: [sent: unknown, message: string][];
}

const same = (...values: unknown[]): [unknown, unknown][] => values.map((value) => [value, value]);
const all = (message: string, ...values: unknown[]): [unknown, string][] => values.map((value) => [value, message]);

const KINDS: Record<string, Kind> = {
  text: {
    schema: fields.textField(3),
    isRequired: true,
    takes: same("a", "😀😀😀", "a b"),
    refuses: [...all(TEXT, "abcd", 5, ["a"]), ["a\nb", ONE_LINE]],
  },
  "text for people on one line": {
    schema: fields.freeTextField(20),
    isRequired: false,
    takes: [...same("", "a"), ["4111111111111111", "xxxxxxxxxxxx1111"]],
    refuses: [
      ...all("Send a string of at most 20 characters.", "a".repeat(21), 5, null, undefined),
      ["a\nb", ONE_LINE],
    ],
  },
  "text for people in lines": {
    schema: fields.freeTextField(3, "lines"),
    isRequired: false,
    takes: same("", "a\nb"),
    refuses: [["a\tb", LINES]],
  },
  name: {
    schema: fields.displayName,
    isRequired: true,
    takes: [
      ["n".repeat(100), "n".repeat(100)],
      ["4111111111111111", "xxxxxxxxxxxx1111"],
    ],
    refuses: all("Send a string of 1 to 100 characters.", "n".repeat(101)),
  },
  identifier: {
    schema: fields.identifier(3),
    isRequired: true,
    takes: same("a", "A-9", "_.-", "...", "a.."),
    refuses: [...all(ID, "abcd", "a b", "ä", 5), ...all("Send more than one or two dots.", ".", "..")],
  },
  currency: {
    schema: fields.currencyCode,
    isRequired: true,
    takes: [
      ["myr", "MYR"],
      ["JPY", "JPY"],
    ],
    refuses: all(CURRENCY, "RM", "MYRR", "MY1", 5),
  },
  "currency to sell in": {
    schema: fields.amountCurrency,
    isRequired: true,
    takes: [["eur", "EUR"]],
    refuses: all(
      "This currency does not have two decimals, which all amounts of the interface have. Send another one, such as MYR.",
      ..."bif CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF BHD IQD JOD KWD LYD OMR TND CLF UYW".split(
        " ",
      ),
    ),
  },
  "time zone": {
    schema: fields.timeZoneName,
    isRequired: true,
    takes: same("UTC", "Asia/Kuala_Lumpur"),
    refuses: all(ZONE, "Mars", "+08:00", 8),
  },
  date: {
    schema: fields.date,
    isRequired: true,
    takes: same("2026-11-20", "2024-02-29", "2000-01-01", "2999-12-31"),
    refuses: all(DATE, "2026-02-29", "2026-13-01", "1999-12-31", "2026-11-20T00:00", "2026-1-1", 2026),
  },
  "signed time": {
    schema: fields.signedTime,
    isRequired: true,
    takes: [
      ["20261120T021500", Date.UTC(2026, 10, 20, 2, 15)],
      ["20261120021500", Date.UTC(2026, 10, 20, 2, 15)],
    ],
    refuses: all(TIME, "20261320T021500", "2026-11-20T02:15:00", 20_261_120_021_500),
  },
  signature: {
    schema: fields.requestSignature,
    isRequired: false,
    takes: same("", "not hexadecimal"),
    refuses: all("Sign the request. Send 64 hexadecimal digits.", undefined, null, 5),
  },
  "zero or one": {
    schema: fields.zeroOrOne,
    isRequired: true,
    takes: [...same(0, 1), ["0", 0], ["1", 1]],
    refuses: all("Send 0 or 1.", 2, "2", true, "01"),
  },
  password: {
    schema: fields.password(2, 4),
    isRequired: true,
    takes: [
      ["ab", "ab"],
      ["😀😀😀😀", "😀😀😀😀"],
      ["e\u0301e\u0301e\u0301e\u0301", "éééé"],
    ],
    refuses: all(PASSWORD, "a", "e\u0301", "abcde", 5),
  },
  "web address": {
    schema: fields.webAddress,
    isRequired: true,
    takes: same("https://logos.test/a.png", "HTTP://x.test", `https://x.test/${"a".repeat(2_033)}`),
    refuses: [
      ...all(ADDRESS, "javascript:alert(1)", "//x.test/", "https://", 5),
      [`https://x.test/${"a".repeat(2_034)}`, "Send a URL of at most 2048 characters."],
      ["https://x.test/\na", ONE_LINE],
    ],
  },
  "optional field": {
    schema: fields.optionalField(fields.textField(3)),
    isRequired: false,
    takes: [...same("a"), ["", undefined], [null, undefined], [undefined, undefined]],
    refuses: all(TEXT, "abcd", 5),
  },
  "field that can be removed": {
    schema: fields.removable(fields.textField(3)),
    isRequired: false,
    takes: [...same("a", undefined), ["", null], [null, null]],
    refuses: all(TEXT, "abcd", 5),
  },
};

describe.for(Object.entries(KINDS))("a %s", ([, { schema, isRequired, takes, refuses }]) => {
  it("takes what it is for", ({ expect }) => {
    for (const [sent, taken] of takes)
      expect([sent, schema.safeParse(sent)]).toEqual([sent, { success: true, data: taken }]);
  });

  it("refuses anything else, and names first what to send", ({ expect }) => {
    for (const [sent, message] of refuses) {
      expect([sent, schema.safeParse(sent).error?.issues[0]?.message]).toEqual([sent, message]);
    }
  });

  it("is reported as required if missing, null or empty", ({ expect }) => {
    for (const nothing of [undefined, null, ""]) {
      const said = schema.safeParse(nothing).error?.issues[0]?.message ?? "";
      expect(said.startsWith("This field is required. Send ")).toBe(isRequired);
    }
  });
});

describe("a missing value", () => {
  it("is undefined, null or the empty text", ({ expect }) => {
    expect(["", null, undefined, 0, false, " "].map(fields.isAbsent)).toEqual([true, true, true, false, false, false]);
  });
});

describe("a schema", () => {
  it("is recognized as accepting empty values, or not", ({ expect }) => {
    const schemas = [fields.optionalField(z.string()), fields.removable(z.string()), z.string().optional()];
    expect(schemas.map(fields.acceptsEmpty)).toEqual([true, true, false]);
  });
});
