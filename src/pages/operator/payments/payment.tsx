import { useState } from "preact/hooks";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";
import { CopyButton } from "../../page/controls.tsx";
import { Disclosure, JsonCode, Notice, ToneTag } from "../../page/shown.tsx";
import type { FoundTransaction, TransactionAnswer } from "../answers.ts";
import { NONE } from "../operator-calls.ts";
import { Facts, Panel, Since, When } from "../part/panel.tsx";
import { Loaded, useReading } from "../part/reading.tsx";
import { accountLink, linkTo, paymentLink, terminalLink } from "../route.ts";
import { fullTime, money, timeText } from "../words.ts";
import { Close, Resolve } from "./questions.tsx";
import { readRelated, RelatedPayments, RelatedWebhooks, type Related } from "./related.tsx";
import { canResolve, formatTitle, paymentStanding } from "./standing.ts";
import { TimeLine } from "./time-line-view.tsx";

/** For a pending payment. Each reading asks the terminal's object. */
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
      {(found) => <PaymentView found={found} onChanged={reading.again} />}
    </Loaded>
  );
}

function PaymentView({ found, onChanged }: { found: FoundTransaction; onChanged: () => void }) {
  const { terminalId, transaction: payment } = found;
  const { requestId, state, conflicts } = payment;
  const related = useReading((calls) => readRelated(calls, found), [requestId, state, conflicts.length], 0);
  const again = (): void => {
    onChanged();
    related.again();
  };
  const now = Date.now();
  const isConflicting = related.value?.isConflicting ?? false;
  const { tone, title, sentence, next } = paymentStanding(payment, now, isConflicting);
  return (
    <>
      <Panel
        title={formatTitle(payment)}
        tone={tone}
        aside={
          <span class="row">
            <CopyButton text={() => supportText(found, related.value)} label="Copy for support" />
            {isConflicting && <Close terminalId={terminalId} payment={payment} onDone={again} />}
            {canResolve(payment, now) && <Resolve terminalId={terminalId} payment={payment} onDone={again} />}
          </span>
        }
      >
        <p class="row">
          <ToneTag tone={tone}>{title}</ToneTag>
          <Where found={found} related={related.value} />
        </p>
        <Notice tone={tone}>
          <strong>{sentence}</strong> {next}
        </Notice>
      </Panel>
      <div class="overview">
        <div class="column">
          <Panel title="Time line">
            <TimeLine stages={payment.stages} zone={payment.timezone} />
            <Reports
              title="Conflicts"
              meaning="The terminal reported another outcome after it was completed. The outcome has not changed."
              reports={conflicts}
              zone={payment.timezone}
            />
            <Reports
              title="Evidence"
              meaning="The terminal's result names another amount or currency, or has a secret that is newer than the payment."
              reports={payment.evidence}
              zone={payment.timezone}
            />
          </Panel>
          <RelatedPayments found={found} reading={related} />
        </div>
        <div class="column">
          <Panel title="Details">
            <Facts facts={listFacts(found, related.value)} />
            <Disclosure summary="As JSON">
              <JsonCode value={payment} label="The journal's entry" />
            </Disclosure>
          </Panel>
          <RelatedWebhooks posId={payment.posId} reading={related} />
        </div>
      </div>
    </>
  );
}

/** `At Harbour shop, T-1001 (connected, heard 4 s ago), 20 Nov 14:02`. */
function Where({ found, related }: { found: FoundTransaction; related: Related | null }) {
  const { terminalId, transaction } = found;
  const { posId, receivedAt, timezone } = transaction;
  const terminal = related?.terminal ?? null;
  return (
    <span>
      At <a href={accountLink(posId)}>{terminal?.shopName ?? posId}</a>, terminal{" "}
      <a href={terminalLink(terminalId)}>{terminalId}</a>{" "}
      {terminal !== null && (
        <span class="soft">
          ({terminal.connected ? "connected" : "offline"}, heard <Since at={terminal.lastHeartbeat} />)
        </span>
      )}{" "}
      · <When at={receivedAt} zone={timezone} /> <span class="soft">{timezone}</span>
    </span>
  );
}

function listFacts({ terminalId, transaction: payment }: FoundTransaction, related: Related | null) {
  const { outcome, timezone } = payment;
  const result = outcome?.transData;
  const voidedBy = related?.recorded?.voidedBy ?? null;
  return [
    ["Number", <code>{payment.requestId}</code>],
    ["Reference", <code>{payment.referenceId}</code>],
    ["Amount", money(payment.transAmt, payment.currency)],
    ["Completed", <When at={payment.completedAt} zone={timezone} />],
    ["Response", outcome === null ? "–" : `${outcome.statusCode}, ${codeWithWords(outcome.responseCode)}`],
    ["Message", outcome?.responseText ?? "–"],
    ["Channel", result?.paymentChannel ?? "–"],
    ["Card", result?.cardNo ?? "–"],
    ["Approval code", result?.apprCode ?? "–"],
    ["Retrieval reference", result?.rrn ?? "–"],
    ["Terminal software", [outcome?.softwareVersion, outcome?.terminalSn].filter(Boolean).join(", ") || "–"],
    ["Sent to the terminal", payment.attempt === 1 ? "once" : `${payment.attempt} times`],
    [
      "Voided by",
      voidedBy === null ? "–" : <a href={paymentLink(terminalId, voidedBy.requestId)}>{voidedBy.requestId}</a>,
    ],
    ["Changes", <a href={linkTo("audit", [], { target: terminalId })}>Audit log</a>],
  ] as const;
}

/** What another person needs who has no access: no card number but its last digits. */
function supportText({ terminalId, transaction: payment }: FoundTransaction, related: Related | null): string {
  const { title, sentence } = paymentStanding(payment, Date.now(), related?.isConflicting ?? false);
  const { outcome, receivedAt, completedAt, timezone } = payment;
  const lines = {
    Payment: `${payment.requestId}, ${formatTitle(payment)}`,
    State: `${title}. ${sentence}`,
    Shop: `${related?.terminal?.shopName ?? "–"}, account ${payment.posId}, terminal ${terminalId}`,
    Reference: payment.referenceId,
    Received: fullTime(receivedAt, timezone),
    Completed: completedAt === null ? "–" : fullTime(completedAt, timezone),
    Response: outcome === null ? "–" : `${outcome.statusCode} ${codeWithWords(outcome.responseCode)}`,
    Approval: outcome?.transData?.apprCode ?? "–",
    RRN: outcome?.transData?.rrn ?? "–",
    Card: outcome?.transData?.cardNo ?? "–",
    Stages: payment.stages
      .map(({ stage, at }) => `${stage} ${timeText(Date.parse(at) - Date.parse(receivedAt))}`)
      .join(", "),
    Address: location.href,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

interface ReportsProps {
  title: string;
  meaning: string;
  reports: TransactionAnswer["evidence"];
  zone: string;
}

function Reports({ title, meaning, reports, zone }: ReportsProps) {
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
