/** The records of an account, in one order (I7), as lists and events show them. */
import type { StatusCode } from "./status-codes.ts";
import type { DayTotals } from "./totals.ts";
import type { TransactionType } from "./transfer-types.ts";

/** The void that reversed a payment. */
export interface VoidedBy {
  requestId: string;
  referenceId: string;
}

/**
 * A transaction in its account's lists and events. Not signed. Amounts and currency are those stored when the
 * request arrived, so an open transaction and one resolved by the operator have them too. Times are ISO 8601 with the
 * offset of the account's time zone.
 */
export interface AccountTransaction {
  /** Ten digits. For a sale or cashOut this is its `transId`. */
  requestId: string;
  transType: TransactionType;
  deviceId: string;
  merchantId: string;
  referenceId: string;
  statusCode: StatusCode;
  responseCode: string;
  responseText: string | null;
  /** null while the transaction is open. */
  completedBy: "terminal" | "gateway" | "operator" | null;
  receivedAt: string;
  completedAt: string | null;
  /** The business day that it belongs to, `YYYY-MM-DD`; null while the transaction is open. */
  day: string | null;
  /** null for a void of an unknown transaction. */
  transAmt: string | null;
  cashAmt: string | null;
  currency: string;
  paymentMethod: string | null;
  /** From the result; before that, from the request. */
  paymentChannel: string | null;
  cardNo: string | null;
  invNo: string | null;
  batchNo: string | null;
  tid: string | null;
  mid: string | null;
  rrn: string | null;
  apprCode: string | null;
  transDateTime: string | null;
  /** For a void: the `transId` of the transaction that it reverses. */
  transId: string | null;
  voidedBy: VoidedBy | null;
}

export type TransactionEventType = "transaction.pending" | "transaction.completed" | "transaction.updated";

/** One record of an account's feed. An event has the same bytes everywhere. */
interface Recorded<Type extends string, Data> {
  /** `evt_<posId>_<number>` */
  id: string;
  /** 1, 2, 3 … per account, without gaps, in the order recorded (I7). */
  number: number;
  type: Type;
  /** When it was recorded. */
  timestamp: string;
  data: Data;
}

/** A transaction has a new status. */
export type TransactionEvent = Recorded<TransactionEventType, AccountTransaction>;

/** A day is closed: what it adds up to, permanently. Days without a transaction close silently. */
export type DayClosedEvent = Recorded<"day.closed", DayTotals>;

/** An endpoint that gets nothing more until someone enables it. */
export interface WebhookDisabled {
  /** `wh_` and its number. */
  webhookId: string;
  host: string;
  /** It failed for too long, it returned 410, or the operator disabled it. */
  disabledBy: "failing" | "gone" | "operator";
  /** The last event that it has received. When it is enabled again, it continues after this one. */
  cursor: number;
}

/** A webhook endpoint was disabled, and not by its account. */
export type WebhookDisabledEvent = Recorded<"webhook.disabled", WebhookDisabled>;

/** Who ended a binding: a call of the account, an operator, or the terminal, which bound itself to another account. */
export type UnboundBy = "account" | "operator" | "terminal";

/** The account has lost a terminal. */
export type TerminalUnboundEvent = Recorded<"terminal.unbound", { terminalId: string; unboundBy: UnboundBy }>;

/** A call of the account replaces its prebind list with this one. */
export type PrebindReplacedEvent = Recorded<"prebind.replaced", { uniqueIds: string[] }>;

/** Everything that an account records. `type` determines `data`. */
export type AccountEvent =
  TransactionEvent | DayClosedEvent | WebhookDisabledEvent | TerminalUnboundEvent | PrebindReplacedEvent;

/** An event's content before it has a place in the feed. */
export type EventContent = ContentOf<AccountEvent>;

type ContentOf<Event extends AccountEvent> = Event extends AccountEvent ? Pick<Event, "type" | "data"> : never;

export function isAboutTransaction(event: AccountEvent): event is TransactionEvent {
  return event.type.startsWith("transaction.");
}
