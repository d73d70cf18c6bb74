/** The records of an account, in one order (I7), as lists and events show them. */
import type * as schemas from "./schemas/events.ts";
import type { Infer } from "./schemas/infer.ts";

/**
 * A transaction in its account's lists and events. Not signed. Amounts and currency are those stored when the
 * request arrived, so an open transaction and one resolved by the operator have them too.
 */
export type AccountTransaction = Infer<typeof schemas.accountTransaction>;

/** The members of a transaction, in the order of stored events and of CSV: names are appended, never moved. */
export const TRANSACTION_MEMBERS = [
  "requestId",
  "transType",
  "deviceId",
  "merchantId",
  "referenceId",
  "statusCode",
  "responseCode",
  "responseText",
  "completedBy",
  "receivedAt",
  "completedAt",
  "day",
  "transAmt",
  "cashAmt",
  "currency",
  "paymentMethod",
  "paymentChannel",
  "cardNo",
  "invNo",
  "batchNo",
  "tid",
  "mid",
  "rrn",
  "apprCode",
  "transDateTime",
  "transId",
  "voidedBy",
] as const satisfies readonly (keyof AccountTransaction)[];

/** The void that reversed a payment. */
export type VoidedBy = Infer<typeof schemas.voidedBy>;

/** A transaction has a new status. */
export type TransactionEvent = Infer<typeof schemas.transactionEvent>;
export type TransactionEventType = TransactionEvent["type"];

/** A terminal's result contradicts a completed transaction. It changes nothing: a reader must not book it. */
export type ContradictedEvent = Infer<typeof schemas.contradictedEvent>;

/** A day is closed: what it adds up to, permanently. Days without a transaction close silently. */
export type DayClosedEvent = Infer<typeof schemas.dayClosedEvent>;

/** A webhook endpoint was disabled, and not by its account. */
export type WebhookDisabledEvent = Infer<typeof schemas.webhookDisabledEvent>;

/** An endpoint that gets nothing more until someone enables it. */
export type WebhookDisabled = WebhookDisabledEvent["data"];

/** The account has lost a terminal. */
export type TerminalUnboundEvent = Infer<typeof schemas.terminalUnboundEvent>;

/** Who ended a binding: a call of the account, an operator, or the terminal, which bound itself to another account. */
export type UnboundBy = TerminalUnboundEvent["data"]["unboundBy"];

/** A call of the account replaces its prebind list with this one. */
export type PrebindReplacedEvent = Infer<typeof schemas.prebindReplacedEvent>;

/** Everything that an account records. `type` determines `data`. An event has the same bytes everywhere. */
export type AccountEvent = Infer<typeof schemas.event>;

/** An event's content before it has a place in the feed. */
export type EventContent = ContentOf<AccountEvent>;

type ContentOf<Event extends AccountEvent> = Event extends AccountEvent ? Pick<Event, "type" | "data"> : never;

/** Whether it has a transaction as it stands. */
export function isAboutTransaction(event: AccountEvent): event is TransactionEvent {
  return event.type.startsWith("transaction.") && event.type !== "transaction.contradicted";
}
