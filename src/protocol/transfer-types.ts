/**
 * The only list of transfer types (part 2.9 of the interface) and their rules: a type added here does not compile until
 * every consumer handles it.
 */

interface TransferTypeRule {
  /** Writes no journal entry and moves no money. */
  readonly asks: boolean;
  /** After approval, a void can reverse it and an inquiry can name it by its `transId`. */
  readonly canBeVoided: boolean;
  /** Its `transData.transId` names the transaction that it reverses. */
  readonly needsTarget: boolean;
  /** The terminal pays out cash and charges the card for it. */
  readonly handsOutCash: boolean;
  /** What its amount, once approved, counts for in a turnover. */
  readonly turnover: 1 | -1 | 0;
}

const TRANSFER_TYPE_RULES = {
  sale: { asks: false, canBeVoided: true, needsTarget: false, handsOutCash: false, turnover: 1 },
  cashOut: { asks: false, canBeVoided: true, needsTarget: false, handsOutCash: true, turnover: 1 },
  void: { asks: false, canBeVoided: false, needsTarget: true, handsOutCash: false, turnover: -1 },
  inquiry: { asks: true, canBeVoided: false, needsTarget: false, handsOutCash: false, turnover: 0 },
  getLast: { asks: true, canBeVoided: false, needsTarget: false, handsOutCash: false, turnover: 0 },
} as const satisfies Record<string, TransferTypeRule>;

type Rules = typeof TRANSFER_TYPE_RULES;

type TypesWith<Members extends Partial<TransferTypeRule>> = {
  [Type in keyof Rules]: Rules[Type] extends Members ? Type : never;
}[keyof Rules];

export type TransferType = keyof Rules;

/** Moves money, has a journal entry, and reaches the terminal. */
export type TransactionType = TypesWith<{ asks: false }>;

/** A tombstone has no type: its reference was cancelled or asked about before its request arrived. */
export type TypeOrTombstone = TransactionType | null;

export type QuestionType = TypesWith<{ asks: true }>;

/** Charges the customer and can be reversed by a void. */
export type PaymentType = TypesWith<{ canBeVoided: true }>;

export function isTransferType(value: unknown): value is TransferType {
  return typeof value === "string" && Object.hasOwn(TRANSFER_TYPE_RULES, value);
}

export function isTransactionType(value: unknown): value is TransactionType {
  return isTransferType(value) && !TRANSFER_TYPE_RULES[value].asks;
}

export function needsTarget(type: TransferType): type is TypesWith<{ needsTarget: true }> {
  return TRANSFER_TYPE_RULES[type].needsTarget;
}

export function handsOutCash(type: TransferType): boolean {
  return TRANSFER_TYPE_RULES[type].handsOutCash;
}

export function turnoverFactor(type: TransferType): number {
  return TRANSFER_TYPE_RULES[type].turnover;
}

export function isQuestion(type: TransferType): type is QuestionType {
  return TRANSFER_TYPE_RULES[type].asks;
}

export function canBeVoided(type: TransferType | null): type is PaymentType {
  return type !== null && TRANSFER_TYPE_RULES[type].canBeVoided;
}

/** In the order of the table. */
export const TRANSFER_TYPES = Object.keys(TRANSFER_TYPE_RULES).filter(isTransferType);
export const TRANSACTION_TYPES = TRANSFER_TYPES.filter(isTransactionType);
export const QUESTION_TYPES = TRANSFER_TYPES.filter(isQuestion);
