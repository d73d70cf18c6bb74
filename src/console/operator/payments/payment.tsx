import { useState } from "preact/hooks";
import { Choice } from "../../page/choice.tsx";
import { JsonCode } from "../../page/code.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { TextField } from "../../page/field.tsx";
import { Notice, Tag } from "../../page/status.tsx";
import type { Done } from "../../../protocol/accounts.ts";
import { HOUR } from "../../../time/units.ts";
import type { AuditAnswer, AuditPage, FoundTransaction, TransactionAnswer, UnresolvedPage } from "../answers.ts";
import { type Calls, NONE, pathOf } from "../calls.ts";
import { Facts, Panel, When } from "../part/panel.tsx";
import { Question } from "../part/question.tsx";
import { Found, useReading } from "../part/reading.tsx";
import { accountLink, terminalLink } from "../route.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { fullTime, money, shortTime, time } from "../words.ts";
import { canResolve, standingOf, titleOf } from "./standing.ts";
import { stepsOf } from "./time-line.ts";

/** How often an unresolved payment is read again. Each reading asks the terminal's object. */
const LOOK_EVERY = 5_000;

/** One payment, by its number. */
export function Payment({ requestId }: { requestId: string }) {
  const [isFinal, setFinal] = useState(false);
  const reading = useReading(
    async (calls) => {
      const found = await calls.find<FoundTransaction>("/transactions", { transId: requestId });
      setFinal(found === NONE || found.transaction.state === "completed");
      return found;
    },
    isFinal ? 0 : LOOK_EVERY,
    [requestId, isFinal],
  );
  return (
    <Found reading={reading} section="payments" none={`There is no payment with the number ${requestId}.`}>
      {(found) => <PaymentView {...found} onChanged={reading.again} />}
    </Found>
  );
}

interface PaymentProps extends FoundTransaction {
  onChanged: () => void;
}

