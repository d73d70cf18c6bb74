import type { FoundPayment } from "../answers.ts";
import { OutcomeCell, When } from "../part/panel.tsx";
import type { Column } from "../part/table.tsx";
import { paymentLink } from "../route.ts";
import { money } from "../words.ts";

/** `sale 1000000042`, and the POS's reference. */
export const PAYMENT: Column<Pick<FoundPayment, "transType" | "requestId" | "terminalId" | "referenceId">> = {
  head: "Payment",
  place: "plain",
  cell: ({ transType, requestId, terminalId, referenceId }) => (
    <>
      <a href={paymentLink(terminalId, requestId)}>
        {transType} <span class="mono">{requestId}</span>
      </a>{" "}
      <code class="soft reference">{referenceId}</code>
    </>
  ),
};

/** `MYR 50.00 + 20.00` */
export const AMOUNT_COLUMN: Column<Pick<FoundPayment, "transAmt" | "cashAmt" | "currency">> = {
  head: "Amount",
  number: true,
  place: "first",
  cell: ({ transAmt, cashAmt, currency }) => (
    <strong>{money(transAmt, currency) + (cashAmt === null ? "" : ` + ${cashAmt}`)}</strong>
  ),
};

export const TIME_COLUMN: Column<Pick<FoundPayment, "completedAt" | "receivedAt">> = {
  head: "Time",
  place: "plain",
  cell: ({ completedAt, receivedAt }) => <When at={completedAt ?? receivedAt} />,
};

export const OUTCOME_COLUMN: Column<FoundPayment> = {
  head: "Outcome",
  place: "first",
  cell: (row) => <OutcomeCell {...row} />,
};
