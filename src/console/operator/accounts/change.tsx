import { useState } from "preact/hooks";
import { Choice } from "../../page/choice.tsx";
import type { AccountAnswer } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { AccountFieldset, missingField, NO_FIELDS } from "./fields.tsx";
import type { AccountFields } from "./fields.tsx";
import { accountPath } from "../paths.ts";

const SIGNED_CHOICES = [
  { value: "token", label: "A token can unbind terminals" },
  { value: "signed", label: "Unbinding must be signed" },
];

/** The terms of an account. */
export function ChangeAccount({ account, onDone }: { account: AccountAnswer; onDone: () => void }) {
  const { posId, merchantId, currency, timezone } = account;
  const before: AccountFields = { name: account.name ?? "", merchantId, currency, timezone };
  const [fields, setFields] = useState(NO_FIELDS);
  const [signed, setSigned] = useState(account.signedChanges);
  const [missing, setMissing] = useState<keyof AccountFields | null>(null);
  const isSignedChanged = signed !== account.signedChanges;
  const names = Object.keys(before) as (keyof AccountFields)[];
  const changed = names.filter((name) => fields[name].trim() !== before[name]);
  const isUnchanged = changed.length === 0 && !isSignedChanged;
  const change = () => {
    const absent = missingField(fields);
    setMissing(absent);
    if (absent !== null || isUnchanged) return null;
    // null removes the name; nothing else is empty here.
    const entries = changed.map((name) => [name, fields[name].trim() || null]);
    const body = { ...Object.fromEntries(entries), ...(isSignedChanged ? { signedChanges: signed } : {}) };
    const make = (calls: Calls) => calls.send("PATCH", accountPath(posId), body);
    return { action: "account.change" as const, target: posId, make };
  };
  const ask = (): void => {
    setFields(before);
    setSigned(account.signedChanges);
    setMissing(null);
  };
  return (
    <Question
      action="Change"
      title={`Change ${posId}`}
      confirm="Save"
      change={change}
      done={`${posId} is changed.`}
      onAsk={ask}
      onDone={onDone}
    >
      <AccountFieldset fields={fields} onChange={setFields} missing={missing} />
      <Choice
        label="Unbinding a terminal and replacing the prebind list"
        value={signed ? "signed" : "token"}
        options={SIGNED_CHOICES}
        onChoose={(value) => setSigned(value === "signed")}
      />
      <p class="soft">
        {isUnchanged
          ? "Nothing is changed yet."
          : "It applies to every payment that arrives from then on. The account's terminals get a new merchant, currency or time zone."}
      </p>
    </Question>
  );
}
