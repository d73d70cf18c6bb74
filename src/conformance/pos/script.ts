/** What the kit answers to the messages about one transaction, one after the other. */

/** What really became of it: the end of every script. */
export interface Settled {
  statusCode: "00" | "11";
  responseCode: string;
}

export type Reply =
  /** Not known yet. */
  | { kind: "pending"; responseCode: string }
  | { kind: "status"; status: number; retryAfterSeconds?: number }
  /** The connection breaks when the message has been read. */
  | { kind: "drop" }
  /** No answer at all; the connection stays. */
  | { kind: "silence" }
  /** 00, signed with another key, not signed, or signed rightly about another transaction. */
  | { kind: "forged"; how: "other-key" | "unsigned" | "other-reference" };

export interface Script {
  replies: Reply[];
  settled: Settled;
  /** The answer has a member that no interface knows. */
  unknownMember?: boolean;
  /** The first answer says already that it is a repetition. */
  replayed?: boolean;
  /** The last reply is given again and again: nothing is ever settled. */
  forEver?: boolean;
}

export const APPROVED: Settled = { statusCode: "00", responseCode: "00" };
export const DECLINED: Settled = { statusCode: "11", responseCode: "05" };

export function approvedAfter(...replies: Reply[]): Script {
  return { replies, settled: APPROVED };
}

export function declinedAfter(...replies: Reply[]): Script {
  return { replies, settled: DECLINED };
}