function PaymentView({ terminalId, transaction: payment, onChanged }: PaymentProps) {
  const now = Date.now();
  const { tone, title, sentence } = standingOf(payment, now);
  const { outcome } = payment;
  const result = outcome?.transData;
  const facts = [
    ["Account", <a href={accountLink(payment.posId)}>{payment.posId}</a>],
    ["Terminal", <a href={terminalLink(terminalId)}>{terminalId}</a>],
    ["Reference", <code>{payment.referenceId}</code>],
    ["Amount", money(payment.transAmt, payment.currency)],
    ["Received", <When at={payment.receivedAt} />],
    ["Completed", <When at={payment.completedAt} />],
    ["Response", outcome === null ? "–" : `${outcome.statusCode}, ${codeWithWords(outcome.responseCode)}`],
    ["Message", outcome?.responseText ?? "–"],
    ["Channel", result?.paymentChannel ?? "–"],
    ["Card", result?.cardNo ?? "–"],
    ["Approval code", result?.apprCode ?? "–"],
    ["Attempts", String(payment.attempt)],
  ] as const;
  return (
    <Panel
      title={titleOf(payment)}
      id="payment-title"
      aside={canResolve(payment, now) && <Resolve terminalId={terminalId} payment={payment} onDone={onChanged} />}
    >
      <p class="row">
        <Tag tone={tone}>{title}</Tag> <code>{payment.requestId}</code> <span class="soft">{sentence}</span>
      </p>
      <TimeLine stages={payment.stages} />
      <Facts facts={facts} />
      <Kept
        title="Conflicts"
        meaning="The terminal reported another outcome after it was completed. The outcome has not changed."
        reports={payment.conflicts}
      />
      {payment.conflicts.length > 0 && <Close payment={payment} terminalId={terminalId} />}
      <Kept
        title="Evidence"
        meaning="The terminal's result names another amount or currency than was asked for."
        reports={payment.evidence}
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
}

/** Reports that contradict a payment and are stored with it. */
function Kept({ title, meaning, reports }: KeptProps) {
  if (reports.length === 0) return null;
  return (
    <div class="stack">
      <h3>{title}</h3>
      <Notice tone="pending">{meaning}</Notice>
      {reports.map(({ at, report }) => (
        <JsonCode key={at} value={report} label={`${title}, ${fullTime(at)}`} />
      ))}
    </div>
  );
}

/** The stages of a payment, each with its time, its duration, and a bar of that length. */
function TimeLine({ stages }: { stages: readonly { stage: string; at: string }[] }) {
  return (
    <ol class="time-line" aria-label="Timeline">
      {stepsOf(stages).map(({ stage, label, part, at, offset, took, begin, length }, index) => (
        <li key={`${stage} ${at} ${index}`} data-part={part}>
          <span class="time-line-offset mono" title={fullTime(at)}>
            +{time(offset)}
          </span>
          <span class="time-line-label">{label}</span>
          <span class="time-line-took soft small">{took === null ? "" : time(took)}</span>
          <svg class="time-line-bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
            <rect x={begin} width={Math.max(length, 0.6)} y="0" height="2" />
          </svg>
        </li>
      ))}
    </ol>
  );
}

const OUTCOMES = [
  { value: "11", label: "11: no money moved" },
  { value: "00", label: "00: money moved" },
];

const EFFECT: Record<string, string> = {
  "00": "The till learns that money moved. This is final: no later report of the terminal changes it.",
  "11": "The till learns that no money moved and none will: the cashier may charge again. This is final.",
};

type Outcome = { statusCode: string; reason: string };

interface ResolveProps {
  terminalId: string;
  payment: TransactionAnswer;
  onDone: () => void;
}

/** How other operators want to resolve it, where that needs two of them. */
async function proposalsOf(calls: Calls, terminalId: string, requestId: string): Promise<AuditAnswer[]> {
  const query = { action: "transaction.propose", target: terminalId, from: new Date(Date.now() - HOUR).toISOString() };
  const { data } = await calls.get<AuditPage>("/audit", query);
  return data.filter(({ details }) => String(details["requestId"]) === requestId);
}

/** Resolves a payment that the terminal cannot complete. */
function Resolve({ terminalId, payment, onDone }: ResolveProps) {
  const { requestId, posId } = payment;
  const proposals = useReading((calls) => proposalsOf(calls, terminalId, requestId), 0, [requestId]);
  const path = `${pathOf.terminal(terminalId)}/transactions/${requestId}/resolve`;
  return (
    <Question<TransactionAnswer | Done, Outcome>
      action="Resolve"
      role="support"
      look="primary"
      title={`Resolve ${titleOf(payment)} by ${posId} permanently?`}
      confirm={({ statusCode }) => `Resolve${statusCode === "" ? "" : ` as ${statusCode}`}`}
      fields={{ statusCode: "", reason: "" }}
      change={(outcome) => {
        if (outcome.statusCode === "") return { problems: { reason: "Choose an outcome first." } };
        if (outcome.reason === "") return { problems: { reason: "Enter a reason. The cashier sees it." } };
        const orElse = "transaction.propose";
        return { action: "transaction.resolve", orElse, target: terminalId, call: ["POST", path, outcome] };
      }}
      done={({ statusCode }, answer) =>
        "message" in answer ? answer.message : `Payment ${requestId} is resolved as ${statusCode}.`
      }
      onDone={onDone}
    >
      {({ values: { statusCode }, set, field }) => (
        <>
          <p class="soft">
            First find out what happened: from the terminal, the acquirer, or the customer's statement.
          </p>
          {proposals.value?.map(({ id, at, actor, details }) => (
            <Notice key={id} tone="pending">
              {`${actor} proposed ${String(details["statusCode"])} at ${shortTime(at)}: ${String(details["reason"])}`}
            </Notice>
          ))}
          <Choice label="Outcome" value={statusCode} options={OUTCOMES} onChoose={set("statusCode")} />
          <p>{EFFECT[statusCode]}</p>
          <TextField label="Reason" hint="The cashier sees it." {...field("reason")} />
        </>
      )}
    </Question>
  );
}

/** Closes the contrary results of a payment, if they are open. */
function Close({ terminalId, payment: { posId, requestId } }: Omit<ResolveProps, "onDone">) {
  const filter = { posId, terminalId, contrary: "true" };
  const { value, again } = useReading((calls) => calls.get<UnresolvedPage>("/unresolved", filter), 0, [requestId]);
  if (value?.data.some((open) => open.requestId === requestId) !== true) return null;
  return (
    <div class="row">
      <Question
        action="Close"
        look="primary"
        title={`Close the contrary result of ${requestId}?`}
        fields={{ reason: "" }}
        change={({ reason }) =>
          reason === ""
            ? { problems: { reason: "Enter what you found out." } }
            : {
                action: "transaction.close",
                target: posId,
                call: ["POST", `${pathOf.account(posId)}/transactions/${requestId}/close`, { reason }],
              }
        }
        done="The contrary result is closed."
        onDone={again}
      >
        {({ field }) => (
          <>
            <p class="soft">
              First find out with the acquirer whether the customer was charged, and refund or book it. The recorded
              outcome does not change.
            </p>
            <TextField label="Reason" hint="For the audit log." {...field("reason")} />
          </>
        )}
      </Question>
    </div>
  );
}
