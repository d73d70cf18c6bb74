import { useState } from "preact/hooks";
import { JsonCode } from "../../page/code.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { Notice, Tag } from "../../page/status.tsx";
import type { FoundTransaction, TransactionAnswer } from "../answers.ts";
import { Facts } from "../part/facts.tsx";
import { Panel } from "../part/section.tsx";
import { useReading } from "../part/use-calls.ts";
import { When } from "../part/when.tsx";
import { accountLink, linkTo, terminalLink } from "../route.ts";
import { money } from "../words.ts";
import { Kept } from "./kept.tsx";
import { Resolve } from "./resolve.tsx";
import { canResolve, standingOf, titleOf } from "./standing.ts";
import { TimeLine } from "./time-line.tsx";

/** How often an unresolved payment is read again. Each reading asks the terminal's object. */
const LOOK_EVERY = 5_000;

const NONE = "none";

/** One payment, by its number. */
export function Payment({ requestId }: { requestId: string }) {
  const [isFinal, setFinal] = useState(false);
  const { value, problem, again } = useReading(
    async (calls) => {
      const found = await calls.find<FoundTransaction>("/transactions", { transId: requestId });
      setFinal(found === null || found.transaction.state === "completed");
      return found ?? NONE;
    },
    isFinal ? 0 : LOOK_EVERY,
    [requestId, isFinal],
  );
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  if (value === NONE) return <Notice tone="bad">There is no payment with the number {requestId}.</Notice>;
  return (
    <>
      <p>
        <a href={linkTo("payments")}>Payments</a>
      </p>
      {problem !== null && <Notice tone="pending">Not up to date. {problem}</Notice>}
      <PaymentView terminalId={value.terminalId} payment={value.transaction} onChanged={again} />
    </>
  );
}

interface PaymentProps {
  terminalId: string;
  payment: TransactionAnswer;
  onChanged: () => void;
}

function PaymentView({ terminalId, payment, onChanged }: PaymentProps) {
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
    ["Response", outcome === null ? "–" : `${outcome.statusCode} ${outcome.responseCode}`],
    ["Message", outcome?.responseText ?? "–"],
    ["Channel", result?.paymentChannel ?? "–"],
    ["Card", result?.cardNo ?? "–"],
    ["Approval code", result?.apprCode ?? "–"],
    ["Attempts", String(payment.attempt)],
  ] as const;
  return (
    <>
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
        <Kept
          title="Evidence"
          meaning="The terminal's result names another amount or currency than was asked for."
          reports={payment.evidence}
        />
        <Disclosure summary="As JSON">
          <JsonCode value={payment} label="The journal's entry" />
        </Disclosure>
      </Panel>
    </>
  );
}
