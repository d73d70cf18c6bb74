import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AccountEvent, AccountTransaction } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { JsonCode } from "../page/code.tsx";
import { Dot } from "../page/status.tsx";
import type { Tone } from "../page/tone.ts";

/** What the gateway has recorded, in words. */
interface RecordWords {
  tone: Tone;
  what: string;
  amount: string;
  /** The terminal; empty if it is about none. */
  where: string;
  /** One or two words. */
  state: string;
}

export interface RecordRowProps {
  words: RecordWords;
  /** What it is called in the middle of a sentence, and where its JSON begins. */
  name: string;
  title: string;
  value: unknown;
  /** Its number and time. */
  children: ComponentChildren;
}

/** One line about something recorded, with its JSON on request. */
export function RecordRow({ words, name, title, value, children }: RecordRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { tone, what, amount, where, state } = words;
  return (
    <li class="list-row event-row">
      <Dot tone={tone} />
      {children}
      <span class="list-main">
        {what} <span class="mono">{amount}</span> <span class="mono small soft event-where">{where}</span>
      </span>
      <span class="soft small list-state">{state}</span>
      <Button look="plain" label={`Details of ${name}`} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Details
      </Button>
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
      <span class="mono soft small">
        {at.slice(5, 10)} {at.slice(11, 19)}
      </span>
    </RecordRow>
  );
}

export function EventRow({ event }: { event: AccountEvent }) {
  const { number, timestamp } = event;
  return (
    <RecordRow words={eventWords(event)} name={`event ${number}`} title={`Event ${number}`} value={event}>
      <span class="mono soft small event-number">{number}</span>
      <span class="mono soft small">{timestamp.slice(11, 19)}</span>
    </RecordRow>
  );
}

function eventWords(event: AccountEvent): RecordWords {
  switch (event.type) {
    case "transaction.pending":
    case "transaction.completed":
    case "transaction.updated":
      return transactionWords(event.data);
    case "day.closed":
      return { tone: "neutral", what: `Day ${event.data.day}`, amount: "", where: "", state: "closed" };
    case "terminal.unbound": {
      const { terminalId, unboundBy } = event.data;
      return { tone: "bad", what: "Unbound", amount: "", where: terminalId, state: `by the ${unboundBy}` };
    }
    default:
      // Also an event type that is newer than this page.
      return { tone: "neutral", what: (event as { type: string }).type, amount: "", where: "", state: "" };
  }
}

function transactionWords(transaction: AccountTransaction): RecordWords {
  const { transType, transAmt, currency, deviceId } = transaction;
  const amount = transAmt === null ? "" : `${transAmt} ${currency}`;
  return { ...standingOf(transaction), what: transType, amount, where: deviceId };
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
