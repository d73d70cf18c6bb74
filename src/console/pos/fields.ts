/** The form's fields: which ones a transaction has, their lengths, and their problems. */
import { MULTI_LINE, SINGLE_LINE } from "../../protocol/characters.ts";
import { needsTarget } from "../../protocol/transfer-types.ts";
import type { PosErrorDetail } from "../../client/pos.ts";
import type { Call } from "./call.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";

export type FieldName =
  | "deviceId"
  | "referenceId"
  | "referenceLabel"
  | "transAmt"
  | "cashAmt"
  | "paymentMethod"
  | "paymentChannel"
  | "transId"
  | "aboutReferenceId"
  | "invNo"
  | "productIndex"
  | "promoSale"
  | "printCount"
  | "note"
  | "metadata";

/** The content of the form: every field of every type, so that a change of type loses nothing. */
export interface Draft extends Record<FieldName, string> {
  transType: TransferType;
}

export type Problems = Partial<Record<FieldName, string>>;

export const PAYMENT_METHODS = [
  { value: "bankCard", label: "bankCard · a card at the terminal" },
  { value: "qrCustScan", label: "qrCustScan · the customer scans a QR" },
  { value: "qrMerchScan", label: "qrMerchScan · the shop scans the customer's code" },
];

export const PRINT_COUNTS = [
  { value: "", label: "The terminal's default (2)" },
  { value: "0", label: "0 · no receipt" },
  { value: "1", label: "1 · the merchant's copy" },
  { value: "2", label: "2 · both copies" },
];

/** Lengths in Unicode code points. */
const LONGEST: Partial<Record<FieldName, number>> = {
  deviceId: 100,
  referenceId: 20,
  aboutReferenceId: 20,
  referenceLabel: 10,
  paymentChannel: 32,
  invNo: 32,
  promoSale: 2,
  note: 128,
  metadata: 128,
};

export function longest(name: FieldName): number | undefined {
  return LONGEST[name];
}

/** The fields of a transaction, in the order of the form: those that matter, and those that may stay empty. */
export function fieldsOf({ transType, paymentMethod }: Pick<Draft, "transType" | "paymentMethod">): {
  main: FieldName[];
  more: FieldName[];
} {
  const extras: FieldName[] = ["referenceLabel", "productIndex", "promoSale", "printCount"];
  switch (transType) {
    case "sale": {
      const wallet: FieldName[] = paymentMethod === "qrCustScan" ? ["paymentChannel"] : [];
      return { main: ["transAmt", "paymentMethod", ...wallet], more: [...extras, "note", "metadata"] };
    }
    case "cashOut":
      return { main: ["transAmt", "cashAmt"], more: [...extras, "note", "metadata"] };
    case "void":
      return { main: ["transId"], more: [...extras, "invNo", "metadata"] };
    case "inquiry":
      return { main: ["transId", "aboutReferenceId"], more: ["referenceLabel"] };
    case "getLast":
      return { main: [], more: ["referenceLabel"] };
  }
}

const AMOUNT = /^(?:[1-9][0-9]{0,8}|0)\.[0-9]{2}$/;
const IDENTIFIER = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const MANDATORY: FieldName[] = ["deviceId", "referenceId", "transAmt", "cashAmt", "paymentMethod", "paymentChannel"];

/** What the gateway would refuse, shown before sending. Empty: it can be sent. */
export function problemsOf(draft: Draft): Problems {
  const { main, more } = fieldsOf(draft);
  const problems: Problems = {};
  for (const name of ["deviceId", "referenceId", ...main, ...more] as FieldName[]) {
    const problem = problemWith(name, draft);
    if (problem !== null) problems[name] = problem;
  }
  return problems;
}

