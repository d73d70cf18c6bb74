import { TextField } from "../../page/field.tsx";

/** The fields of an account that an operator enters, besides its id. */
export interface AccountFields {
  name: string;
  merchantId: string;
  currency: string;
  timezone: string;
}

export const NO_FIELDS: AccountFields = {
  name: "",
  merchantId: "",
  currency: "",
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

const FIELDS = [
  { name: "merchantId", label: "Merchant id", hint: "The merchant that it sells for.", mono: true },
  { name: "currency", label: "Currency", hint: "Three letters, such as MYR.", mono: true },
  { name: "timezone", label: "Time zone", hint: "Decides when its day ends, such as Asia/Kuala_Lumpur.", mono: false },
  { name: "name", label: "Name", hint: "Optional. Shown in lists, such as Corner shop, till 1.", mono: false },
] as const satisfies { name: keyof AccountFields; label: string; hint: string; mono: boolean }[];

interface FieldsProps {
  fields: AccountFields;
  onChange: (fields: AccountFields) => void;
  /** The name of a mandatory field that is empty; null: none. */
  missing: keyof AccountFields | null;
}

export function AccountFieldset({ fields, onChange, missing }: FieldsProps) {
  return (
    <div class="fields">
      {FIELDS.map(({ name, label, hint, mono }) => (
        <TextField
          key={name}
          label={label}
          value={fields[name]}
          mono={mono}
          hint={hint}
          problem={missing === name ? "This field is required." : undefined}
          onInput={(value) => onChange({ ...fields, [name]: value })}
        />
      ))}
    </div>
  );
}

/** The first mandatory field that is empty. */
export function missingField({ merchantId, currency, timezone }: AccountFields): keyof AccountFields | null {
  if (merchantId.trim() === "") return "merchantId";
  if (currency.trim() === "") return "currency";
  return timezone.trim() === "" ? "timezone" : null;
}
