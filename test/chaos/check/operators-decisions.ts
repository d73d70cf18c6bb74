/**
 * I2 where an operator decided: the decision is the status from then on. It may contradict the terminal, whose report is then
 * kept beside it.
 */
import { perReference, type Sentence, sentences } from "./check.ts";
import type { History } from "./history.ts";
import { type Decision, type Reference, takenState } from "./references.ts";
import { listAt, textAt } from "./wire.ts";

interface Decided {
  reference: Reference;
  decision: Decision;
}

function decidedIn({ references }: History): Decided[] {
  return [...references.values()].flatMap((reference) =>
    reference.decisions.map((decision) => ({ reference, decision })),
  );
}

const UNKNOWN = "the answer to the decision was lost";

export const operatorsDecisions: readonly Sentence[] = [
  ...sentences("I2", {
    "An operator can decide nothing that is shown or acknowledged as 00 or 11 already.": (check, history) => {
      for (const { reference, decision } of decidedIn(history)) {
        const { asked, answered } = decision;
        const { firstFinal, acknowledged, key } = reference;
        const final = [firstFinal?.line, acknowledged?.line].filter((line) => line !== undefined);
        const earlier = final.find(({ line }) => line < asked.line);
        if (earlier === undefined) continue;
        // A decision of the same transaction asked again is refused as well.
        check.holds(
          takenState(decision) !== "yes",
          () => `${key} was final, and the operator's ${decision.status} was taken.`,
          () => [earlier, asked, answered],
        );
      }
    },
    "What an operator decided is what everybody is told from then on.": (check, history) => {
      for (const { reference, decision } of decidedIn(history)) {
        const taken = takenState(decision);
        if (taken === "unknown") check.leaves(UNKNOWN);
        if (taken !== "yes") continue;
        const end = decision.answered?.line ?? Infinity;
        for (const one of reference.shown) {
          if (one.askedLine < end) continue;
          check.holds(
            one.status === decision.status,
            () => `${reference.key}: the operator decided ${decision.status}, and ${one.status} is told later.`,
            () => [decision.asked, decision.answered, one.line],
          );
        }
      }
    },
    "A terminal's result that contradicts the operator is kept with the transaction.": (check, history) => {
      for (const { reference, decision } of decidedIn(history)) {
        if (takenState(decision) !== "yes") continue;
        const contrary = reference
          .of("terminal.acknowledged")
          .find(({ statusCode }) => statusCode !== "22" && statusCode !== decision.status);
        if (contrary === undefined) continue;
        const row = history.rows.get(contrary.requestId);
        if (row === undefined || row.line.line < contrary.line) {
          check.leaves("the terminal's journal was not read afterwards");
          continue;
        }
        check.holds(
          listAt(row.row, "conflicts").some((one) => textAt(one, "report", "statusCode") === contrary.statusCode),
          () =>
            `${reference.key}: ${contrary.statusCode} was acknowledged against the operator's ${decision.status}, and is not kept.`,
          () => [decision.asked, contrary, row.line],
        );
      }
    },
  }),
  ...perReference("I2", {
    "Nothing is shown as resolved by an operator that no operator decided.": (check, reference) => {
      for (const { responseCode, status, line } of reference.shown) {
        if (responseCode !== "RESOLVED") continue;
        check.holds(
          reference.mayBeDecided(status, line.line),
          () => `${reference.key} is ${status} RESOLVED, and no operator decided so.`,
          () => [line],
        );
      }
    },
  }),
];

/** Where a terminal breaks its duties: its second result has another status or amount than its first. */
export const contraryResults: readonly Sentence[] = [
  ...perReference("I2", {
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
          () =>
            `${reference.key}: after a second result, ${one.status} is told${told === null ? "" : ` with ${told}`}.`,
          () => [acknowledged.line, second, one.line],
        );
      }
    },
  }),
  ...perReference("I4", {
    "A second, contrary result that is acknowledged is kept with the transaction.": (check, reference, history) => {
      for (const line of reference.of("terminal.contradiction-acknowledged")) {
        const row = history.rows.get(line.requestId);
        if (row === undefined || row.line.line < line.line) {
          check.leaves("the terminal's journal was not read afterwards");
          continue;
        }
        const { statusCode, transAmt = null } = line;
        check.holds(
          listAt(row.row, "conflicts").some(
            (one) =>
              textAt(one, "report", "statusCode") === statusCode &&
              (transAmt === null || textAt(one, "report", "named", "transAmt") === transAmt),
          ),
          () =>
            `${reference.key}: a second result with ${statusCode} ${transAmt ?? ""} was acknowledged, and is not kept.`,
          () => [line, row.line],
        );
      }
    },
  }),
];
