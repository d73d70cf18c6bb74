import type {
  PosProblem,
  StageMessage,
  TransactionDetails,
  TransferAnswer,
  TransferProgress,
} from "../../sdk/client/pos.ts";
import { shortDuration } from "../../protocol/time/duration.ts";
import { Button } from "../page/controls.tsx";
import { clockTime } from "../page/signals.ts";
import { Dot, Notice, ToneTag } from "../page/shown.tsx";
import { isReplayed, MessagesView } from "./messages-view.tsx";
import type { SignedExchange } from "./messages.ts";
import { approvedNumber, isTransactionOpen, isPayment, type PosModel, type PageTransaction } from "./pos-model.ts";
import { outcomeTextFor, type KnownTerminal } from "./words.ts";

interface TransactionViewProps {
  pos: PosModel;
  transaction: PageTransaction | null;
  terminal: KnownTerminal;
}

/** The page moves to this element when a transaction is sent and when it ends. */
export const TRANSACTION_ID = "transaction";

export function TransactionView({ pos, transaction, terminal }: TransactionViewProps) {
  return (
    <section id={TRANSACTION_ID} class="panel" aria-labelledby="transaction-title" tabindex={-1}>
      <h3 id="transaction-title" class={transaction === null ? undefined : "visually-hidden"}>
        {transaction === null ? "Nothing sent yet" : "This transaction"}
      </h3>
      {transaction === null ? (
        <p class="soft">A transaction that you send appears here, with its state, messages and signatures.</p>
      ) : (
        <Sent pos={pos} transaction={transaction} terminal={terminal} />
      )}
    </section>
  );
}

function Sent({ pos, transaction, terminal }: TransactionViewProps & { transaction: PageTransaction }) {
  const { number, call, state, cancelling } = transaction;
  const { tone, title, sentence } = outcomeTextFor(transaction, terminal);
  const { watch } = transaction;
  const running = state.kind === "running";
  const blocking = pos.blocking(transaction);
  return (
    <>
      <div class="standing" data-tone={tone}>
        <p class="standing-what">
          <ToneTag>{call.transType}</ToneTag> <span class="mono">{amountOf(transaction)}</span>{" "}
          <span class="soft">at</span> <span class="mono">{call.request.deviceId}</span> <span class="soft">under</span>{" "}
          <span class="mono">{call.request.referenceId}</span>
        </p>
        <div role="status" class="standing-words">
          <p class="standing-title">{title}</p>
          {tone === "pending" && <p class="standing-warning">Do not charge again.</p>}
          <p class="standing-sentence">{sentence}</p>
        </div>
      </div>
      {watch !== undefined && (
        <Notice>
          <strong>Watch:</strong> {watch}
        </Notice>
      )}
      <AnswerView state={state} />
      <Stages transaction={transaction} />
      <Journey stages={transaction.stages} />
      <div class="row actions">
        <Button
          disabled={!isTransactionOpen(transaction) || cancelling === "asking"}
          onClick={() => void pos.cancel(number)}
        >
          {cancelling === "asking" ? "Cancelling…" : "Cancel"}
        </Button>
        <Button disabled={running} onClick={() => pos.sendAgain(number)}>
          Send again
        </Button>
        <Button disabled={!isPayment(call)} onClick={() => pos.inquire(transaction)}>
          Inquire
        </Button>
        <Button disabled={approvedNumber(transaction) === null} onClick={() => pos.voidPayment(transaction)}>
          Void
        </Button>
        {blocking !== null && isTransactionOpen(blocking) && (
          <Button
            label={`Cancel the open payment of ${amountOf(blocking)}`}
            onClick={() => void pos.cancel(blocking.number)}
          >
            Cancel the open payment
          </Button>
        )}
      </div>
      {cancelling !== null && cancelling !== "asking" && (
        <p class="notice" data-tone="bad" role="status">
          The cancel was not accepted. {cancelling.message}
        </p>
      )}
      <MessagesView key={number} baseUrl={pos.baseUrl} messages={transaction.messages} />
    </>
  );
}

/** For a void, the number of the voided transaction. */
function amountOf({ call }: PageTransaction): string {
  switch (call.transType) {
    case "sale":
      return call.request.transAmt;
    case "cashOut":
      return `${call.request.transAmt} + ${call.request.cashAmt}`;
    case "void":
      return call.request.transId;
    case "inquiry": {
      const { about } = call.request;
      if (about === undefined) return "";
      return "transId" in about ? about.transId : about.referenceId;
    }
    case "getLast":
      return "";
  }
}

