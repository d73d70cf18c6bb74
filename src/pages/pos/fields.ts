import { MULTI_LINE, SINGLE_LINE } from "../../protocol/characters.ts";
import { CHANNEL_NAME_LENGTH, TERMINAL_ID_LENGTH, TRANSFER_LENGTHS } from "../../protocol/lengths.ts";
import { needsTarget, type TransferType } from "../../protocol/transfer-types.ts";
import type { Channel, PosErrorDetail } from "../../sdk/client/pos.ts";
import type { Field } from "../page/declared.ts";
import type { PageTransfer } from "./call.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";

interface Declared extends Omit<Field, "name" | "code"> {
  /** Its place in the message; by default in `transData`, under its own name. */
  path?: string;
  /** The initial value. */
  first?: string;
  /** In Unicode code points. */
  longest?: number;
  /** The problem of an empty value. If it is missing, the field may be empty. */
  required?: string;
  /** Every value must match every form. */
  forms?: [form: RegExp, problem: string][];
}

const AMOUNT: Declared["forms"] = [
  [/^(?:[1-9][0-9]{0,8}|0)\.[0-9]{2}$/, 'Two decimals with a dot, such as "12.50", at most 999999999.99.'],
  [/[1-9]/, "Enter an amount above zero."],
];
const REFERENCE: Declared["forms"] = [[/\S/u, "Enter more than white space."]];

const DECLARED = {
  deviceId: {
    label: "Terminal",
    path: "deviceId",
    longest: TERMINAL_ID_LENGTH,
    required: "Choose a terminal.",
    forms: [[/^(?!\.{1,2}$)[A-Za-z0-9._-]+$/, "Letters, digits, '.', '_' and '-'."]],
  },
  referenceId: {
    label: "Reference",
    path: "referenceId",
    hint: "One per transaction. Send it again to ask about that transaction.",
    longest: TRANSFER_LENGTHS.referenceId,
    required: "Enter a reference. Every transaction has one.",
    forms: REFERENCE,
    mono: true,
  },
  referenceLabel: {
    label: "Reference label",
    path: "referenceLabel",
    hint: 'Printed before the reference; "POS Ref" otherwise.',
    longest: TRANSFER_LENGTHS.referenceLabel,
  },
  transAmt: {
    label: "Amount",
    first: "12.50",
    hint: "Two decimals.",
    required: 'Enter an amount, such as "12.50".',
    forms: AMOUNT,
    kind: "decimal",
  },
  cashAmt: {
    label: "Cash amount",
    first: "50.00",
    hint: "The card is charged for both amounts.",
    required: 'Enter the cash amount, such as "50.00".',
    forms: AMOUNT,
    kind: "decimal",
  },
  paymentMethod: {
    label: "Payment method",
    first: "bankCard",
    required: "This field is required.",
    kind: "select",
    options: [
      { value: "bankCard", label: "bankCard · a card at the terminal" },
      { value: "qrCustScan", label: "qrCustScan · the customer scans a QR" },
      { value: "qrMerchScan", label: "qrMerchScan · the shop scans the customer's code" },
    ],
  },
  paymentChannel: {
    label: "Wallet",
    kind: "select",
    hint: "The name from GET /api/ewallet-channels.",
    longest: CHANNEL_NAME_LENGTH,
    required: "Choose a wallet: qrCustScan needs one.",
  },
  transId: {
    label: "Transaction",
    forms: [[TRANSACTION_NUMBER, "Enter the ten digits of a transId from an answer."]],
    kind: "digits",
    mono: true,
    placeholder: "1000000000",
  },
  aboutReferenceId: {
    label: "Transaction reference",
    path: "transData.referenceId",
    longest: TRANSFER_LENGTHS.referenceId,
    forms: REFERENCE,
    mono: true,
  },
  invNo: { label: "Invoice number", longest: TRANSFER_LENGTHS.invNo },
  productIndex: { label: "Product", hint: "1 to 10.", forms: [[/^(?:0?[1-9]|10)$/, "1 to 10."]] },
  promoSale: {
    label: "Promotion",
    hint: "Cards outside the promotion are declined.",
    longest: TRANSFER_LENGTHS.promoSale,
  },
  printCount: {
    label: "Receipts",
    kind: "select",
    options: [
      { value: "", label: "The terminal's default (2)" },
      { value: "0", label: "0 · no receipt" },
      { value: "1", label: "1 · the merchant's copy" },
      { value: "2", label: "2 · both copies" },
    ],
  },
  note: { label: "Note on the receipt", hint: "Printed in the receipt's remarks.", longest: TRANSFER_LENGTHS.note },
  metadata: { label: "Metadata", hint: "Returned with the answer.", longest: TRANSFER_LENGTHS.metadata },
} satisfies Record<string, Declared>;

