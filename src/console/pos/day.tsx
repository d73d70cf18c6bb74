import { useState } from "preact/hooks";
import type { AccountTransaction, DayTotals } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { CopyButton } from "../page/copy.tsx";
import { Dot, Notice } from "../page/status.tsx";
import { curlOf } from "./curl.ts";
import { transactionWords } from "./event-words.ts";
import { RecordedRow } from "./recorded.tsx";
import type { Till } from "./till.ts";
import { usePolling } from "./use-polling.ts";

/** Milliseconds between two readings, and the time after which one has failed. */
const LOOK_EVERY = 5_000;
const LOOK_WITHIN = 5_000;

/** More open payments than a person reads here. */
const OPEN_SHOWN = 50;

interface Seen {
  totals: DayTotals;
  open: AccountTransaction[];
}

/** What a business day adds up to, and what is open now. */
export function Day({ till }: { till: Till }) {
  const [day, setDay] = useState("");
  const { value, problem } = usePolling(() => look(till, day), LOOK_EVERY, [till, day]);
  const path = day === "" ? "/api/totals" : `/api/totals?day=${day}`;
  return (
    <section class="panel" aria-labelledby="day-title">
      <div class="row spread">
        <h3 id="day-title">Day</h3>
        <CopyButton text={curlOf({ baseUrl: till.baseUrl, method: "GET", path })} label="Copy as curl" />
      </div>
      <div class="row day-choice">
        <label class="soft" for="day-choice">
          Business day
        </label>
        <input
          id="day-choice"
          type="date"
          class="input"
          value={day === "" ? (value?.totals.day ?? "") : day}
          onChange={({ currentTarget }) => setDay(currentTarget.value)}
        />
        {day !== "" && (
          <Button look="plain" onClick={() => setDay("")}>
            Open day
          </Button>
        )}
      </div>
      {problem !== null && <Notice tone="pending">{problem}</Notice>}
      {value === null && problem === null && <p class="soft">Loading…</p>}
      {value !== null && <Totals totals={value.totals} />}
      {value !== null && <Open open={value.open} totals={value.totals} />}
    </section>
  );
}

async function look({ client }: Till, day: string): Promise<Seen> {
  const totals = await client.totals(day === "" ? {} : { day }, { within: LOOK_WITHIN });
  const open: AccountTransaction[] = [];
  if (totals.closed) return { totals, open };
  for await (const transaction of client.transactions({ statusCode: "22" }, { within: LOOK_WITHIN })) {
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
                <th scope="col" class="number">
                  Approved
                </th>
                <th scope="col" class="number">
                  Amount
                </th>
                <th scope="col" class="number">
                  Cash
                </th>
                <th scope="col" class="number">
                  Not approved
                </th>
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
      {open.length === 0 && <p class="soft">Every outcome is known.</p>}
      {open.length > 0 && (
        <ul class="list" aria-labelledby="open-title">
          {open.map((transaction) => (
            <RecordedRow key={transaction.requestId} transaction={transaction} words={transactionWords(transaction)} />
          ))}
        </ul>
      )}
    </>
  );
}
