import { useState } from "preact/hooks";
import type { Done } from "../../../protocol/accounts.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { HOUR, type Milliseconds } from "../../../protocol/time/units.ts";
import { Disclosure, JsonCode, Notice, ToneTag } from "../../page/shown.tsx";
import type { AuditAnswer, AuditPage, FoundTransaction, TransactionAnswer, PendingTransaction } from "../answers.ts";
import { type OperatorCalls, NONE, pathOf } from "../operator-calls.ts";
import { Facts, Panel, When } from "../part/panel.tsx";
import { Question, type QuestionField } from "../part/question.tsx";
import { Loaded, useList, useReading } from "../part/reading.tsx";
import { accountLink, terminalLink } from "../route.ts";
import { fullTime, money, shortTime, timeText } from "../words.ts";
import { canResolve, paymentStanding, formatTitle } from "./standing.ts";
import { listSteps } from "./time-line.ts";

/** A pending payment is read so often. Each reading asks the terminal's object. */
const LOOK_EVERY: Milliseconds = 5_000;

export function PaymentPanel({ requestId }: { requestId: string }) {
  const [isFinal, setFinal] = useState(false);
  const reading = useReading(
    async (calls) => {
      const found = await calls.find<FoundTransaction>("/transactions", { transId: requestId });
      setFinal(found === NONE || found.transaction.state === "completed");
      return found;
    },
    [requestId, isFinal],
    isFinal ? 0 : LOOK_EVERY,
  );
  return (
    <Loaded reading={reading} section="payments" none={`There is no payment with the number ${requestId}.`}>
      {(found) => <PaymentView {...found} onChanged={reading.again} />}
    </Loaded>
  );
}

function PaymentView({ terminalId, transaction: payment, onChanged }: FoundTransaction & { onChanged: () => void }) {
  const now = Date.now();
  const { tone, title, sentence } = paymentStanding(payment, now);
  const { outcome } = payment;
  const result = outcome?.transData;
  const facts = [
    ["Account", <a href={accountLink(payment.posId)}>{payment.posId}</a>],
    ["Terminal", <a href={terminalLink(terminalId)}>{terminalId}</a>],
    ["Reference", <code>{payment.referenceId}</code>],
    ["Amount", money(payment.transAmt, payment.currency)],
    ["Received", <When at={payment.receivedAt} zone={payment.timezone} />],
    ["Times in", payment.timezone],
    ["Completed", <When at={payment.completedAt} zone={payment.timezone} />],
    ["Response", outcome === null ? "–" : `${outcome.statusCode}, ${codeWithWords(outcome.responseCode)}`],
    ["Message", outcome?.responseText ?? "–"],
    ["Channel", result?.paymentChannel ?? "–"],
    ["Card", result?.cardNo ?? "–"],
    ["Approval code", result?.apprCode ?? "–"],
    ["Attempts", String(payment.attempt)],
  ] as const;
  return (
    <Panel
      title={formatTitle(payment)}
      aside={canResolve(payment, now) && <Resolve terminalId={terminalId} payment={payment} onDone={onChanged} />}
    >
      <p class="row">
        <ToneTag tone={tone}>{title}</ToneTag> <code>{payment.requestId}</code> <span class="soft">{sentence}</span>
      </p>
      <TimeLine stages={payment.stages} zone={payment.timezone} />
      <Facts facts={facts} />
      <Kept
        title="Conflicts"
        meaning="The terminal reported another outcome after it was completed. The outcome has not changed."
        reports={payment.conflicts}
        zone={payment.timezone}
      />
      {payment.conflicts.length > 0 && <Close payment={payment} terminalId={terminalId} />}
      <Kept
        title="Evidence"
        meaning="The terminal's result names another amount or currency, or has a secret that is newer than the payment."
        reports={payment.evidence}
        zone={payment.timezone}
      />
      <Disclosure summary="As JSON">
        <JsonCode value={payment} label="The journal's entry" />
      </Disclosure>
    </Panel>
  );
}

interface KeptProps {
  title: string;
  meaning: string;
  reports: TransactionAnswer["evidence"];
  zone: string;
}

function Kept({ title, meaning, reports, zone }: KeptProps) {
  if (reports.length === 0) return null;
  return (
    <div class="stack">
      <h3>{title}</h3>
      <Notice tone="pending">{meaning}</Notice>
      {reports.map(({ at, report }) => (
        <JsonCode key={at} value={report} label={`${title}, ${fullTime(at, zone)}`} />
      ))}
    </div>
  );
}

function TimeLine({ stages, zone }: { stages: readonly { stage: string; at: string }[]; zone: string }) {
  return (
    <ol class="time-line" aria-label="Timeline">
      {listSteps(stages).map(({ stage, label, part, at, offset, took, begin, length }, index) => (
        <li key={`${stage} ${at} ${index}`} data-part={part}>
          <span class="time-line-offset mono" title={fullTime(at, zone)}>
            +{timeText(offset)}
          </span>
          <span class="time-line-label">{label}</span>
          <span class="time-line-took soft small">{took === null ? "" : timeText(took)}</span>
          <svg class="time-line-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
            <rect x={begin} width={Math.max(length, 0.6)} y="0" height="2" />
          </svg>
        </li>
      ))}
    </ol>
  );
}

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
function Resolve({ terminalId, payment, onDone }: ResolveProps) {
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

/** Shows nothing unless the payment has open conflicting results. */
function Close({ terminalId, payment: { posId, requestId } }: Omit<ResolveProps, "onDone">) {
  const { rows, again } = useList<PendingTransaction>("/pending", { posId, terminalId, conflict: "true" });
  if (rows?.some((open) => open.requestId === requestId) !== true) return null;
  return (
    <div class="row">
      <Question
        action="Close"
        look="primary"
        title={`Close the conflicting result of ${requestId}?`}
        about={
          <p class="soft">
            First find out with the acquirer whether the customer was charged, and refund or book it. The recorded
            outcome does not change.
          </p>
        }
        fields={[
          { name: "reason", label: "Reason", hint: "For the audit log.", required: "Enter what you found out." },
        ]}
        change={({ reason }) => ({
          action: "transaction.close",
          target: posId,
          call: ["POST", `${pathOf.account(posId)}/transactions/${requestId}/close`, { reason }],
        })}
        done="The conflicting result is closed."
        onDone={again}
      />
    </div>
  );
}
