import { newReferenceId, type Channel } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { SelectField, TextField } from "../page/field.tsx";
import { FIELDS, messageName, type Draft, type FieldName, type Problems } from "./fields.ts";

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
  const { label, hint, longest, look, options } = FIELDS[name];
  const shared = {
    label,
    name: messageName(name),
    value: draft[name],
    problem: problems[name],
    hint: name === "transAmt" && simulated ? CENTS : (hint ?? lengthHint(longest)),
    onInput: (value: string) => onChange({ [name]: value }),
  };
  if (options !== undefined) return <SelectField {...shared} options={options} />;
  if (name === "paymentChannel") {
    const wallets = [{ value: "", label: "Choose a wallet" }, ...channels.map(walletOption)];
    return <SelectField {...shared} options={wallets} />;
  }
  const renew = name === "referenceId" && (
    <Button look="plain" label="New reference" onClick={() => onChange({ referenceId: newReferenceId() })}>
      New
    </Button>
  );
  return <TextField {...shared} {...look} action={renew} />;
}

function lengthHint(longest: number | undefined): string {
  return longest === undefined ? "" : `At most ${longest} characters.`;
}

function walletOption({ name, status }: Channel): { value: string; label: string } {
  return { value: name, label: status === 1 ? name : `${name} · inactive` };
}
