import { MINUTE } from "../../../protocol/time/units.ts";
import type { FoundPayments } from "../answers.ts";
import { OutcomeCell, Panel, When } from "../part/panel.tsx";
import { Reading, useReading } from "../part/reading.tsx";
import { PanelTable } from "../part/table.tsx";
import { linkTo, paymentLink } from "../route.ts";
import { money } from "../words.ts";

const ROWS = 8;

/** Every minute: the newest payments are in the accounts' objects, which a search asks. */
export function Latest() {
  const reading = useReading((calls) => calls.get<FoundPayments>("/transactions"), [], MINUTE);
  return (
    <Panel title="Latest payments" aside={<a href={linkTo("payments")}>All payments</a>}>
      <Reading reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">No payments yet.</p>
          ) : (
            <PanelTable
              label="Latest payments"
              rows={data.slice(0, ROWS)}
              keyOf={({ terminalId, requestId }) => `${terminalId} ${requestId}`}
              columns={[
                {
                  head: "Time",
                  cell: ({ completedAt, receivedAt }) => <When at={completedAt ?? receivedAt} />,
                  place: "plain",
                },
                { head: "Shop", cell: ({ shopName, posId }) => shopName ?? posId, place: "plain" },
                {
                  head: "Amount",
                  number: true,
                  cell: ({ transAmt, currency }) => money(transAmt, currency),
                  href: ({ terminalId, requestId }) => paymentLink(terminalId, requestId),
                  place: "first",
                },
                { head: "Outcome", cell: (row) => <OutcomeCell {...row} />, place: "first" },
              ]}
            />
          )
        }
      </Reading>
    </Panel>
  );
}
