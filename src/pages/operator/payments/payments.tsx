import { SEARCH_FILTERS } from "../../../protocol/operator-filters.ts";
import { coverageWords } from "../../../protocol/operator-search.ts";
import type { Field } from "../../page/declared.ts";
import { makePlace } from "../address.ts";
import type { FoundPayment } from "../answers.ts";
import { filterFields, ListPanel } from "../part/list.tsx";
import { type Column } from "../part/table.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, linkTo, terminalLink, readTexts, type PlaceQuery } from "../route.ts";
import { shortTime, timeText } from "../words.ts";
import { measureDuration } from "./standing.ts";
import { PaymentsTabs } from "./tabs.tsx";
import { AMOUNT_COLUMN, OUTCOME_COLUMN, PAYMENT, TIME_COLUMN } from "./columns.tsx";
import { SEARCHED, searchPayments, type SearchPage } from "./search.ts";

const TEXT: Field = {
  name: "text",
  label: "Find",
  hint: "A number, a reference, an amount, the last four digits of a card, or a shop's name.",
};

/** The newest payments of all accounts, or those that somebody looks for. */
export function PaymentsPanel({ query }: { query: PlaceQuery }) {
  const { outcome, ...filter } = readTexts(query, [...SEARCHED, "outcome"]);
  const list = useList<FoundPayment, SearchPage>("/transactions", filter, {
    get: (calls) => searchPayments(calls, filter),
  });
  const covered = list.first?.covered ?? null;
  const all = list.rows ?? [];
  const have = (status: string): FoundPayment[] => all.filter(({ statusCode }) => statusCode === status);
  const tab = outcome === "00" || outcome === "11" ? outcome : "";
  return (
    <ListPanel<FoundPayment>
      title="Payments"
      about={
        <PaymentsTabs
          present={tab}
          query={filter}
          counts={list.rows === null ? {} : { "": all.length, "00": have("00").length, "11": have("11").length }}
        />
      }
      list={tab === "" ? list : { ...list, rows: list.rows && have(tab), previous: null }}
      place={makePlace({ ...filter, outcome }, Object.values(filter))}
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

const COLUMNS: Column<FoundPayment>[] = [
  TIME_COLUMN,
  AMOUNT_COLUMN,
  OUTCOME_COLUMN,
  { head: "Card", cell: ({ cardLastFour }) => (cardLastFour === null ? "–" : `•• ${cardLastFour}`), place: "plain" },
  {
    head: "Shop",
    cell: ({ shopName, posId }) => shopName ?? posId,
    href: ({ posId }) => accountLink(posId),
    place: "plain",
  },
  {
    head: "Terminal",
    cell: ({ terminalId }) => <span class="mono">{terminalId}</span>,
    href: ({ terminalId }) => terminalLink(terminalId),
    place: "plain",
  },
  {
    head: "Took",
    number: true,
    cell: ({ receivedAt, completedAt }) => timeText(measureDuration(receivedAt, completedAt)),
    place: "plain",
  },
  PAYMENT,
];
