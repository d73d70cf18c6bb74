/**
 * The filters of the operator's lists, declared once: for the validation and contract of the query, the command line's
 * flags, and the form of the operator's page. `src/gateway/d1` has the condition of each.
 */
import { AUDIT_ACTIONS } from "./audit-actions.ts";
import {
  AUDIT_NAME_LENGTH,
  MERCHANT_ID_LENGTH,
  NAME_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  TRANSFER_LENGTHS,
} from "./lengths.ts";
import { STATISTICS_BY } from "./statistics.ts";
import { AMOUNT, LAST_FOUR } from "./transactions.ts";

/** How the operator's page shows a filter. */
interface FilterLabel {
  label: string;
  hint?: string;
  /** Shows codes and identifiers in one width. */
  mono?: boolean;
  /** Words for the values, if they are few enough to show all. */
  options?: Readonly<Record<string, string>>;
}

/** `text` matches the whole or the beginning, `flag` is true or false, and `must` says what a value must be. */
type Kind =
  | { kind: "text" | "id"; length: number }
  | { kind: "pattern"; pattern: RegExp; must: string }
  | { kind: "choice"; of: readonly string[] }
  | { kind: "flag" }
  | { kind: "time" };

export type Filter = Kind & {
  /** The contract's description. */
  words: string;
  /** In the contract; a time has its own example. */
  example?: string;
  /** The option of the command line. */
  flag?: string;
  field?: FilterLabel;
};

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValue<Of> = Of extends { of: readonly (infer Value)[] }
  ? Value
  : Of extends { kind: "flag" }
    ? boolean
    : Of extends { kind: "time" }
      ? number
      : string;

/** A filter that is undefined leaves out no row. */
export type FilterValues<Of extends Filters> = { [Name in keyof Of]?: FilterValue<Of[Name]> | undefined };

const POS_ID = { kind: "id", length: POS_ID_LENGTH, example: "POS-1001", flag: "pos" } as const;
const TERMINAL_ID = { kind: "id", length: TERMINAL_ID_LENGTH, example: "T-1001", flag: "id" } as const;
const MERCHANT_ID = { kind: "id", length: MERCHANT_ID_LENGTH, example: "M-1001", flag: "merchant" } as const;
const SHOP = { ...MERCHANT_ID, flag: "shop", field: { label: "Shop", hint: "Its merchant id.", mono: true } } as const;
const BEGINNING_OF_POS_ID = { ...POS_ID, kind: "text", example: "SHOP-" } as const;
const STATUS = { kind: "choice", words: "Only rows with this status.", flag: "status" } as const;
const NAME = {
  kind: "text",
  length: NAME_LENGTH,
  words: "Only names that start with this, ignoring the case of the letters a to z.",
  example: "Corner",
  flag: "name",
} as const;

const THE_BEGINNING = "The beginning is enough.";
const THE_ACCOUNT = { label: "Account", hint: "The whole posId.", mono: true };
const FROM = { kind: "time", flag: "since", field: { label: "From" } } as const;
const TO = { kind: "time", flag: "until", field: { label: "To" } } as const;

export const TERMINAL_FILTERS = {
  terminalId: {
    ...TERMINAL_ID,
    kind: "text",
    words: "Only terminals whose terminalId starts with this.",
    example: "T-1",
  },
  posId: {
    ...BEGINNING_OF_POS_ID,
    words: "Only terminals that are bound to an account whose posId starts with this.",
  },
  name: NAME,
  boundTo: {
    ...POS_ID,
    words: "Only terminals that are bound to this account.",
    flag: "bound",
    field: { label: "Account", hint: "The posId that it is bound to.", mono: true },
  },
  merchantId: { ...MERCHANT_ID, words: "Only terminals that are assigned to this merchant." },
  shop: {
    ...SHOP,
    words:
      "Only terminals of this merchant's shop: assigned to the merchant or, without an assignment, bound to one of its accounts.",
  },
  bound: {
    kind: "flag",
    words: "true: only terminals that are bound to an account. false: only the others.",
    example: "false",
    field: { label: "Binding", options: { true: "Bound", false: "Not bound" } },
  },
  connected: { kind: "flag", words: "true: only connected terminals. false: only the others.", example: "false" },
  status: { ...STATUS, of: ["enrolled", "retired"], example: "enrolled" },
  offlineSince: {
    kind: "time",
    words: "Only offline terminals that were last active before this time.",
    flag: "since",
  },
} as const satisfies Filters;

