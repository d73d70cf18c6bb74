import { useState } from "preact/hooks";
import type { AccountTransaction } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { Panel, ReadingState, Rows, usePolling } from "./reading.tsx";
import { TransactionRow } from "./record-row.tsx";
import type { Till } from "./till.ts";

const TITLE = "recorded-title";

/** Milliseconds between two readings, and the time after which one has failed. */
const LOOK_EVERY = 10_000;
const LOOK_WITHIN = 5_000;

/** How many transactions are shown, and how many more each time the user asks. */
const STEP = 20;

interface Seen {
  transactions: AccountTransaction[];
  hasMore: boolean;
}

/** The account's transactions as the gateway has recorded them, from every till. */
export function Recorded({ till }: { till: Till }) {
  const [shown, setShown] = useState(STEP);
  const { value, problem } = usePolling(() => look(till, shown), LOOK_EVERY, [till, shown]);
  return (
    <Panel till={till} id={TITLE} title="Recorded transactions" path="/api/transactions">
      <ReadingState value={value} problem={problem} />
      <Rows
        items={value?.transactions}
        empty="None yet."
        labelledBy={TITLE}
        row={(transaction) => <TransactionRow key={transaction.requestId} transaction={transaction} />}
      />
      {value?.hasMore === true && <Button onClick={() => setShown(shown + STEP)}>Show more</Button>}
    </Panel>
  );
}

async function look({ client }: Till, count: number): Promise<Seen> {
  const transactions: AccountTransaction[] = [];
  for await (const transaction of client.transactions({}, { within: LOOK_WITHIN })) {
    if (transactions.length === count) return { transactions, hasMore: true };
    transactions.push(transaction);
  }
  return { transactions, hasMore: false };
}
