import { useState } from "preact/hooks";
import type { AccountTransaction } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { JsonCode } from "../page/code.tsx";
import { CopyButton } from "../page/copy.tsx";
import { Dot, Notice } from "../page/status.tsx";
import { curlOf } from "./curl.ts";
import { type EventWords, transactionWords } from "./event-words.ts";
import type { Till } from "./till.ts";
import { usePolling } from "./use-polling.ts";

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
  const call = { baseUrl: till.baseUrl, method: "GET", path: "/api/transactions" } as const;
  return (
    <section class="panel" aria-labelledby="recorded-title">
      <div class="row spread">
        <h3 id="recorded-title">Recorded transactions</h3>
        <CopyButton text={curlOf(call)} label="Copy as curl" />
      </div>
      {problem !== null && <Notice tone="pending">{problem}</Notice>}
      {value === null && problem === null && <p class="soft">Loading…</p>}
      {value?.transactions.length === 0 && <p class="soft">None yet.</p>}
      {value !== null && value.transactions.length > 0 && (
        <ol class="list" reversed aria-labelledby="recorded-title">
          {value.transactions.map((transaction) => (
            <RecordedRow key={transaction.requestId} transaction={transaction} words={transactionWords(transaction)} />
          ))}
        </ol>
      )}
      {value?.hasMore === true && <Button onClick={() => setShown(shown + STEP)}>Show more</Button>}
    </section>
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

export function RecordedRow({ transaction, words }: { transaction: AccountTransaction; words: EventWords }) {
  const [isOpen, setOpen] = useState(false);
  const { tone, what, amount, where, state } = words;
  const { requestId, completedAt, receivedAt } = transaction;
  const at = completedAt ?? receivedAt;
  return (
    <li class="list-row event-row">
      <Dot tone={tone} />
      <span class="mono soft small">
        {at.slice(5, 10)} {at.slice(11, 19)}
      </span>
      <span class="list-main">
        {what} <span class="mono">{amount}</span> <span class="mono small soft event-where">{where}</span>
      </span>
      <span class="soft small list-state">{state}</span>
      <Button look="plain" label={`Details of ${requestId}`} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Details
      </Button>
      {isOpen && (
        <div class="list-more">
          <JsonCode value={transaction} label={`Transaction ${requestId}`} />
        </div>
      )}
    </li>
  );
}