export const ACCOUNT_FILTERS = {
  posId: { ...BEGINNING_OF_POS_ID, words: "Only accounts whose posId starts with this." },
  name: NAME,
  merchantId: {
    ...MERCHANT_ID,
    words: "Only rows of this merchant.",
    field: { label: "Merchant id", hint: "All of it.", mono: true },
  },
  status: { ...STATUS, of: ["active", "suspended", "deleted"], example: "active" },
} as const satisfies Filters;

export const SHOP_FILTERS = {
  merchantId: {
    ...MERCHANT_ID,
    kind: "text",
    words: "Only merchants whose merchantId starts with this.",
    example: "M-1",
    field: { label: "Merchant id", hint: THE_BEGINNING, mono: true },
  },
  name: { ...NAME, field: { label: "Name", hint: THE_BEGINNING } },
} as const satisfies Filters;

export const AUDIT_FILTERS = {
  actor: {
    kind: "text",
    length: AUDIT_NAME_LENGTH,
    words: "Only changes by this actor.",
    example: "alice",
    flag: "actor",
    field: { label: "Actor", hint: "An operator, account:ID or terminal:ID." },
  },
  target: {
    kind: "text",
    length: AUDIT_NAME_LENGTH,
    words: "Only changes of this account, terminal, merchant or channel.",
    example: "T-1001",
    flag: "target",
    field: { label: "Target", hint: "A terminal, an account, a channel, a merchant.", mono: true },
  },
  action: {
    kind: "choice",
    of: AUDIT_ACTIONS,
    words: "Only changes of this kind.",
    example: "terminal.unbind",
    flag: "action",
    field: { label: "Action" },
  },
  from: { ...FROM, words: "Only changes at or after this time." },
  to: { ...TO, words: "Only changes before this time." },
} as const satisfies Filters;

export const PENDING_FILTERS = {
  posId: { ...POS_ID, words: "Only transactions of this account.", field: THE_ACCOUNT },
  terminalId: {
    ...TERMINAL_ID,
    words: "Only transactions on this terminal.",
    field: { label: "Terminal", hint: "The whole id.", mono: true },
  },
  before: { kind: "time", words: "Only transactions received before this time.", flag: "until" },
  conflict: {
    kind: "flag",
    words: "true: only those whose terminal contradicts the recorded outcome. false: only those that are `22`.",
    example: "true",
    field: { label: "Kind", options: { true: "Conflicting results", false: "Not known yet" } },
  },
} as const satisfies Filters;

export const STATISTICS_FILTERS = {
  from: { ...FROM, words: "Only since then, in whole hours; default: the current hour and the 23 before." },
  to: { ...TO, words: "Only before then, in whole hours; default: until now." },
  by: {
    kind: "choice",
    of: STATISTICS_BY,
    words: "How transactions are grouped; default: `hour`. Times of a `responseCode` or an account are not known.",
    example: "hour",
    flag: "by",
  },
  posId: { ...POS_ID, words: "Only this account's.", field: THE_ACCOUNT },
  shop: { ...SHOP, words: "Only those of this merchant's accounts, unless `posId` is given." },
  terminalId: { ...TERMINAL_ID, words: "Only this terminal's." },
} as const satisfies Filters;

/** The filters of a search over all accounts. */
export const SEARCH_FILTERS = {
  referenceId: {
    kind: "text",
    length: TRANSFER_LENGTHS.referenceId,
    words: "Only payments with this reference of the POS.",
    example: "20261120-0042",
  },
  amount: {
    kind: "pattern",
    pattern: AMOUNT,
    must: 'Send an amount with two decimals, such as "12.50".',
    words: "Only payments with this charged amount (`transAmt` + `cashAmt`).",
    example: "12.50",
    flag: "amount",
    field: { label: "Amount", hint: "With the cash of a cashOut." },
  },
  cardLastFour: {
    kind: "pattern",
    pattern: LAST_FOUR,
    must: "Send the last four digits of the card number, never more.",
    words: "Only completed payments whose card number ends with these four digits.",
    example: "1234",
    flag: "card",
    field: { label: "Card", hint: "Its last four digits.", mono: true },
  },
  terminalId: {
    ...TERMINAL_ID,
    words: "Only payments on this terminal, from its own journal.",
    field: { label: "Terminal", hint: "The whole id.", mono: true },
  },
  posId: { ...POS_ID, words: "Only payments of this account.", field: THE_ACCOUNT },
  merchantId: { ...MERCHANT_ID, words: "Only payments of this merchant's accounts; not together with `terminalId`." },
  from: { ...FROM, words: "Only payments completed at or after this time, or received if they are `22`." },
  to: { ...TO, words: "Only payments before this time." },
} as const satisfies Filters;
