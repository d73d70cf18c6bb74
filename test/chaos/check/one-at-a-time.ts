/** I5: a terminal works on one transaction at a time. */
import { type Check, sentences } from "./check.ts";
import type { Line, TerminalLine } from "./history.ts";

export const oneAtATime = sentences("I5", {
  "A terminal accepts or starts nothing while it works on another transaction.": (check, { terminals }) => {
    for (const lines of terminals.values()) judgeWork(check, lines);
  },
  "A terminal accepts requests in the order of their numbers.": (check, { terminals }) => {
    for (const lines of terminals.values()) judgeOrder(check, lines);
  },
});

/**
 * Work begins with the acceptance. It ends with the outcome or with a report: after a 22 the terminal is free. After a loss of
 * power or memory, what was begun is only cleared up with the host.
 */
function judgeWork(check: Check, lines: readonly Line[]): void {
  const working = new Map<string, TerminalLine>();
  for (const line of lines) {
    switch (line.kind) {
      case "terminal.accepted":
      case "terminal.started": {
        const other = [...working.values()].find(({ requestId }) => requestId !== line.requestId);
        const says = `${line.terminalId} took ${line.requestId} while it worked on ${other?.requestId}.`;
        check.holds(other === undefined, says, [other, line]);
        working.set(line.requestId, line);
        break;
      }
      case "terminal.ended":
      case "terminal.reported":
        working.delete(line.requestId);
        break;
      case "fault.began":
      case "fault.ended":
      case "terminal.forgot":
        working.clear();
        break;
      default:
    }
  }
}

function judgeOrder(check: Check, lines: readonly Line[]): void {
  let newest: TerminalLine | null = null;
  for (const line of lines) {
    if (line.kind !== "terminal.accepted" || line.requestId === newest?.requestId) continue;
    const before: TerminalLine | null = newest;
    const says = `${line.terminalId} accepted ${line.requestId} after ${before?.requestId}.`;
    check.holds(before === null || Number(before.requestId) < Number(line.requestId), says, [before, line]);
    newest = line;
  }
}
