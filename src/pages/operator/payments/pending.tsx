import { PENDING_FILTERS } from "../../../protocol/operator-filters.ts";
import { Dot } from "../../page/shown.tsx";
import { makePlace } from "../address.ts";
import type { PendingTransaction } from "../answers.ts";
import { filterFields, ListPanel } from "../part/list.tsx";
import { Since } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, terminalLink, readTexts, type PlaceQuery } from "../route.ts";
import { AMOUNT_COLUMN, PAYMENT } from "./payments.tsx";

const COLUMNS: Column<PendingTransaction>[] = [
  { head: "Age", cell: ({ receivedAt }) => <Since at={receivedAt} /> },
  AMOUNT_COLUMN,
  PAYMENT,
  { head: "Terminal", cell: ({ terminalId }) => <a href={terminalLink(terminalId)}>{terminalId}</a> },
  { head: "Account", cell: ({ posId, shopName }) => <a href={accountLink(posId)}>{shopName ?? posId}</a> },
  {
    head: "Why",
    cell: ({ responseCode, conflict }) =>
      conflict === null ? (
        <code>{responseCode}</code>
      ) : (
        <>
          <Dot tone="bad" /> Recorded as {conflict.statusCode}, the terminal reports {conflict.reported.statusCode}
        </>
      ),
  },
];

const FIELDS = filterFields(PENDING_FILTERS);

/** Everything that terminals contradict, and everything that is `22` now, oldest first. */
export function Pending({ query }: { query: PlaceQuery }) {
  const filter = readTexts(query, ["posId", "terminalId", "conflict"]);
  return (
    <ListPanel<PendingTransaction>
      title="Pending"
      label="Pending payments"
      about={
        <p class="soft">
          Payments whose outcome nobody knows: money may have moved. Most end by themselves when their terminal is back.
          Resolve the others with the acquirer's records. Where a terminal contradicts the recorded outcome, find out
          what happened and close it on the payment's page.
        </p>
      }
      list={useList("/pending", filter)}
      place={makePlace(filter)}
      more={FIELDS}
      none="Every outcome is known."
      columns={COLUMNS}
      keyOf={({ requestId }) => requestId}
    />
  );
}
