import type * as schemas from "./schemas/events.ts";
import type { Infer } from "./schemas/infer.ts";

/**
 * A transaction as the account's record has it. It is not signed. Amounts and currency are those stored when the
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

export type VoidedBy = Infer<typeof schemas.voidedBy>;

export type TransactionEvent = Infer<typeof schemas.transactionEvent>;
export type TransactionEventType = TransactionEvent["type"];

/** Changes nothing: a reader must not book it. */
export type ConflictEvent = Infer<typeof schemas.transactionConflictEvent>;

/** What a day adds up to, permanently. Days without a transaction close silently. */
export type DayClosedEvent = Infer<typeof schemas.dayClosedEvent>;

/** Its account did not disable the endpoint, which gets nothing more until someone enables it. */
export type WebhookDisabledEvent = Infer<typeof schemas.webhookDisabledEvent>;

export type TerminalUnboundEvent = Infer<typeof schemas.terminalUnboundEvent>;

/** A call of the account, an operator, or the terminal, which bound itself to another account. */
export type UnboundBy = TerminalUnboundEvent["data"]["unboundBy"];

export type PrebindReplacedEvent = Infer<typeof schemas.prebindReplacedEvent>;

/** An event has the same bytes everywhere. */
export type AccountEvent = Infer<typeof schemas.event>;

/** Has no place in the feed yet. */
export type EventContent = ContentOf<AccountEvent>;

type ContentOf<Event extends AccountEvent> = Event extends AccountEvent ? Pick<Event, "type" | "data"> : never;

export function isAboutTransaction(event: AccountEvent): event is TransactionEvent {
  return event.type.startsWith("transaction.") && event.type !== "transaction.conflict";
}
