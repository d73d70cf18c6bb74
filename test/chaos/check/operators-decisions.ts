/**
 * I2 where an operator decided: the decision is the status from then on. It may contradict the terminal, whose report is then
 * kept beside it.
 */
import type { Wire } from "../journal.ts";
import { type Check, perReference, type Sentence } from "./check.ts";
import type { History, Line, TerminalLine } from "./history.ts";
import { takenState } from "./references.ts";
import { listAt, objectAt, textAt } from "./wire.ts";

export const operatorsDecisions: readonly Sentence[] = [
  ...perReference("I2", {
    "An operator can decide nothing that is shown or acknowledged as 00 or 11 already.": (check, reference) => {
      const { firstFinal, acknowledged, key } = reference;
      for (const decision of reference.decisions) {
        const { asked, answered, status } = decision;
        const earlier = [firstFinal?.line, acknowledged?.line].find((line) => line && line.line < asked.line);
        if (earlier === undefined) continue;
        // A decision of the same transaction asked again is refused as well.
        const says = `${key} was final, and the operator's ${status} was taken.`;
        check.holds(takenState(decision) !== "yes", says, [earlier, asked, answered]);
      }
    },
    "What an operator decided is what everybody is told from then on.": (check, { decisions, shown, key }) => {
      for (const decision of decisions) {
        const taken = takenState(decision);
        if (taken === "unknown") check.leaves("the answer to the decision was lost");
        if (taken !== "yes") continue;
        const { asked, answered, status } = decision;
        for (const one of shown.filter(({ askedLine }) => askedLine >= (answered?.line ?? Infinity))) {
          const says = `${key}: the operator decided ${status}, and ${one.status} is told later.`;
          check.holds(one.status === status, says, [asked, answered, one.line]);
        }
      }
    },
    "A terminal's result that contradicts the operator is kept with the transaction.": (check, reference, history) => {
      for (const decision of reference.decisions.filter((one) => takenState(one) === "yes")) {
        const contrary = reference
          .of("terminal.acknowledged")
          .find(({ statusCode }) => statusCode !== "22" && statusCode !== decision.status);
        if (contrary !== undefined) isKept(check, history, contrary, decision.asked);
      }
    },
    "Nothing is shown as resolved by an operator that no operator decided.": (check, reference) => {
      for (const { responseCode, status, line } of reference.shown) {
        if (responseCode !== "RESOLVED") continue;
        const says = `${reference.key} is ${status} RESOLVED, and no operator decided so.`;
        check.holds(reference.mayBeDecided(status, line.line), says, [line]);
      }
    },
    /** Where a terminal breaks its duties: its second result has another status or amount than its first. */
    "A terminal's second, contrary result changes nothing that anybody is told.": (check, reference) => {
      const [second] = reference.of("terminal.contradicted");
      const { acknowledged } = reference;
      if (second === undefined || acknowledged === null) return;
      for (const one of reference.shown) {
        if (one.line.line < second.line || reference.mayBeDecided(one.status, one.line.line)) continue;
        // Somebody asked before the first result, and the answer took its time.
        if (one.status === "22" && one.askedLine < second.line) continue;
        const told = textAt(one.answer?.answer, "transData", "transAmt");
        check.holds(
          one.status === acknowledged.status && (told === null || told !== second.transAmt),
          `${reference.key}: after a second result, ${one.status} is told${told === null ? "" : ` with ${told}`}.`,
          [acknowledged.line, second, one.line],
        );
      }
    },
  }),
  ...perReference("I4", {
    "A second, contrary result that is acknowledged is kept with the transaction.": (check, reference, history) => {
      for (const line of reference.of("terminal.contradiction-acknowledged")) isKept(check, history, line, line);
    },
  }),
];

/** Holds that the journal has an acknowledged result beside the outcome that it contradicts. */
function isKept(check: Check, history: History, contrary: TerminalLine & { transAmt?: string }, first: Line): void {
  const { requestId, statusCode, posId, referenceId, transAmt = null } = contrary;
  const found = history.rows.get(requestId);
  if (found === undefined || found.line.line < contrary.line) {
    check.leaves("the terminal's journal was not read afterwards");
    return;
  }
  const isReport = (report: Wire | null): boolean =>
    textAt(report, "statusCode") === statusCode &&
    (transAmt === null || textAt(report, "named", "transAmt") === transAmt);
  check.holds(
    listAt(found.row, "conflicts").some((one) => isReport(objectAt(one, "report"))),
    `${posId}/${referenceId}: ${statusCode} ${transAmt ?? ""} was acknowledged against the outcome, and is not kept.`,
    [first, contrary, found.line],
  );
}
