import { pendingCsv } from "../../../protocol/csv.ts";
import { PENDING_FILTERS } from "../../../protocol/operator-filters.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import { ToneTag } from "../../page/shown.tsx";
import { makePlace } from "../address.ts";
import type { PendingTransaction } from "../answers.ts";
import { filterFields, ListPanel } from "../part/list.tsx";
import { Since } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, terminalLink, readTexts, type PlaceQuery } from "../route.ts";
import { AMOUNT_COLUMN, PAYMENT } from "./columns.tsx";
import { CONFLICT_WORDS } from "./standing.ts";
import { PaymentsTabs } from "./tabs.tsx";

const COLUMNS: Column<PendingTransaction>[] = [
  { head: "Age", cell: ({ receivedAt }) => <Since at={receivedAt} />, place: "plain" },
  AMOUNT_COLUMN,
  PAYMENT,
  { head: "Terminal", cell: ({ terminalId }) => <a href={terminalLink(terminalId)}>{terminalId}</a>, place: "plain" },
  { head: "Shop", cell: ({ posId, shopName }) => <a href={accountLink(posId)}>{shopName ?? posId}</a>, place: "plain" },
  {
    head: "Why",
    cell: ({ responseCode, conflict }) =>
      conflict === null ? (
        codeWithWords(responseCode)
      ) : (
        <>
          <ToneTag tone="bad">{CONFLICT_WORDS}</ToneTag> Recorded as {conflict.statusCode}, the terminal reports{" "}
          {conflict.reported.statusCode}
        </>
      ),
    place: "first",
  },
];

const FIELDS = filterFields(PENDING_FILTERS);

/** Everything that terminals contradict, and everything that is `22` now, oldest first. */
export function Pending({ query }: { query: PlaceQuery }) {
  const filter = readTexts(query, ["posId", "terminalId", "conflict"]);
  return (
    <ListPanel<PendingTransaction>
      title="Payments"
      label="Pending payments"
      about={
        <>
          <PaymentsTabs present="pending" />
          <p class="soft">
            Payments whose outcome nobody knows: money may have moved. Most end by themselves when their terminal is
            back. Resolve the others with the acquirer's records. Where a terminal contradicts the recorded outcome,
            find out what happened and close it on the payment's page.
          </p>
        </>
      }
      list={useList("/pending", filter)}
      place={makePlace(filter)}
      more={FIELDS}
      save={{ name: "pending", csv: pendingCsv }}
      none="Every outcome is known."
      columns={COLUMNS}
      keyOf={({ requestId }) => requestId}
    />
  );
}
