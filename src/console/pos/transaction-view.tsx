import { Button } from "../page/button.tsx";
import { Tag } from "../page/status.tsx";
import { AnswerView } from "./answer-view.tsx";
import { MessagesView } from "./messages-view.tsx";
import { Journey, Stages } from "./stages.tsx";
import { approvedNumber, isOpen, isPayment } from "./till.ts";
import type { Till, Transaction } from "./till.ts";
import { standingOf, type KnownTerminal } from "./words.ts";

export interface TransactionViewProps {
  till: Till;
  transaction: Transaction | null;
  /** What is known of its terminal. */
  terminal: KnownTerminal;
}

/** The element's id: the page moves here when a transaction is sent and when it ends. */
export const TRANSACTION_ID = "transaction";

/** One transaction: its state, the answer, the possible actions, and its messages. */
export function TransactionView({ till, transaction, terminal }: TransactionViewProps) {
  return (
    <section id={TRANSACTION_ID} class="panel transaction-view" aria-labelledby="transaction-title">
      <h3 id="transaction-title" class={transaction === null ? undefined : "visually-hidden"}>
        {transaction === null ? "Nothing sent yet" : "This transaction"}
      </h3>
      {transaction === null ? (
        <p class="soft">A transaction that you send appears here, with its state, messages and signatures.</p>
      ) : (
        <Sent till={till} transaction={transaction} terminal={terminal} />
      )}
    </section>
  );
}

function Sent({ till, transaction, terminal }: TransactionViewProps & { transaction: Transaction }) {
  const { number, call, state, cancelling } = transaction;
  const { tone, title, sentence } = standingOf(transaction, terminal);
  const running = state.kind === "running";
  return (
    <>
      <div class="standing" data-tone={tone}>
        <p class="standing-what">
          <Tag>{call.transType}</Tag> <span class="mono">{amountOf(transaction)}</span> <span class="soft">at</span>{" "}
          <span class="mono">{call.request.deviceId}</span> <span class="soft">under</span>{" "}
          <span class="mono">{call.request.referenceId}</span>
        </p>
        <div role="status" class="standing-words">
          <p class="standing-title">{title}</p>
          <p class="standing-sentence">{sentence}</p>
        </div>
      </div>
      <AnswerView state={state} />
      <Stages transaction={transaction} />
      <Journey stages={transaction.stages} />
      <div class="row actions">
        <Button disabled={!isOpen(transaction) || cancelling === "asking"} onClick={() => void till.cancel(number)}>
          {cancelling === "asking" ? "Cancelling…" : "Cancel"}
        </Button>
        <Button disabled={running} onClick={() => till.sendAgain(number)}>
          Send again
        </Button>
        <Button disabled={!isPayment(call)} onClick={() => till.inquire(transaction)}>
          Inquire
        </Button>
        <Button disabled={approvedNumber(transaction) === null} onClick={() => till.voidOf(transaction)}>
          Void
        </Button>
      </div>
      {cancelling !== null && cancelling !== "asking" && (
        <p class="notice" data-tone="bad" role="status">
          The cancel was not accepted. {cancelling.message}
        </p>
      )}
      <MessagesView key={number} baseUrl={till.baseUrl} messages={transaction.messages} />
    </>
  );
}

/** The requested amount; for a void, the number of the voided transaction. */
export function amountOf({ call }: Transaction): string {
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
