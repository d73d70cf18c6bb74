import { useState } from "preact/hooks";
import type { AccountTransaction, Terminal, TransactionFilters } from "../../client/pos.ts";
import { withQuery } from "../../client/pos/http.ts";
import { transactionsCsv } from "../../protocol/csv.ts";
import { Button } from "../page/button.tsx";
import { Form } from "../page/call-form.tsx";
import { SelectField, TextField } from "../page/field.tsx";
import { saveFile } from "../page/save-file.ts";
import { outcomeOf, Panel, ReadingState, Rows, SaidNotice, usePolling, type Said } from "./reading.tsx";
import { TransactionRow } from "./record-row.tsx";
import type { Till } from "./till.ts";

const TITLE = "recorded-title";

/** Milliseconds between two readings. */
const LOOK_EVERY = 10_000;

/** How many transactions are shown, and how many more each time the user asks. */
const STEP = 20;

interface Seen {
  transactions: AccountTransaction[];
  hasMore: boolean;
}

/** The account's transactions as the gateway has recorded them, from every till. */
export function Recorded({ till, terminals }: { till: Till; terminals: Terminal[] }) {
  const [filters, setFilters] = useState<TransactionFilters>({});
  const [shown, setShown] = useState(STEP);
  const [said, setSaid] = useState<Said | null>(null);
  const { value, problem } = usePolling(
    (options) => look(till.client.transactions(filters, options), shown),
    LOOK_EVERY,
    [till, filters, shown],
  );
  const show = (wanted: TransactionFilters): void => {
    setFilters(wanted);
    setShown(STEP);
    setSaid(null);
  };
  const save = async (): Promise<void> => {
    setSaid({ tone: "neutral", words: "Reading all that match…" });
    setSaid(await outcomeOf(() => saveAll(till, filters)));
  };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Panel till={till} id={TITLE} title="Recorded transactions" path={withQuery("/api/transactions", filters)}>
      <FilterForm terminals={terminals} isFiltered={isFiltered} onShow={show} onSave={() => void save()} />
      <SaidNotice said={said} />
      <ReadingState value={value} problem={problem} />
      <Rows
        items={value?.transactions}
        empty={isFiltered ? "No transaction matches." : "None yet. A transaction appears when its outcome is known."}
        labelledBy={TITLE}
        row={(transaction) => <TransactionRow key={transaction.requestId} transaction={transaction} />}
      />
      {value?.hasMore === true && (
        <div class="row">
          <Button onClick={() => setShown(shown + STEP)}>Show more</Button>
        </div>
      )}
    </Panel>
  );
}

async function look(recorded: AsyncIterable<AccountTransaction>, count: number): Promise<Seen> {
  const transactions: AccountTransaction[] = [];
  for await (const transaction of recorded) {
    if (transactions.length === count) return { transactions, hasMore: true };
    transactions.push(transaction);
  }
  return { transactions, hasMore: false };
}

/** Saves every transaction that matches, with all its members. Returns what was saved. */
async function saveAll({ client, account: { posId } }: Till, filters: TransactionFilters): Promise<string> {
  const transactions: AccountTransaction[] = [];
  for await (const transaction of client.transactions(filters)) transactions.push(transaction);
  const name = [posId, "transactions", ...Object.values(filters)].join("-");
  saveFile(`${name.replaceAll(/[^\w.-]/gu, "_")}.csv`, "text/csv", transactionsCsv(transactions));
  return `Transactions saved: ${transactions.length}.`;
}

type Wanted = Record<"day" | "statusCode" | "deviceId" | "referenceId", string>;

const ALL: Wanted = { day: "", statusCode: "", deviceId: "", referenceId: "" };

const STATUSES = [
  { value: "", label: "All" },
  { value: "00", label: "00 · approved" },
  { value: "11", label: "11 · not approved" },
  { value: "22", label: "22 · not known yet" },
];

interface FilterFormProps {
  terminals: Terminal[];
  isFiltered: boolean;
  onShow: (filters: TransactionFilters) => void;
  onSave: () => void;
}

function FilterForm({ terminals, isFiltered, onShow, onSave }: FilterFormProps) {
  const [wanted, setWanted] = useState(ALL);
  const change = (changes: Partial<Wanted>): void => setWanted((known) => ({ ...known, ...changes }));
  const search = (): void => {
    const trimmed = Object.entries(wanted).map(([name, text]) => [name, text.trim()]);
    onShow(Object.fromEntries(trimmed.filter(([, text]) => text !== "")));
  };
  const showAll = (): void => {
    setWanted(ALL);
    onShow({});
  };
  return (
    <Form look="stack" role="search" labelledBy={TITLE} onSubmit={search}>
      <div class="fields">
        <TextField label="Business day" kind="date" value={wanted.day} onInput={(day) => change({ day })} />
        <SelectField
          label="Status"
          value={wanted.statusCode}
          options={STATUSES}
          onInput={(statusCode) => change({ statusCode })}
        />
        <SelectField
          label="Terminal"
          value={wanted.deviceId}
          options={[ALL_TERMINALS, ...terminals.map(({ terminalId }) => ({ value: terminalId, label: terminalId }))]}
          onInput={(deviceId) => change({ deviceId })}
        />
        <TextField
          label="Reference"
          mono
          value={wanted.referenceId}
          onInput={(referenceId) => change({ referenceId })}
        />
      </div>
      <div class="row">
        <Button>Search</Button>
        {isFiltered && <Button onClick={showAll}>Show all</Button>}
        <Button onClick={onSave}>Save as CSV</Button>
      </div>
    </Form>
  );
}

const ALL_TERMINALS = { value: "", label: "All" };
