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
  /** One or two words. */
  state: string;
  /** The terminal, the reference and, unless it was approved, the reason, as far as they are known. */
  about: string[];
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
      // Also an event type that is newer than this page.
      return { tone: "neutral", what: (event as { type: string }).type, amount: "", state: "", about: [] };
  }
}

export function transactionWords(transaction: AccountTransaction): RecordWords {
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
