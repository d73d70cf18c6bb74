/** The filters of the operator's lists, as scripts, the page and the contract have them. */
import { describe, it } from "vitest";
import { filterShape } from "../../../src/gateway/http/operator/filters.ts";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  type Filters,
  SEARCH_FILTERS,
  SHOP_FILTERS,
  STATISTICS_FILTERS,
  TERMINAL_FILTERS,
  PENDING_FILTERS,
} from "../../../src/protocol/operator-filters.ts";

const LISTS: readonly (readonly [list: string, filters: Filters])[] = [
  ["terminals", TERMINAL_FILTERS],
  ["accounts", ACCOUNT_FILTERS],
  ["shops", SHOP_FILTERS],
  ["the audit log", AUDIT_FILTERS],
  ["statistics", STATISTICS_FILTERS],
  ["a search for payments", SEARCH_FILTERS],
  ["pending payments", PENDING_FILTERS],
];

describe.for(LISTS)("the filters of %s", ([, filters]) => {
  const all = Object.entries(filters);

  it("accept their own examples, and are not filtered by an empty text", ({ expect }) => {
    const shape = filterShape(filters);
    for (const [name, { kind, example }] of all) {
      expect([name, example === undefined]).toEqual([name, kind === "time"]);
      const value = example ?? "2026-11-20T10:15:00Z";
      expect([name, shape[name]?.safeParse(value).data]).toEqual([name, expect.anything()]);
      expect([name, shape[name]?.safeParse("")]).toEqual([name, { success: true, data: undefined }]);
    }
  });
});

describe("a value that a filter does not accept", () => {
  const schemas = filterShape({
    ...TERMINAL_FILTERS,
    ...AUDIT_FILTERS,
    ...STATISTICS_FILTERS,
    ...SEARCH_FILTERS,
    accountStatus: ACCOUNT_FILTERS.status,
  });
  it.for([
    ["status", "gone", "Send enrolled or retired."],
    ["accountStatus", "gone", "Send active, suspended or deleted."],
    ["by", "week", "Send one of hour, day, account, responseCode."],
    ["action", "x", /^Send one of account\.create, account\.change, .*, operator\.refused\.$/u],
    ["bound", "yes", "Send true or false."],
    ["amount", "12.5", 'Send an amount with two decimals, such as "12.50".'],
    ["cardLastFour", "12345", "Send the last four digits of the card number, never more."],
    ["from", "2026-11-20", /^Send a time as ISO 8601 with Z or an offset/u],
    ["from", "2026-11-20T10:15:00", /^Send a time as ISO 8601 with Z or an offset/u],
    ["terminalId", "a b", /^Send 1 to 100 letters, digits/u],
    ["name", "x".repeat(101), "Send a string of 1 to 100 characters."],
  ] as const)("is refused with what to send: %s=%s", ([name, value, words], { expect }) => {
    const said = schemas[name].safeParse(value).error?.issues.map(({ message }) => message);
    expect(said).toEqual([typeof words === "string" ? words : expect.stringMatching(words)]);
  });

  it("is read as true or false for flags, as instants for times", ({ expect }) => {
    expect([schemas.bound.parse("true"), schemas.bound.parse("false")]).toEqual([true, false]);
    expect(schemas.from.parse("2026-11-20T18:15:00.5+08:00")).toBe(Date.UTC(2026, 10, 20, 10, 15, 0, 500));
  });
});
