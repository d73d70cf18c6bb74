import { useState } from "hono/jsx/dom";
import { Button } from "../../page/button.tsx";
import { Choice } from "../../page/choice.tsx";
import { Tag } from "../../page/status.tsx";
import type { AccountTransaction } from "../answers.ts";
import { accountPath } from "../paths.ts";
import { STATUS_TONES } from "../payments/standing.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { TimeField } from "../part/time-field.tsx";
import { useList } from "../part/use-list.ts";
import { When } from "../part/when.tsx";
import { linkTo, paymentLink, terminalLink } from "../route.ts";
import { go } from "../use-route.ts";
import { money } from "../words.ts";

const COLUMNS: Column<AccountTransaction>[] = [
  { head: "Received", cell: ({ receivedAt }) => <When at={receivedAt} /> },
  {
    head: "Payment",
    cell: ({ deviceId, requestId, transType, transAmt, currency }) => (
      <a href={paymentLink(deviceId, requestId)}>
        {transType} {money(transAmt, currency)}
      </a>
    ),
  },
  {
    head: "Outcome",
    cell: ({ statusCode, responseCode }) => (
      <>
        <Tag tone={STATUS_TONES[statusCode]}>{statusCode}</Tag> <code>{responseCode}</code>
      </>
    ),
  },
  { head: "Terminal", cell: ({ deviceId }) => <a href={terminalLink(deviceId)}>{deviceId}</a> },
  { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
];

const STATUSES = [
  { value: "", label: "All" },
  { value: "00", label: "Approved" },
  { value: "11", label: "Not approved" },
  { value: "22", label: "Not known" },
];

/** An account's payments, newest first, by time and outcome. */
export function Payments({ posId, query }: { posId: string; query: Record<string, string> }) {
  const { from = "", to = "", statusCode = "" } = query;
  const [wanted, setWanted] = useState({ from, to });
  const list = useList<AccountTransaction>(`${accountPath(posId)}/transactions`, { from, to, statusCode });
  const show = (change: Record<string, string>): void =>
    go(linkTo("accounts", [posId], { from, to, statusCode, ...change }));
  const submit = (event: Event): void => {
    event.preventDefault();
    show(wanted);
  };
  return (
    <Panel title="Payments" id="payments-title">
      <form class="row" role="search" onSubmit={submit} noValidate>
        <TimeField label="From" value={from} onChoose={(at) => setWanted((known) => ({ ...known, from: at }))} />
        <TimeField label="To" value={to} onChoose={(at) => setWanted((known) => ({ ...known, to: at }))} />
        <Button>Show</Button>
      </form>
      <Choice label="Outcome" value={statusCode} options={STATUSES} onChoose={(value) => show({ statusCode: value })} />
      <ListTable
        label="Payments"
        list={list}
        none="No payments."
        columns={COLUMNS}
        keyOf={({ requestId }) => requestId}
      />
    </Panel>
  );
}
