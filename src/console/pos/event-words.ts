/** An event in words. */
import type { AccountEvent, AccountTransaction } from "../../client/pos.ts";
import type { Tone } from "../page/tone.ts";

export interface EventWords {
  tone: Tone;
  what: string;
  amount: string;
  /** The terminal; empty if the event is about none. */
  where: string;
  /** One or two words. */
  state: string;
}

export function eventWords(event: AccountEvent): EventWords {
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

export function transactionWords(transaction: AccountTransaction): EventWords {
  const { transType, transAmt, currency, deviceId } = transaction;
  const amount = transAmt === null ? "" : `${transAmt} ${currency}`;
  return { ...standingOf(transaction), what: transType, amount, where: deviceId };
}

function standingOf({ statusCode, voidedBy }: AccountTransaction): Pick<EventWords, "tone" | "state"> {
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
