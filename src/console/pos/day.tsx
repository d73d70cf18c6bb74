import { useState } from "preact/hooks";
import type { AccountTransaction, CallOptions, DayTotals } from "../../client/pos.ts";
import { Button, TextField } from "../page/controls.tsx";
import { Dot } from "../page/shown.tsx";
import { Panel, ReadingState, Rows, usePolling } from "./reading.tsx";
import { TransactionRow } from "./recorded.tsx";
import type { Till } from "./till.ts";

/** Milliseconds. */
const LOOK_EVERY = 5_000;

const OPEN_SHOWN = 50;

interface Seen {
  totals: DayTotals;
  open: AccountTransaction[];
}

export function Day({ till }: { till: Till }) {
  const [day, setDay] = useState("");
  const { value, problem } = usePolling((options) => look(till, day, options), LOOK_EVERY, [till, day]);
  const path = day === "" ? "/api/totals" : `/api/totals?day=${day}`;
  return (
    <Panel till={till} id="day-title" title="Day" path={path}>
      <div class="fields">
        <TextField
          label="Business day"
          kind="date"
          value={day === "" ? (value?.totals.day ?? "") : day}
          onInput={setDay}
          action={
            day !== "" && (
              <Button look="plain" onClick={() => setDay("")}>
                Open day
              </Button>
            )
          }
        />
      </div>
      <ReadingState value={value} problem={problem} />
      {value !== null && <Totals totals={value.totals} />}
      {value !== null && <Open open={value.open} totals={value.totals} />}
    </Panel>
  );
}

async function look({ client }: Till, day: string, options: CallOptions): Promise<Seen> {
  const totals = await client.totals(day === "" ? {} : { day }, options);
  const open: AccountTransaction[] = [];
  if (totals.closed) return { totals, open };
  for await (const transaction of client.transactions({ statusCode: "22" }, options)) {
    if (open.push(transaction) === OPEN_SHOWN) break;
  }
  return { totals, open };
}

function Totals({ totals: { closed, closesAt, timezone, data } }: { totals: DayTotals }) {
  const at = `${closesAt.slice(0, 10)} ${closesAt.slice(11, 16)}`;
  return (
    <>
      <p class="soft">
        <Dot tone={closed ? "neutral" : "good"} /> {closed ? "Closed" : "Open. It closes"} at {at}, {timezone}.
      </p>
      {data.length === 0 && <p class="soft">Nothing was completed.</p>}
      {data.length > 0 && (
        <div class="day-table" tabindex={0} role="region" aria-label="Totals">
          <table>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Channel</th>
                {["Approved", "Amount", "Cash", "Not approved"].map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map(({ currency, transType, paymentChannel, approved, notApproved }) => (
                <tr key={`${currency} ${transType} ${paymentChannel ?? ""}`}>
                  <th scope="row">{transType}</th>
                  <td>{paymentChannel ?? "–"}</td>
                  <td class="number mono">{approved.count}</td>
                  <td class="number mono">
                    {approved.transAmt} {currency}
                  </td>
                  <td class="number mono">{approved.cashAmt}</td>
                  <td class="number mono">{notApproved.count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Open({ open, totals: { unresolved } }: Seen) {
  if (unresolved === null) return null;
  return (
    <>
      <h4 id="open-title">Not known yet: {unresolved.count}</h4>
      <Rows
        items={open}
        empty="Every outcome is known."
        labelledBy="open-title"
        row={(transaction) => <TransactionRow key={transaction.requestId} transaction={transaction} />}
      />
    </>
  );
}
