import { Choice } from "../../page/choice.tsx";
import { Tag } from "../../page/status.tsx";
import type { AccountTransaction } from "../answers.ts";
import { accountPath } from "../paths.ts";
import { STATUS_TONES } from "../payments/standing.ts";
import { Period } from "../part/period.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { When } from "../part/when.tsx";
import { accountLink, linkTo, paymentLink, terminalLink } from "../route.ts";
import { clearing, go } from "../address.ts";
import { tookOf } from "../payments/standing.ts";
import { FilterForm } from "../part/filter-form.tsx";
import { useWanted } from "../part/use-wanted.ts";
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

const STATUSES = [
  { value: "", label: "All" },
  { value: "00", label: "Approved" },
  { value: "11", label: "Not approved" },
  { value: "22", label: "Not known" },
];

const FIELDS = [
  { name: "responseCode", label: "Response code", hint: "Such as 51 or TERMINAL_OFFLINE.", mono: true },
  { name: "deviceId", label: "Terminal", hint: "All of its id.", mono: true },
];

/** An account's payments, newest first, by time and outcome. */
export function Payments({ posId, query }: { posId: string; query: Record<string, string> }) {
  const { from = "", to = "", statusCode = "", responseCode = "", deviceId = "" } = query;
  const filter = { from, to, statusCode, responseCode, deviceId };
  const list = useList<AccountTransaction>(`${accountPath(posId)}/transactions`, filter);
  const show = (change: Record<string, string>): void => go(linkTo("accounts", [posId], { ...filter, ...change }));
  const [times, setTimes] = useWanted({ from, to });
  return (
    <Panel title="Payments" id="payments-title">
      <FilterForm
        fields={[]}
        more={FIELDS}
        isMoreSet={from !== "" || to !== ""}
        values={{ responseCode, deviceId }}
        action="Show"
        onClear={clearing(filter, accountLink(posId))}
        onShow={(wanted) => show({ ...wanted, ...times })}
      >
        <Period times={times} onChoose={setTimes} />
      </FilterForm>
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
