import { newReferenceId } from "../../client/pos.ts";
import type { Channel } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { SelectField, TextField } from "../page/field.tsx";
import { PAYMENT_METHODS, PRINT_COUNTS, longest } from "./fields.ts";
import type { Draft, FieldName, Problems } from "./fields.ts";

const LABELS: Record<FieldName, string> = {
  deviceId: "Terminal",
  referenceId: "Reference",
  referenceLabel: "Reference label",
  transAmt: "Amount",
  cashAmt: "Cash amount",
  paymentMethod: "Payment method",
  paymentChannel: "Wallet",
  transId: "Transaction",
  aboutReferenceId: "Transaction reference",
  invNo: "Invoice number",
  productIndex: "Product",
  promoSale: "Promotion",
  printCount: "Receipts",
  note: "Note on the receipt",
  metadata: "Metadata",
};

/** The interface's names of fields that have another name in the form. */
const NAMES: Partial<Record<FieldName, string>> = { aboutReferenceId: "referenceId" };

const HINTS: Partial<Record<FieldName, string>> = {
  referenceId: "One per transaction. Send it again to ask about that transaction.",
  referenceLabel: 'Printed before the reference; "POS Ref" otherwise.',
  transAmt: "Two decimals.",
  cashAmt: "The card is charged for both amounts.",
  paymentChannel: "The name from GET /api/ewallet-channels.",
  productIndex: "1 to 10.",
  promoSale: "Cards outside the promotion are declined.",
  note: "Printed in the receipt's remarks.",
  metadata: "Returned with the answer.",
};

const CENTS = "On this terminal, the cents decide: .05 is declined, .22 pending, .88 cancelled.";

export interface DraftFieldProps {
  name: FieldName;
  draft: Draft;
  problems: Problems;
  channels: Channel[];
  /** Whether a simulated terminal decides by the cents. */
  simulated: boolean;
  onChange: (changes: Partial<Draft>) => void;
}

/** One field of the form with the control for its kind. */
export function DraftField({ name, draft, problems, channels, simulated, onChange }: DraftFieldProps) {
  const shared = {
    label: LABELS[name],
    name: NAMES[name] ?? name,
    value: draft[name],
    problem: problems[name],
    hint: name === "transAmt" && simulated ? CENTS : (HINTS[name] ?? hintOf(name)),
    onInput: (value: string) => onChange({ [name]: value }),
  };
  switch (name) {
    case "paymentMethod":
      return <SelectField {...shared} options={PAYMENT_METHODS} />;
    case "printCount":
      return <SelectField {...shared} options={PRINT_COUNTS} />;
    case "paymentChannel":
      return (
        <SelectField {...shared} options={[{ value: "", label: "Choose a wallet" }, ...channels.map(walletOption)]} />
      );
    case "transAmt":
    case "cashAmt":
      return <TextField {...shared} kind="decimal" />;
    case "transId":
      return <TextField {...shared} kind="digits" mono placeholder="1000000000" />;
    case "referenceId":
      return (
        <TextField
          {...shared}
          mono
          action={
            <Button look="plain" label="New reference" onClick={() => onChange({ referenceId: newReferenceId() })}>
              New
            </Button>
          }
        />
      );
    default:
      return <TextField {...shared} mono={name === "aboutReferenceId"} />;
  }
}

function hintOf(name: FieldName): string {
  const limit = longest(name);
  return limit === undefined ? "" : `At most ${limit} characters.`;
}

function walletOption({ name, status }: Channel): { value: string; label: string } {
  return { value: name, label: isActive(status) ? name : `${name} · inactive` };
}

/** The interface declares a text, and its example is a number; both mean the same. */
export function isActive(status: number | string): boolean {
  return Number(status) === 1;
}
