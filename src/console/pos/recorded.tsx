import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AccountEvent, AccountTransaction, Terminal, TransactionFilters } from "../../client/pos.ts";
import { withQuery } from "../../client/pos/http.ts";
import { transactionsCsv } from "../../protocol/csv.ts";
import { saveFile } from "../page/browser.ts";
import { Button, Controls, Form } from "../page/controls.tsx";
import type { Field, Tone } from "../page/declared.ts";
import { Dot, JsonCode } from "../page/shown.tsx";
import { Panel, ReadingState, Rows, useAttempt, usePolling } from "./reading.tsx";
import type { Till } from "./till.ts";

const TITLE = "recorded-title";

/** Milliseconds. */
const LOOK_EVERY = 10_000;

/** Transactions at first, and added with each click. */
const STEP = 20;

/** Transactions from every till of the account, not only this one. */
export function Recorded({ till, terminals }: { till: Till; terminals: Terminal[] }) {
  const [filters, setFilters] = useState<TransactionFilters>({});
  const [shown, setShown] = useState(STEP);
  const { attempt, notice } = useAttempt();
  const { value, problem } = usePolling(
    (options) => look(till.client.transactions(filters, options), shown),
    LOOK_EVERY,
    [till, filters, shown],
  );
  const show = (wanted: TransactionFilters): void => {
    setFilters(wanted);
    setShown(STEP);
  };
  const save = (): void => void attempt(() => saveAll(till, filters), "Reading all that match…");
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Panel till={till} id={TITLE} title="Recorded transactions" path={withQuery("/api/transactions", filters)}>
      <FilterForm terminals={terminals} isFiltered={isFiltered} onShow={show} onSave={save} />
      {notice()}
      <ReadingState value={value} problem={problem} />
      <Rows
        items={value?.transactions ?? null}
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

async function look(recorded: AsyncIterable<AccountTransaction>, count: number) {
  const transactions: AccountTransaction[] = [];
  for await (const transaction of recorded) {
    if (transactions.length === count) return { transactions, hasMore: true };
    transactions.push(transaction);
  }
  return { transactions, hasMore: false };
}

/** Saves every transaction that matches, with all its members. Returns a sentence about what was saved. */
async function saveAll({ client, account: { posId } }: Till, filters: TransactionFilters): Promise<string> {
  const transactions: AccountTransaction[] = [];
  for await (const transaction of client.transactions(filters)) transactions.push(transaction);
  const name = [posId, "transactions", ...Object.values(filters)].join("-");
  saveFile(`${name.replaceAll(/[^\w.-]/gu, "_")}.csv`, "text/csv", transactionsCsv(transactions));
  return `Transactions saved: ${transactions.length}.`;
}

const ALL = { value: "", label: "All" };

function fieldsOf(terminals: Terminal[]): Field[] {
  return [
    { name: "day", kind: "date", label: "Business day" },
    {
      name: "statusCode",
      kind: "select",
      label: "Status",
      options: [
        ALL,
        { value: "00", label: "00 · approved" },
        { value: "11", label: "11 · not approved" },
        { value: "22", label: "22 · not known yet" },
      ],
    },
    {
      name: "deviceId",
      kind: "select",
      label: "Terminal",
      options: [ALL, ...terminals.map(({ terminalId }) => ({ value: terminalId, label: terminalId }))],
    },
    { name: "referenceId", label: "Reference", mono: true },
  ];
}

interface FilterFormProps {
  terminals: Terminal[];
  isFiltered: boolean;
  onShow: (filters: TransactionFilters) => void;
  onSave: () => void;
}

function FilterForm({ terminals, isFiltered, onShow, onSave }: FilterFormProps) {
  const [wanted, setWanted] = useState<Record<string, string>>({});
  const search = (): void => {
    const trimmed = Object.entries(wanted).map(([name, text]) => [name, text.trim()]);
    onShow(Object.fromEntries(trimmed.filter(([, text]) => text !== "")));
  };
  const showAll = (): void => {
    setWanted({});
    onShow({});
  };
  return (
    <Form look="stack" role="search" labelledBy={TITLE} onSubmit={search}>
      <div class="fields">
        <Controls
          fields={fieldsOf(terminals)}
          values={wanted}
          onInput={(text) => setWanted((known) => ({ ...known, ...text }))}
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

interface RecordWords {
  tone: Tone;
  what: string;
  amount: string;
  /** One or two words. */
  state: string;
  /** The terminal, the reference and, unless it was approved, the reason, if known. */
  about: string[];
}

interface RecordRowProps {
  words: RecordWords;
  /** Its name in the middle of a sentence, and where its JSON begins. */
  name: string;
  title: string;
  value: unknown;
  children: ComponentChildren;
}

function RecordRow({ words, name, title, value, children }: RecordRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { tone, what, amount, state, about } = words;
  return (
    <li class="list-row record">
      <Dot tone={tone} />
      <span class="record-when mono soft small">{children}</span>
      <span class="list-main">
        {what} <span class="mono">{amount}</span>
      </span>
      <span class="small list-state">{state}</span>
      <Button look="plain" label={`Details of ${name}`} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Details
      </Button>
      <span class="record-about soft small">
        {about.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
      {isOpen && (
        <div class="list-more">
          <JsonCode value={value} label={title} />
        </div>
      )}
    </li>
  );
}

export function TransactionRow({ transaction }: { transaction: AccountTransaction }) {
  const { requestId, completedAt, receivedAt } = transaction;
  const at = completedAt ?? receivedAt;
  return (
    <RecordRow
      words={transactionWords(transaction)}
      name={requestId}
      title={`Transaction ${requestId}`}
      value={transaction}
    >
      {at.slice(5, 10)} {at.slice(11, 19)}
    </RecordRow>
  );
}

export function EventRow({ event }: { event: AccountEvent }) {
  const { number, timestamp } = event;
  return (
    <RecordRow words={eventWords(event)} name={`event ${number}`} title={`Event ${number}`} value={event}>
      <span class="event-number">{number}</span> {timestamp.slice(11, 19)}
    </RecordRow>
  );
}

function eventWords(event: AccountEvent): RecordWords {
  switch (event.type) {
    case "transaction.pending":
    case "transaction.completed":
    case "transaction.updated":
      return transactionWords(event.data);
    case "transaction.contradicted": {
      const { transType, deviceId, referenceId, statusCode } = event.data.transaction;
      const about = [deviceId, referenceId, `the terminal reports ${event.data.reported.statusCode}`];
      return { tone: "bad", what: transType, amount: "", state: `${statusCode} contradicted`, about };
    }
    case "day.closed":
      return { tone: "neutral", what: `Day ${event.data.day}`, amount: "", state: "closed", about: [] };
    case "terminal.unbound": {
      const { terminalId, unboundBy } = event.data;
      return { tone: "bad", what: "Unbound", amount: "", state: `by the ${unboundBy}`, about: [terminalId] };
    }
    case "webhook.disabled": {
      const { host, disabledBy } = event.data;
      return { tone: "bad", what: "Webhook", amount: "", state: `disabled: ${disabledBy}`, about: [host] };
    }
    case "prebind.replaced":
      return { tone: "neutral", what: "Prebind list", amount: "", state: "replaced", about: event.data.uniqueIds };
    default:
      // An event type that is newer than this page.
      return { tone: "neutral", what: (event as { type: string }).type, amount: "", state: "", about: [] };
  }
}

function transactionWords(transaction: AccountTransaction): RecordWords {
  const { transType, transAmt, currency, deviceId, referenceId, statusCode, responseCode, responseText } = transaction;
  const amount = transAmt === null ? "" : `${transAmt} ${currency}`;
  const reason = statusCode === "00" ? [] : [`${responseCode} ${responseText ?? ""}`.trim()];
  return { ...standingOf(transaction), what: transType, amount, about: [deviceId, referenceId, ...reason] };
}

function standingOf({ statusCode, voidedBy }: AccountTransaction): Pick<RecordWords, "tone" | "state"> {
  if (voidedBy !== null) return { tone: "neutral", state: "voided" };
  switch (statusCode) {
    case "00":
      return { tone: "good", state: "approved" };
    case "11":
      return { tone: "bad", state: "not approved" };
    case "22":
      return { tone: "pending", state: "not known yet" };
    default:
      return statusCode satisfies never;
  }
}