/** Every row exists before the answer arrives and stays on one line, so that nothing below moves. */
function AnswerView({ state }: Pick<PageTransaction, "state">) {
  return (
    <dl class="answer" aria-label="Answer">
      {listRows(state.kind === "answered" ? state.answer : null).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="mono" title={value}>
            {value === "" ? "–" : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function listRows(answer: TransferAnswer | null): [name: string, value: string][] {
  const { statusCode = "", responseCode = "" } = answer ?? {};
  const details: Partial<TransactionDetails> = answer?.transData ?? {};
  const { transId = "", paymentChannel = "", cardNo = "", apprCode = "", transDateTime = "" } = details;
  return [
    ["Status", [statusCode, responseCode].join(" ").trim()],
    ["Number", transId],
    ["Paid with", cardNo === "" ? paymentChannel : `${paymentChannel} …${cardNo.slice(-4)}`],
    ["Approval", apprCode],
    // The time of day, in the account's zone.
    ["At", transDateTime.slice(11)],
  ];
}

interface Stage {
  label: string;
  /** Empty for a stage that is still to come. */
  detail: string;
  state: "done" | "now" | "ahead" | "failed";
}

function Stages({ transaction }: { transaction: PageTransaction }) {
  return (
    <ol class="stages" aria-label="Stages">
      {listStages(transaction).map(({ label, detail, state }) => (
        <li key={label} class="stage" data-state={state} aria-current={state === "now" ? "step" : undefined}>
          <span class="stage-label">{label}</span>
          <span class="stage-detail">{detail}</span>
        </li>
      ))}
    </ol>
  );
}

/**
 * The stages that the gateway reports, each with the seconds since it received the request. Drawn before the first
 * stage, so that nothing below moves.
 */
function Journey({ stages }: { stages: readonly StageMessage[] }) {
  const begun = Date.parse(stages[0]?.at ?? "");
  return (
    <ol class="journey" aria-label="At the terminal">
      {stages.map(({ stage, at }) => (
        <li key={`${stage} ${at}`}>
          {stage} <span class="soft">{((Date.parse(at) - begun) / 1_000).toFixed(1)} s</span>
        </li>
      ))}
    </ol>
  );
}

function listStages({ begun, call, messages, state }: PageTransaction): Stage[] {
  const own = messages.filter(({ sentAt, path }) => sentAt >= begun && path === "/api/transfer");
  const [first] = own;
  const times = own.length > 1 ? `${own.length} times` : "once";
  if (first === undefined) {
    return [
      state.kind === "running"
        ? { label: "Signed", detail: "", state: "now" }
        : { label: "Signed", detail: "not sent", state: "failed" },
      { label: "Sent", detail: "", state: "ahead" },
      { label: "Waiting", detail: "", state: "ahead" },
      answered(state, own),
    ];
  }
  return [
    { label: "Signed", detail: clockTime(first.sentAt), state: "done" },
    { label: "Sent", detail: call.request.referenceId === "" ? "" : times, state: "done" },
    state.kind === "running"
      ? { label: "Waiting", detail: waitingWords(state.progress), state: "now" }
      : { label: "Waiting", detail: shortDuration(state.at - first.sentAt), state: "done" },
    answered(state, own),
  ];
}

function waitingWords(progress: TransferProgress | null): string {
  const elapsed = `${Math.floor((progress?.elapsed ?? 0) / 1_000)} s`;
  return progress?.state === "waiting" ? `${elapsed} · asks again` : elapsed;
}

function answered(state: PageTransaction["state"], own: SignedExchange[]): Stage {
  const label = "Answered";
  switch (state.kind) {
    case "running": {
      const pending = state.progress?.pending;
      return { label, detail: pending ? `22 ${pending.responseCode}` : "", state: "ahead" };
    }
    case "failed":
      return { label, detail: statusOf(state.problem), state: "failed" };
    case "answered": {
      const last = own.at(-1);
      const { statusCode } = state.answer;
      const replayed = last !== undefined && isReplayed(last) ? " · replayed" : "";
      return { label, detail: `${statusCode}${replayed}`, state: statusCode === "11" ? "failed" : "done" };
    }
  }
}

function statusOf({ status }: PosProblem): string {
  return status === undefined ? "no answer" : String(status);
}

/** Newest first. Only open transactions survive a reload; the gateway keeps its own record. */
export function History({ pos }: { pos: PosModel }) {
  const [transactions, shown] = [pos.transactions.value, pos.shown.value];
  if (transactions.length === 0) return null;
  return (
    <section class="panel history" aria-labelledby="history-title">
      <h3 id="history-title">On this page</h3>
      <ol class="history-list" reversed>
        {transactions.map((transaction) => {
          const { number, call, begun, state } = transaction;
          const { tone } = outcomeTextFor(transaction);
          return (
            <li key={number}>
              <button
                type="button"
                class="history-row"
                aria-current={number === shown ? "true" : undefined}
                onClick={() => pos.show(number)}
              >
                <span class="mono soft history-time">{clockTime(begun)}</span>
                <span class="history-what">
                  {call.transType} <span class="mono">{amountOf(transaction)}</span>
                </span>
                <span class="mono soft history-where">{call.request.deviceId}</span>
                <span class="history-state">
                  <Dot tone={tone} /> {abbreviateState(state)}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function abbreviateState(state: PageTransaction["state"]): string {
  switch (state.kind) {
    case "running":
      return "in progress";
    case "failed":
      return statusOf(state.problem);
    case "answered":
      return `${state.answer.statusCode} ${state.answer.statusCode === "00" ? "" : state.answer.responseCode}`.trim();
  }
}
