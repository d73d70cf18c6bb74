/** The filters of the operator's lists, as scripts, the page and the contract have them. */
import { describe, it } from "vitest";
import { filterShape } from "../../../src/gateway/http/operator/filters.ts";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  type Filter,
  type Filters,
  SEARCH_FILTERS,
  SHOP_FILTERS,
  STATISTICS_FILTERS,
  TERMINAL_FILTERS,
  PENDING_FILTERS,
} from "../../../src/protocol/operator-filters.ts";

const LISTS: readonly (readonly [list: string, filters: Filters, flags: string, fields: string])[] = [
  [
    "terminals",
    TERMINAL_FILTERS,
    "terminalId… --id, posId… --pos, name… --name, boundTo --bound, merchantId --merchant, shop --shop, bound, " +
      "connected, status --status, offlineSince --since",
    "boundTo: `Account`?, shop: `Shop`?, bound: Binding (Bound, Not bound)",
  ],
  [
    "accounts",
    ACCOUNT_FILTERS,
    "posId… --pos, name… --name, merchantId --merchant, status --status",
    "merchantId: `Merchant id`?",
  ],
  ["shops", SHOP_FILTERS, "merchantId… --merchant, name… --name", "merchantId: `Merchant id`?, name: Name?"],
  [
    "the audit log",
    AUDIT_FILTERS,
    "actor… --actor, target… --target, action --action, from --since, to --until",
    "actor: Actor?, target: `Target`?, action: Action, from: From, to: To",
  ],
  [
    "pending transactions",
    PENDING_FILTERS,
    "posId --pos, terminalId --id, before --until, conflict",
    "posId: `Account`?, terminalId: `Terminal`?, conflict: Kind (Conflicting results, Not known yet)",
  ],
  [
    "statistics",
    STATISTICS_FILTERS,
    "from --since, to --until, by --by, posId --pos, shop --shop, terminalId --id",
    "from: From, to: To, posId: `Account`?, shop: `Shop`?",
  ],
  [
    "the search",
    SEARCH_FILTERS,
    "referenceId…, amount --amount, cardLastFour --card, terminalId --id, posId --pos, merchantId --merchant, " +
      "from --since, to --until",
    "amount: Amount?, cardLastFour: `Card`?, terminalId: `Terminal`?, posId: `Account`?, from: From, to: To",
  ],
];

/** With an ellipsis: takes any text, such as the beginning of an id. */
function flagOf([name, filter]: [string, Filter]): string {
  const takesText = filterShape({ of: filter }).of.safeParse("a b").success;
  return `${name}${takesText ? "…" : ""}${filter.flag === undefined ? "" : ` --${filter.flag}`}`;
}

/** In quotes: written like code. With a question mark: explained by a sentence. */
function fieldOf([name, { field }]: [string, Filter]): string[] {
  if (field === undefined) return [];
  const { label, hint, mono, options } = field;
  const words = options === undefined ? "" : ` (${[options["true"], options["false"]].join(", ")})`;
  return [`${name}: ${mono === true ? `\`${label}\`` : label}${hint?.endsWith(".") === true ? "?" : ""}${words}`];
}

describe.for(LISTS)("the filters of %s", ([, filters, flags, fields]) => {
  const all = Object.entries(filters);

  it("have the names and flags of scripts, and the page's fields", ({ expect }) => {
    expect(all.map(flagOf).join(", ")).toBe(flags);
    expect(all.flatMap(fieldOf).join(", ")).toBe(fields);
  });

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
