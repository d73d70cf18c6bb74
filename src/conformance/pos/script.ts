/** The kit's answers to the messages about one transaction, in order. */

/** The final outcome: the end of every script. */
export interface Completed {
  statusCode: "00" | "11";
  responseCode: string;
}

export type Reply =
  /** Not known yet. */
  | { kind: "pending"; responseCode: string }
  | { kind: "status"; status: number; retryAfterSeconds?: number }
  /** 40009 to the transaction itself, as more than a day later. A question gets its outcome. */
  | { kind: "used" }
  /** The connection breaks when the message has been read. */
  | { kind: "drop" }
  /** No answer; the connection stays open. */
  | { kind: "silence" }
  /** 00: signed with another key, unsigned, or correctly signed but about another transaction. */
  | { kind: "forged"; how: "other-key" | "unsigned" | "other-reference" };

export interface Script {
  replies: Reply[];
  completed: Completed;
  /** The answer has an unknown member. */
  unknownMember?: boolean;
  /** The first answer already carries `Idempotent-Replayed`. */
  replayed?: boolean;
  /** Repeats the last reply: the transaction is never completed. */
  repeatsLast?: boolean;
}

export const APPROVED: Completed = { statusCode: "00", responseCode: "00" };
export const DECLINED: Completed = { statusCode: "11", responseCode: "05" };

export function approvedAfter(...replies: Reply[]): Script {
  return { replies, completed: APPROVED };
}

export function declinedAfter(...replies: Reply[]): Script {
  return { replies, completed: DECLINED };
}
