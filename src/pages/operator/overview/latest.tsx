import { MINUTE } from "../../../protocol/time/units.ts";
import type { FoundPayments } from "../answers.ts";
import { Panel } from "../part/panel.tsx";
import { Reading, useReading } from "../part/reading.tsx";
import { PanelTable } from "../part/table.tsx";
import { AMOUNT_COLUMN, OUTCOME_COLUMN, TIME_COLUMN } from "../payments/columns.tsx";
import { linkTo, paymentLink } from "../route.ts";

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
                TIME_COLUMN,
                { head: "Shop", cell: ({ shopName, posId }) => shopName ?? posId, place: "plain" },
                { ...AMOUNT_COLUMN, href: ({ terminalId, requestId }) => paymentLink(terminalId, requestId) },
                OUTCOME_COLUMN,
              ]}
            />
          )
        }
      </Reading>
    </Panel>
  );
}
