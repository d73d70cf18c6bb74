/**
 * A POS's message on its way through the gateway. This file has only types: the lane and its tests on Node use them
 * too.
 */
import type { ChannelState } from "./accounts.ts";
import type { Binding } from "./binding.ts";
import type { Problem } from "./problem.ts";
import type { Details, Terms } from "./transactions.ts";
import type { QuestionType, TransactionType } from "./transfer-types.ts";
import type { EpochMs } from "./time/units.ts";

interface MessageHead {
  posId: string;
  deviceId: string;
  referenceId: string;
  /** When it was signed. */
  datetime: EpochMs;
}

/** A sale, cashOut or void. */
export interface Submission extends MessageHead {
  kind: "submit";
  merchantId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
}

/** An inquiry or getLast. */
export interface Inquiry extends MessageHead {
  kind: "inquire";
  merchantId: string;
  transType: QuestionType;
  /** At most one of the two. An inquiry that names neither means its own `referenceId`. */
  namedTransId: number | null;
  namedReferenceId: string | null;
}

export interface Cancellation extends MessageHead {
  kind: "cancel";
}

/**
 * A POS's message, without unknown and empty members. It keeps this shape from the parser to the lane: whoever looks
 * something up for it adds members beside it.
 */
export type TransferMessage = Submission | Inquiry | Cancellation;

/** `version` grows with every change that terminals must get. */
export type AccountTerms = Binding & { version: number };

/** What the Worker has found out about a message. */
export interface TransferFacts {
  /** The account's terms as they were at the message's admission. */
  account: AccountTerms;
  /**
   * The account has recorded a transaction with the reference. If the journal does not have it, it was deleted, and its
   * outcome is unknown.
   */
  recorded: boolean;
  /** The time of arrival at the Worker. */
  arrivedAt: EpochMs;
  /** They count only if the object does not have the transaction. */
  problems: Problem[];
  channel: ChannelState;
  /** The caller does not wait for the outcome. */
  detached: boolean;
  /** The caller follows the stages. */
  stages: boolean;
}

/** The call to the terminal's object. */
export type TransferCall = TransferMessage & TransferFacts;
