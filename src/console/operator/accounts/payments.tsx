import { transactionsCsv } from "../../../protocol/csv.ts";
import { Choice } from "../../page/choice.tsx";
import { Tag } from "../../page/status.tsx";
import { placeOf } from "../address.ts";
import type { AccountTransaction } from "../answers.ts";
import { pathOf } from "../calls.ts";
import { FilterForm, optionsOf, PERIOD } from "../part/filters.tsx";
import { Panel, When } from "../part/panel.tsx";
import { Save } from "../part/save.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { STATUS_TONES, tookOf } from "../payments/standing.ts";
import { linkTo, paymentLink, terminalLink, textsOf, type PlaceQuery } from "../route.ts";
import { money, time } from "../words.ts";

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
  { head: "Duration", number: true, cell: ({ receivedAt, completedAt }) => time(tookOf(receivedAt, completedAt)) },
  { head: "Terminal", cell: ({ deviceId }) => <a href={terminalLink(deviceId)}>{deviceId}</a> },
  { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
];

const STATUSES = optionsOf(["00", "11", "22"], { "00": "Approved", "11": "Not approved", "22": "Not known" });

const FIELDS = [
  { name: "responseCode", label: "Response code", hint: "Such as 51 or TERMINAL_OFFLINE.", mono: true },
  { name: "deviceId", label: "Terminal", hint: "All of its id.", mono: true },
  ...PERIOD,
];

/** An account's payments, newest first, by time and outcome. */
export function Payments({ posId, query }: { posId: string; query: PlaceQuery }) {
  const filter = textsOf(query, ["from", "to", "statusCode", "responseCode", "deviceId"]);
  const place = placeOf((wanted) => linkTo("accounts", [posId], wanted), filter);
  const path = `${pathOf.account(posId)}/transactions`;
  const list = useList<AccountTransaction>(path, filter);
  return (
    <Panel title="Payments" id="payments-title">
      <FilterForm place={place} more={FIELDS} action="Show" />
      <Choice
        label="Outcome"
        value={filter.statusCode}
        options={STATUSES}
        onChoose={(statusCode) => place.show({ statusCode })}
      />
      <Save<AccountTransaction> name={`payments-${posId}`} path={path} query={filter} csv={transactionsCsv} />
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
