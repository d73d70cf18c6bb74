import { useState } from "preact/hooks";
import { TextField } from "../../page/field.tsx";
import type { AccountWithKey } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { ShownOnce } from "../part/once.tsx";
import { Question } from "../part/question.tsx";
import { AccountFieldset, missingField, NO_FIELDS } from "./fields.tsx";
import type { AccountFields } from "./fields.tsx";

/** A new account, with a signing key and a password created by the gateway. */
export function CreateAccount({ onDone }: { onDone: () => void }) {
  const [posId, setPosId] = useState("");
  const [fields, setFields] = useState(NO_FIELDS);
  const [missing, setMissing] = useState<keyof AccountFields | "posId" | null>(null);
  const change = () => {
    const absent = posId.trim() === "" ? "posId" : missingField(fields);
    setMissing(absent);
    if (absent !== null) return null;
    const { name, ...rest } = fields;
    const body = { posId: posId.trim(), ...rest, ...(name.trim() === "" ? {} : { name: name.trim() }) };
    const make = (calls: Calls) => calls.send<AccountWithKey>("POST", "/accounts", body);
    return { action: "account.create" as const, target: posId.trim(), make };
  };
  const ask = (): void => {
    setPosId("");
    setFields(NO_FIELDS);
    setMissing(null);
  };
  return (
    <Question<AccountWithKey>
      action="New account"
      title="Create an account"
      confirm="Create"
      change={change}
      done={`${posId.trim()} is created.`}
      show={({ signingKey, password }) => (
        <>
          <ShownOnce name="Signing key" text={signingKey} />
          {password !== undefined && <ShownOnce name="Password" text={password} />}
        </>
      )}
      onAsk={ask}
      onDone={onDone}
    >
      <TextField
        label="Account id"
        name="posId"
        value={posId}
        mono
        hint="Cannot be changed, and is never used again."
        problem={missing === "posId" ? "This field is required." : undefined}
        onInput={setPosId}
      />
      <AccountFieldset fields={fields} onChange={setFields} missing={missing === "posId" ? null : missing} />
      <p class="soft">The gateway makes its signing key and its password, and shows both once.</p>
    </Question>
  );
}
