import type { UnsettledTransaction } from "../answers.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { Since } from "../part/when.tsx";
import { accountLink, paymentLink, terminalLink } from "../route.ts";
import { money } from "../words.ts";

const COLUMNS: Column<UnsettledTransaction>[] = [
  { head: "Age", cell: ({ receivedAt }) => <Since at={receivedAt} /> },
  { head: "Amount", number: true, cell: ({ transAmt, currency }) => money(transAmt, currency) },
  {
    head: "Payment",
    cell: ({ terminalId, requestId, transType }) => (
      <a href={paymentLink(terminalId, requestId)}>
        {transType} <span class="mono">{requestId}</span>
      </a>
    ),
  },
  { head: "Terminal", cell: ({ terminalId }) => <a href={terminalLink(terminalId)}>{terminalId}</a> },
  { head: "Account", cell: ({ posId, shopName }) => <a href={accountLink(posId)}>{shopName ?? posId}</a> },
  { head: "Why", cell: ({ responseCode }) => <code>{responseCode}</code> },
];

/** Everything that is `22` now, oldest first. */
export function Unsettled({ query }: { query: Record<string, string> }) {
  const list = useList<UnsettledTransaction>("/unsettled", { posId: query["posId"] });
  return (
    <Panel title="Not known yet" id="unsettled-title">
      <p class="soft">
        Payments whose outcome nobody knows: money may have moved. Most end by themselves when their terminal is back.
        Settle the others with the acquirer's records.
      </p>
      <ListTable
        label="Unsettled payments"
        list={list}
        none="Every outcome is known."
        columns={COLUMNS}
        keyOf={({ requestId }) => requestId}
      />
    </Panel>
  );
}
