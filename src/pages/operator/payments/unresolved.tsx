import { UNRESOLVED_FILTERS } from "../../../protocol/operator-filters.ts";
import { Dot } from "../../page/shown.tsx";
import { placeOf } from "../address.ts";
import type { UnresolvedTransaction } from "../answers.ts";
import { fieldsOf, ListPanel } from "../part/list.tsx";
import { Since, type Column } from "../part/panel.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, terminalLink, textsOf, type PlaceQuery } from "../route.ts";
import { AMOUNT, PAYMENT } from "./find.tsx";

const COLUMNS: Column<UnresolvedTransaction>[] = [
  { head: "Age", cell: ({ receivedAt }) => <Since at={receivedAt} /> },
  AMOUNT,
  PAYMENT,
  { head: "Terminal", cell: ({ terminalId }) => <a href={terminalLink(terminalId)}>{terminalId}</a> },
  { head: "Account", cell: ({ posId, shopName }) => <a href={accountLink(posId)}>{shopName ?? posId}</a> },
  {
    head: "Why",
    cell: ({ responseCode, contrary }) =>
      contrary === null ? (
        <code>{responseCode}</code>
      ) : (
        <>
          <Dot tone="bad" /> Recorded as {contrary.statusCode}, the terminal reports {contrary.reported.statusCode}
        </>
      ),
  },
];

const FIELDS = fieldsOf(UNRESOLVED_FILTERS);

/** Milliseconds. Reading the list asks no object. */
const LOOK_EVERY = 30_000;

/** Everything that terminals contradict, and everything that is `22` now, oldest first. */
export function Unresolved({ query }: { query: PlaceQuery }) {
  const filter = textsOf(query, ["posId", "terminalId", "contrary"]);
  return (
    <ListPanel<UnresolvedTransaction>
      title="Not known yet"
      label="Unresolved payments"
      about={
        <p class="soft">
          Payments whose outcome nobody knows: money may have moved. Most end by themselves when their terminal is back.
          Resolve the others with the acquirer's records. Where a terminal contradicts the recorded outcome, find out
          what happened and close it on the payment's page.
        </p>
      }
      list={useList("/unresolved", filter, { every: LOOK_EVERY })}
      place={placeOf(filter)}
      more={FIELDS}
      none="Every outcome is known."
      columns={COLUMNS}
      keyOf={({ requestId }) => requestId}
    />
  );
}