function problemWith(name: FieldName, draft: Draft): string | null {
  const value = draft[name];
  if (value === "") {
    const needed = MANDATORY.includes(name) || (name === "transId" && needsTarget(draft.transType));
    return needed ? (EMPTY[name] ?? "This field is required.") : null;
  }
  const limit = LONGEST[name];
  if (limit !== undefined && [...value].length > limit)
    return `At most ${limit} characters; these are ${[...value].length}.`;
  if (!(name === "note" ? MULTI_LINE : SINGLE_LINE).test(value)) return "No control characters.";
  switch (name) {
    case "deviceId":
      return IDENTIFIER.test(value) ? null : "Letters, digits, '.', '_' and '-'.";
    case "transAmt":
    case "cashAmt":
      if (!AMOUNT.test(value)) return 'Two decimals with a dot, such as "12.50", at most 999999999.99.';
      return /^[0.]+$/.test(value) ? "Enter an amount above zero." : null;
    case "transId":
      if (draft.transType === "inquiry" && draft.aboutReferenceId !== "") return "Name one of the two, not both.";
      return TRANSACTION_NUMBER.test(value) ? null : "Enter the ten digits of a transId from an answer.";
    case "productIndex":
      return /^(?:0?[1-9]|10)$/.test(value) ? null : "1 to 10.";
    case "referenceId":
    case "aboutReferenceId":
      return value.trim() === "" ? "Enter more than white space." : null;
    default:
      return null;
  }
}

const EMPTY: Problems = {
  deviceId: "Choose a terminal.",
  referenceId: "Enter a reference. Every transaction has one.",
  transAmt: 'Enter an amount, such as "12.50".',
  cashAmt: 'Enter the cash amount, such as "50.00".',
  paymentChannel: "Choose a wallet: qrCustScan needs one.",
  transId: "Enter the ten digits of the transaction to void.",
};

/** Places the gateway's messages at their fields. `others` are those without a field in the form. */
export function placeDetails(details: PosErrorDetail[]): { problems: Problems; others: PosErrorDetail[] } {
  const problems: Problems = {};
  const others: PosErrorDetail[] = [];
  for (const { path, message } of details) {
    const name = FIELD_OF_PATH.get(path);
    if (name === undefined) others.push({ path, message });
    else problems[name] = message;
  }
  return { problems, others };
}

const FIELD_OF_PATH = new Map<string, FieldName>([
  ...(["deviceId", "referenceId", "referenceLabel"] as const).map((name) => [name, name] as const),
  ...(
    [
      "transAmt",
      "cashAmt",
      "paymentMethod",
      "paymentChannel",
      "transId",
      "invNo",
      "productIndex",
      "promoSale",
      "printCount",
      "note",
      "metadata",
    ] as const
  ).map((name) => [`transData.${name}`, name] as const),
  ["transData.referenceId", "aboutReferenceId"],
]);

/** The call that the form describes, without empty fields. The gateway checks it as well. */
export function callOf(draft: Draft): Call {
  const { transType } = draft;
  const target = { deviceId: draft.deviceId, referenceId: draft.referenceId, ...filled(draft, ["referenceLabel"]) };
  const more = fieldsOf(draft).more.filter((name) => name !== "referenceLabel" && name !== "printCount");
  const details = {
    ...target,
    ...filled(draft, more),
    // The interface has a number here.
    ...(draft.printCount === "" ? {} : { printCount: Number(draft.printCount) as 0 | 1 | 2 }),
  };
  switch (transType) {
    case "sale": {
      const { transAmt, paymentMethod, paymentChannel } = draft;
      const sale = { ...details, transAmt };
      if (paymentMethod === "qrCustScan") return { transType, request: { ...sale, paymentMethod, paymentChannel } };
      return { transType, request: { ...sale, paymentMethod: paymentMethod as "bankCard" | "qrMerchScan" } };
    }
    case "cashOut":
      return { transType, request: { ...details, transAmt: draft.transAmt, cashAmt: draft.cashAmt } };
    case "void":
      return { transType, request: { ...details, transId: draft.transId } };
    case "inquiry": {
      const { transId, aboutReferenceId } = draft;
      const about = {
        ...filled(draft, ["transId"]),
        ...(aboutReferenceId === "" ? {} : { referenceId: aboutReferenceId }),
      };
      if (transId === "" && aboutReferenceId === "") return { transType, request: target };
      return { transType, request: { ...target, about: about as { transId: string } } };
    }
    case "getLast":
      return { transType, request: target };
  }
}

function filled<Name extends FieldName>(draft: Draft, names: Name[]): { [Each in Name]?: string } {
  const entries = names.filter((name) => draft[name] !== "").map((name) => [name, draft[name]]);
  return Object.fromEntries(entries) as { [Each in Name]?: string };
}
