import { useState } from "preact/hooks";
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import type { TerminalWithSecret } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { TerminalSecretView } from "../part/once.tsx";
import { Question } from "../part/question.tsx";
import { terminalLink } from "../route.ts";
import { go } from "../address.ts";

const EMPTY = { terminalId: "", name: "", merchantId: "" };

const KINDS = [
  { value: "0", label: "Device" },
  { value: "1", label: "Virtual" },
];

/** A new terminal, with a secret that its device can scan. Opens it afterwards. */
export function EnrolOne() {
  const [fields, setFields] = useState(EMPTY);
  const [isVT, setVT] = useState("0");
  const [isMissing, setMissing] = useState(false);
  const set = (name: keyof typeof EMPTY) => (value: string) => setFields((known) => ({ ...known, [name]: value }));
  const [terminalId, name, merchantId] = [fields.terminalId.trim(), fields.name.trim(), fields.merchantId.trim()];
  const change = () => {
    setMissing(terminalId === "");
    if (terminalId === "") return null;
    const body = { terminalId, isVT: Number(isVT), name, merchantId };
    const make = (calls: Calls) => calls.send<TerminalWithSecret>("POST", "/terminals", body);
    return { action: "terminal.enrol" as const, target: terminalId, make };
  };
  const ask = (): void => {
    setFields(EMPTY);
    setVT("0");
    setMissing(false);
  };
  return (
    <Question<TerminalWithSecret>
      action="New terminal"
      title="Enrol a terminal"
      confirm="Enrol"
      change={change}
      done={`${terminalId} is enrolled.`}
      show={({ secret }) => <TerminalSecretView terminalId={terminalId} secret={secret} />}
      onAsk={ask}
      onDone={() => go(terminalLink(terminalId))}
    >
      <TextField
        label="Terminal id"
        name="terminalId"
        value={fields.terminalId}
        mono
        hint="Cannot be changed, and is never used again."
        problem={isMissing ? "This field is required." : undefined}
        onInput={set("terminalId")}
      />
      <Choice label="Kind" value={isVT} options={KINDS} onChoose={setVT} />
      <TextField
        label="Name"
        value={fields.name}
        hint="Optional. Shown in lists, such as Counter 3."
        onInput={set("name")}
      />
      <TextField
        label="Merchant id"
        value={fields.merchantId}
        mono
        hint="Optional. Only accounts of this merchant can bind it, also without a key."
        onInput={set("merchantId")}
      />
      <p class="soft">The gateway makes its secret, and shows it once, also as a code for the device to scan.</p>
    </Question>
  );
}
