/** The message about a new prebind list: the result for each entry. */
import { maskCardNumbers } from "../../card-data/card-numbers.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import type { ListedTerminal } from "../../storage/prebinding.ts";

const BECAME = {
  bound: "Bound",
  waiting: "Waiting for enrolment",
  foreign: "Not assigned to this merchant",
  elsewhere: "Already bound elsewhere",
  contested: "Also on another account's list",
  later: "Bound at the next connection",
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
    said.push(`Ignored: ${entries} ${leftOut.join(", ")} (send strings of 1 to ${TERMINAL_ID_LENGTH} characters).`);
  }
  return ["The prebind list is replaced.", ...said].join(" ");
}

/** I6: says nothing else about a terminal of another merchant. */
function becameOf({ isEnrolled, isAssigned, boundPosId, isContested }: ListedTerminal, posId: string): Became {
  if (boundPosId === posId) return "bound";
  if (!isEnrolled) return "waiting";
  if (!isAssigned) return "foreign";
  if (boundPosId !== null) return "elsewhere";
  return isContested ? "contested" : "later";
}
