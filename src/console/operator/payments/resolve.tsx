import { useState } from "preact/hooks";
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import type { TransactionAnswer } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { titleOf } from "./standing.ts";
import { terminalPath } from "../paths.ts";

const OUTCOMES = [
  { value: "11", label: "11: no money moved" },
  { value: "00", label: "00: money moved" },
] as const satisfies { value: string; label: string }[];

const EFFECT = {
  "00": "The till learns that money moved. This is final: no later report of the terminal changes it.",
  "11": "The till learns that no money moved and none will: the cashier may charge again. This is final.",
};

export interface ResolveProps {
  terminalId: string;
  payment: TransactionAnswer;
  onDone: () => void;
}

/** Resolves a payment that the terminal cannot complete. */
export function Resolve({ terminalId, payment, onDone }: ResolveProps) {
  const [statusCode, setStatusCode] = useState<"00" | "11">("11");
  const [reason, setReason] = useState("");
  const [isEmpty, setEmpty] = useState(false);
  const { requestId, posId } = payment;
  const change = () => {
    setEmpty(reason.trim() === "");
    if (reason.trim() === "") return null;
    const path = `${terminalPath(terminalId)}/transactions/${requestId}/resolve`;
    return {
      action: "transaction.resolve" as const,
      target: terminalId,
      make: (calls: Calls) => calls.send("POST", path, { statusCode, reason: reason.trim() }),
    };
  };
  return (
    <Question
      action="Resolve"
      look="primary"
      title={`Resolve ${titleOf(payment)} by ${posId} permanently?`}
      confirm={`Resolve as ${statusCode}`}
      change={change}
      done={`Payment ${requestId} is resolved as ${statusCode}.`}
      onDone={onDone}
    >
      <p class="soft">First find out what happened: from the terminal, the acquirer, or the customer's statement.</p>
      <Choice label="Outcome" value={statusCode} options={[...OUTCOMES]} onChoose={setStatusCode} />
      <p>{EFFECT[statusCode]}</p>
      <TextField
        label="Reason"
        value={reason}
        hint="The cashier sees it."
        problem={isEmpty ? "Enter a reason. The cashier sees it." : undefined}
        onInput={setReason}
      />
    </Question>
  );
}