export type FieldName = keyof typeof DECLARED;

export const FIELDS: Record<FieldName, Declared> = DECLARED;

const ALL = Object.keys(DECLARED) as FieldName[];

/** Every field of every type, so that a change of type loses nothing. */
export interface FormDraft extends Record<FieldName, string> {
  transType: TransferType;
}

export type FieldProblems = Partial<Record<FieldName, string>>;

export function firstDraft(referenceId: string): FormDraft {
  const contents = Object.fromEntries(ALL.map((name) => [name, FIELDS[name].first ?? ""]));
  return { ...(contents as Record<FieldName, string>), transType: "sale", referenceId };
}

/** Lists them in the order of the form. */
export function transferFields({ transType, paymentMethod }: Pick<FormDraft, "transType" | "paymentMethod">): {
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

/** What the gateway would refuse. Empty: the draft can be sent. */
export function draftProblems(draft: FormDraft): FieldProblems {
  const { main, more } = transferFields(draft);
  const problems: FieldProblems = {};
  for (const name of ["deviceId", "referenceId", ...main, ...more] as FieldName[]) {
    const problem = draft[name] === "" ? emptyProblem(name, draft) : valueProblem(name, draft);
    if (problem !== null) problems[name] = problem;
  }
  return problems;
}

function emptyProblem(name: FieldName, { transType }: FormDraft): string | null {
  if (name === "transId" && needsTarget(transType)) return "Enter the ten digits of the transaction to void.";
  return FIELDS[name].required ?? null;
}

function valueProblem(name: FieldName, draft: FormDraft): string | null {
  const value = draft[name];
  const { longest, forms = [] } = FIELDS[name];
  const length = [...value].length;
  if (longest !== undefined && length > longest) return `At most ${longest} characters; these are ${length}.`;
  if (!(name === "note" ? MULTI_LINE : SINGLE_LINE).test(value)) return "No control characters.";
  if (name === "transId" && draft.transType === "inquiry" && draft.aboutReferenceId !== "") {
    return "Name one of the two, not both.";
  }
  return forms.find(([form]) => !form.test(value))?.[1] ?? null;
}

function formatPath(name: FieldName): string {
  return FIELDS[name].path ?? `transData.${name}`;
}

export function messageName(name: FieldName): string {
  return formatPath(name).replace(/^.*\./u, "");
}

/** Omits details without a field in the form. */
export function placedDetails(details: readonly PosErrorDetail[]): FieldProblems {
  const placed = details.flatMap(({ path, message }) => {
    const name = ALL.find((one) => formatPath(one) === path);
    return name === undefined ? [] : [[name, message]];
  });
  return Object.fromEntries(placed) as FieldProblems;
}

/** Omits empty fields. */
export function toTransferCall(draft: FormDraft): PageTransfer {
  const { transType } = draft;
  const { main, more } = transferFields(draft);
  const names = ["deviceId", "referenceId", ...main, ...more] as FieldName[];
  const { printCount, transId, aboutReferenceId: referenceId, ...request } = filled(draft, names);
  const about = { ...(transId && { transId }), ...(referenceId && { referenceId }) };
  return {
    transType,
    request: {
      ...request,
      // The interface has a number here.
      ...(printCount && { printCount: Number(printCount) }),
      ...(transType === "inquiry" ? Object.keys(about).length > 0 && { about } : about),
    },
  } as PageTransfer;
}

function filled(draft: FormDraft, names: FieldName[]): Partial<Record<FieldName, string>> {
  return Object.fromEntries(names.filter((name) => draft[name] !== "").map((name) => [name, draft[name]]));
}

/** In the gateway's order, but a wallet that is switched off is never the first choice. */
export function activeFirst(channels: readonly Channel[]): Channel[] {
  return channels.toSorted((one, other) => other.status - one.status);
}
