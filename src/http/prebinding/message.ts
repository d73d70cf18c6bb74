/** What the answer to a new prebind list says: what became of each of its entries. */
import { maskCardNumbers } from "../../card-data/card-numbers.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import type { ListedTerminal } from "../../storage/prebinding.ts";

const BECAME = {
  bound: "Bound",
  waiting: "Waiting for enrolment",
  foreign: "Not assigned to this merchant",
  elsewhere: "Already bound elsewhere",
  contested: "On another account's list too",
  later: "Bound with its next connection",
} as const;

type Became = keyof typeof BECAME;

export function prebindMessage(terminals: ListedTerminal[], posId: string, leftOut: number[]): string {
  const groups = new Map<Became, string[]>();
  for (const terminal of terminals) {
    const became = becameOf(terminal, posId);
    groups.set(became, [...(groups.get(became) ?? []), maskCardNumbers(terminal.terminalId)]);
  }
  const said = [...groups].map(([became, ids]) => `${BECAME[became]}: ${ids.join(", ")}.`);
  const entries = leftOut.length === 1 ? "entry" : "entries";
  if (leftOut.length > 0) {
    said.push(`Left out: ${entries} ${leftOut.join(", ")} (send texts of 1 to ${TERMINAL_ID_LENGTH} characters).`);
  }
  return ["The prebind list is replaced.", ...said].join(" ");
}

/** I6: of a terminal of another merchant nothing else is told, bound or not. */
function becameOf({ isEnrolled, isAssigned, boundPosId, isContested }: ListedTerminal, posId: string): Became {
  if (boundPosId === posId) return "bound";
  if (!isEnrolled) return "waiting";
  if (!isAssigned) return "foreign";
  if (boundPosId !== null) return "elsewhere";
  return isContested ? "contested" : "later";
}
