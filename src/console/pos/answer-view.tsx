import type { TransactionDetails, TransferAnswer } from "../../client/pos.ts";
import type { Transaction } from "./till.ts";

/**
 * What a cashier reads of the answer. Every row exists before the answer arrives and keeps to one line, so that nothing
 * below it moves.
 */
export function AnswerView({ state }: Pick<Transaction, "state">) {
  return (
    <dl class="answer" aria-label="Answer">
      {rowsOf(state.kind === "answered" ? state.answer : null).map(([name, value]) => (
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

function rowsOf(answer: TransferAnswer | null): [name: string, value: string][] {
  const { statusCode = "", responseCode = "" } = answer ?? {};
  const details: Partial<TransactionDetails> = answer?.transData ?? {};
  const { transId = "", paymentChannel = "", cardNo = "", apprCode = "", transDateTime = "" } = details;
  return [
    ["Status", [statusCode, responseCode].join(" ").trim()],
    ["Number", transId],
    ["Paid with", cardNo === "" ? paymentChannel : `${paymentChannel} …${cardNo.slice(-LAST_DIGITS)}`],
    ["Approval", apprCode],
    ["At", timeOf(transDateTime)],
  ];
}

/** How many digits of a card number are not masked. */
const LAST_DIGITS = 4;

/** `22:35:18` of `2026-11-22T22:35:18`, which is the account's local time. */
function timeOf(transDateTime: string): string {
  return transDateTime.slice(11);
}
