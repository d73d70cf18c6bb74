import type { UnresolvedTransaction } from "../answers.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { Since } from "../part/when.tsx";
import { FilterForm } from "../part/filter-form.tsx";
import { clearing, go } from "../address.ts";
import { accountLink, linkTo, paymentLink, terminalLink } from "../route.ts";
import { money } from "../words.ts";

const COLUMNS: Column<UnresolvedTransaction>[] = [
  { head: "Age", cell: ({ receivedAt }) => <Since at={receivedAt} /> },
  {
    head: "Amount",
    number: true,
    cell: ({ transAmt, cashAmt, currency }) =>
      money(transAmt, cashAmt === null ? currency : `+ ${cashAmt} ${currency}`),
  },
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

const FIELDS = [
  { name: "posId", label: "Account", hint: "All of its posId.", mono: true },
  { name: "terminalId", label: "Terminal", hint: "All of its id.", mono: true },
];

/** Reading the list asks no object. */
const LOOK_EVERY = 30_000;

/** Everything that is `22` now, oldest first. */
export function Unresolved({ query }: { query: Record<string, string> }) {
  const { posId = "", terminalId = "" } = query;
  const list = useList<UnresolvedTransaction>("/unresolved", { posId, terminalId }, { every: LOOK_EVERY });
  return (
    <Panel title="Not known yet" id="unresolved-title">
      <p class="soft">
        Payments whose outcome nobody knows: money may have moved. Most end by themselves when their terminal is back.
        Resolve the others with the acquirer's records.
      </p>
      <FilterForm
        fields={[]}
        more={FIELDS}
        values={{ posId, terminalId }}
        onClear={clearing({ posId, terminalId }, linkTo("unresolved"))}
        onShow={(wanted) => go(linkTo("unresolved", [], wanted))}
      />
      <ListTable
        label="Unresolved payments"
        list={list}
        none="Every outcome is known."
        columns={COLUMNS}
        keyOf={({ requestId }) => requestId}
      />
    </Panel>
  );
}
