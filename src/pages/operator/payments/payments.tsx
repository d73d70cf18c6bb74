import { SEARCH_FILTERS } from "../../../protocol/operator-filters.ts";
import { coverageWords } from "../../../protocol/operator-search.ts";
import type { Field } from "../../page/declared.ts";
import { makePlace } from "../address.ts";
import type { FoundPayment } from "../answers.ts";
import { filterFields, ListPanel } from "../part/list.tsx";
import { OutcomeCell, When } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, linkTo, paymentLink, terminalLink, readTexts, type PlaceQuery } from "../route.ts";
import { money, shortTime } from "../words.ts";
import { SEARCHED, searchPayments, type PaymentSearch, type SearchPage } from "./search.ts";

const TEXT: Field = {
  name: "text",
  label: "Find",
  hint: "A number, a reference, an amount, the last four digits of a card, or a shop's name.",
};

/** The newest payments of all accounts, or those that somebody looks for. */
export function PaymentsPanel({ query }: { query: PlaceQuery }) {
  const filter: PaymentSearch = readTexts(query, SEARCHED);
  const list = useList<FoundPayment, SearchPage>("/transactions", filter, {
    get: (calls) => searchPayments(calls, filter),
  });
  const covered = list.first?.covered ?? null;
  return (
    <ListPanel<FoundPayment>
      title="Payments"
      aside={<a href={linkTo("pending")}>Pending payments</a>}
      list={list}
      place={makePlace(filter)}
      fields={[TEXT]}
      more={filterFields(SEARCH_FILTERS)}
      action="Find"
      none="No payments found."
      columns={COLUMNS}
      keyOf={({ terminalId, requestId }) => `${terminalId} ${requestId}`}
      below={
        <p class="soft small">
          {covered !== null && `${coverageWords(covered, shortTime).join(" ")} `}
          An <a href={linkTo("accounts")}>account</a> lists its payments of any time, and a{" "}
          <a href={linkTo("terminals")}>terminal</a> has its journal.
        </p>
      }
    />
  );
}

/** Shows `sale 1000000042`, and the POS's reference. */
export const PAYMENT: Column<Pick<FoundPayment, "transType" | "requestId" | "terminalId" | "referenceId">> = {
  head: "Payment",
  cell: ({ transType, requestId, terminalId, referenceId }) => (
    <>
      <a href={paymentLink(terminalId, requestId)}>
        {transType} <span class="mono">{requestId}</span>
      </a>{" "}
      <code class="soft reference">{referenceId}</code>
    </>
  ),
};

/** Shows `MYR 50.00 + 20.00`. */
export const AMOUNT_COLUMN: Column<Pick<FoundPayment, "transAmt" | "cashAmt" | "currency">> = {
  head: "Amount",
  number: true,
  cell: ({ transAmt, cashAmt, currency }) => money(transAmt, currency) + (cashAmt === null ? "" : ` + ${cashAmt}`),
};

const COLUMNS: Column<FoundPayment>[] = [
  { head: "Time", cell: ({ completedAt, receivedAt }) => <When at={completedAt ?? receivedAt} /> },
  AMOUNT_COLUMN,
  { head: "Outcome", cell: (row) => <OutcomeCell {...row} /> },
  { head: "Card", cell: ({ cardLastFour }) => cardLastFour ?? "–" },
  { head: "Account", cell: ({ posId }) => posId, href: ({ posId }) => accountLink(posId) },
  { head: "Terminal", cell: ({ terminalId }) => terminalId, href: ({ terminalId }) => terminalLink(terminalId) },
  PAYMENT,
];
