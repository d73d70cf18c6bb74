import { useState } from "preact/hooks";
import { SEARCH_FILTERS } from "../../../protocol/operator-filters.ts";
import { coverageWords } from "../../../protocol/operator-search.ts";
import { CallForm, Controls, useCall } from "../../page/controls.tsx";
import type { Field } from "../../page/declared.ts";
import { ToneTag } from "../../page/shown.tsx";
import { go } from "../address.ts";
import type { FoundPayment, FoundPayments, FoundTransaction } from "../answers.ts";
import { NONE, callProblem } from "../calls.ts";
import { filterFields } from "../part/list.tsx";
import { Panel, PanelTable, When, type Column } from "../part/panel.tsx";
import { useCalls } from "../part/reading.tsx";
import { accountLink, linkTo, paymentLink, terminalLink, type PlaceQuery } from "../route.ts";
import { fullTime, money } from "../words.ts";
import { searchOf, type Wanted } from "./search.ts";
import { STATUS_TONES } from "./standing.ts";

const NAME: Field = {
  name: "text",
  label: "Number or reference",
  mono: true,
  hint: "The transId of ten digits, or the referenceId that the POS chose.",
};
const FIELDS = [NAME, ...filterFields(SEARCH_FILTERS)];

const EMPTY: Wanted = { text: "", posId: "", amount: "", cardLastFour: "", terminalId: "", from: "", to: "" };

export function FindPayment({ query: { text = "", posId = "" } }: { query: PlaceQuery }) {
  const calls = useCalls();
  const [wanted, setWanted] = useState<Wanted>({ ...EMPTY, text, posId });
  const [found, setFound] = useState<FoundPayments | null>(null);
  const { state, make } = useCall(callProblem);
  const find = async (): Promise<string | null> => {
    setFound(null);
    const search = searchOf(wanted);
    if (search.kind === "unclear") return search.problem;
    const { kind, ...query } = search;
    if (kind === "search") {
      setFound(await calls.get<FoundPayments>("/transactions", query));
      return null;
    }
    if (search.kind === "account") {
      const { posId: account, ...times } = search;
      go(linkTo("accounts", [account], { from: times.from, to: times.to }));
      return null;
    }
    const payment = await calls.find<FoundTransaction>("/transactions", query);
    if (payment === NONE) return "There is no such payment.";
    go(paymentLink(payment.terminalId, payment.transaction.requestId));
    return null;
  };
  const controls = (fields: Field[]) => (
    <Controls fields={fields} values={wanted} onInput={(entered) => setWanted((known) => ({ ...known, ...entered }))} />
  );
  return (
    <Panel title="Find a payment">
      <CallForm look="stack" state={state} action="Find" busyAction="Searching…" onSubmit={() => make(find)}>
        <div class="fields">{controls(FIELDS.filter(({ kind }) => kind !== "time"))}</div>
        <div class="row">{controls(FIELDS.filter(({ kind }) => kind === "time"))}</div>
      </CallForm>
      {found !== null && <Results found={found} />}
      <p class="soft">
        All accounts are searched for seven days. An account alone lists its payments of any time. A{" "}
        <a href={linkTo("terminals")}>terminal</a> has its journal. Payments without an outcome are in{" "}
        <a href={linkTo("pending")}>Pending</a>.
      </p>
    </Panel>
  );
}

/** `sale 1000000042` */
export const PAYMENT: Column<Pick<FoundPayment, "transType" | "requestId" | "terminalId">> = {
  head: "Payment",
  cell: ({ transType, requestId }) => (
    <>
      {transType} <span class="mono">{requestId}</span>
    </>
  ),
  href: ({ terminalId, requestId }) => paymentLink(terminalId, requestId),
};

/** `50.00 + 20.00 MYR` */
export const AMOUNT_COLUMN: Column<Pick<FoundPayment, "transAmt" | "cashAmt" | "currency">> = {
  head: "Amount",
  number: true,
  cell: ({ transAmt, cashAmt, currency }) => money(transAmt, cashAmt === null ? currency : `+ ${cashAmt} ${currency}`),
};

const COLUMNS: Column<FoundPayment>[] = [
  { head: "Time", cell: ({ completedAt, receivedAt }) => <When at={completedAt ?? receivedAt} /> },
  PAYMENT,
  AMOUNT_COLUMN,
  {
    head: "Status",
    cell: ({ statusCode, responseCode }) => (
      <>
        <ToneTag tone={STATUS_TONES[statusCode]}>{statusCode}</ToneTag> <code>{responseCode}</code>
      </>
    ),
  },
  { head: "Card", cell: ({ cardLastFour }) => cardLastFour ?? "–" },
  { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
  { head: "Account", cell: ({ posId }) => posId, href: ({ posId }) => accountLink(posId) },
  { head: "Terminal", cell: ({ terminalId }) => terminalId, href: ({ terminalId }) => terminalLink(terminalId) },
];

function Results({ found: { data, covered } }: { found: FoundPayments }) {
  return (
    <div class="stack" role="status">
      {data.length === 0 && <p>No payments found.</p>}
      {data.length > 0 && (
        <PanelTable label="Found payments" columns={COLUMNS} rows={data} keyOf={({ requestId }) => requestId} />
      )}
      <p class="soft">{coverageWords(covered, fullTime).join(" ")}</p>
    </div>
  );
}
