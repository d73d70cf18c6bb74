import { useState } from "preact/hooks";
import { TextField } from "../../page/field.tsx";
import type { OperatorTerminalDetails } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { terminalPath } from "../paths.ts";

/** null removes a name. */
function textOrNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** Name and merchant of a terminal. */
export function ChangeTerminal({ terminal, onDone }: { terminal: OperatorTerminalDetails; onDone: () => void }) {
  const { terminalId } = terminal;
  const [name, setName] = useState("");
  const [merchantId, setMerchantId] = useState("");
  const [isEmpty, setEmpty] = useState(false);
  const ask = (): void => {
    setName(terminal.name ?? "");
    setMerchantId(terminal.merchantId ?? "");
    setEmpty(false);
  };
  const change = () => {
    const body = {
      ...(name.trim() === (terminal.name ?? "") ? {} : { name: textOrNull(name) }),
      ...(["", terminal.merchantId].includes(merchantId.trim()) ? {} : { merchantId: merchantId.trim() }),
    };
    setEmpty(Object.keys(body).length === 0);
    if (Object.keys(body).length === 0) return null;
    const make = (calls: Calls) => calls.send("PATCH", terminalPath(terminalId), body);
    return { action: "terminal.change" as const, target: terminalId, make };
  };
  return (
    <Question
      action="Change"
      title={`Change ${terminalId}`}
      confirm="Save"
      change={change}
      done={`${terminalId} is changed.`}
      onAsk={ask}
      onDone={onDone}
    >
      <TextField label="Name" value={name} hint="Shown in lists, such as Counter 3." onInput={setName} />
      <TextField
        label="Merchant id"
        value={merchantId}
        mono
        hint="Accounts of this merchant can prebind it. Its binding stays as it is."
        problem={isEmpty ? "Nothing is changed yet." : undefined}
        onInput={setMerchantId}
      />
    </Question>
  );
}
