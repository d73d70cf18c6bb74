/** The changes that a person may make to a payment. */
import type { Done } from "../../../protocol/accounts.ts";
import { HOUR } from "../../../protocol/time/units.ts";
import { Notice } from "../../page/shown.tsx";
import type { AuditAnswer, AuditPage, TransactionAnswer } from "../answers.ts";
import { type OperatorCalls, pathOf } from "../operator-calls.ts";
import { Question, type QuestionField } from "../part/question.tsx";
import { useReading } from "../part/reading.tsx";
import { shortTime } from "../words.ts";
import { formatTitle } from "./standing.ts";

const EFFECT: Record<string, string> = {
  "00": "The POS learns that money moved. This is final: no later report of the terminal changes it.",
  "11": "The POS learns that no money moved and none will: the cashier may charge again. This is final.",
};

const RESOLUTION: QuestionField<"statusCode" | "reason">[] = [
  {
    name: "statusCode",
    kind: "choice",
    label: "Outcome",
    options: [
      { value: "11", label: "11: no money moved" },
      { value: "00", label: "00: money moved" },
    ],
    required: "Choose an outcome first.",
  },
  { name: "reason", label: "Reason", hint: "The cashier sees it.", required: "Enter a reason. The cashier sees it." },
];

interface ResolveProps {
  terminalId: string;
  payment: TransactionAnswer;
  onDone: () => void;
}

/** Other operators' proposals, where a resolution needs two operators. */
async function fetchProposals(calls: OperatorCalls, terminalId: string, requestId: string): Promise<AuditAnswer[]> {
  const query = { action: "transaction.propose", target: terminalId, from: new Date(Date.now() - HOUR).toISOString() };
  const { data } = await calls.get<AuditPage>("/audit", query);
  return data.filter(({ details }) => String(details["requestId"]) === requestId);
}

/** For a payment that the terminal cannot complete. */
export function Resolve({ terminalId, payment, onDone }: ResolveProps) {
  const { requestId, posId } = payment;
  const proposals = useReading((calls) => fetchProposals(calls, terminalId, requestId), [requestId]);
  const path = `${pathOf.terminal(terminalId)}/transactions/${requestId}/resolve`;
  return (
    <Question<TransactionAnswer | Done, "statusCode" | "reason">
      action="Resolve"
      role="support"
      look="primary"
      title={`Resolve ${formatTitle(payment)} by ${posId} permanently?`}
      confirm={({ statusCode }) => `Resolve${statusCode === "" ? "" : ` as ${statusCode}`}`}
      about={
        <>
          <p class="soft">
            First find out what happened: from the terminal, the acquirer, or the customer's statement.
          </p>
          {proposals.value?.map(({ id, at, actor, details }) => (
            <Notice key={id} tone="pending">
              {`${actor} proposed ${String(details["statusCode"])} at ${shortTime(at)}: ${String(details["reason"])}`}
            </Notice>
          ))}
        </>
      }
      fields={RESOLUTION}
      change={(outcome) => ({
        action: "transaction.resolve",
        orElse: "transaction.propose",
        target: terminalId,
        call: ["POST", path, outcome],
      })}
      done={({ statusCode }, answer) =>
        "message" in answer ? answer.message : `Payment ${requestId} is resolved as ${statusCode}.`
      }
      onDone={onDone}
    >
      {({ statusCode }) => <p>{EFFECT[statusCode]}</p>}
    </Question>
  );
}

/** For a payment that has an open conflicting result. */
export function Close({ terminalId, payment: { posId, requestId }, onDone }: ResolveProps) {
  return (
    <Question
      action="Close"
      role="support"
      look="primary"
      title={`Close the conflicting result of ${requestId}?`}
      about={
        <p class="soft">
          First find out with the acquirer whether the customer was charged, and refund or book it. The recorded outcome
          does not change.
        </p>
      }
      fields={[{ name: "reason", label: "Reason", hint: "For the audit log.", required: "Enter what you found out." }]}
      change={({ reason }) => ({
        action: "transaction.close",
        target: posId,
        call: ["POST", `${pathOf.account(posId)}/transactions/${requestId}/close`, { reason, terminalId }],
      })}
      done="The conflicting result is closed."
      onDone={onDone}
    />
  );
}
