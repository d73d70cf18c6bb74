/** I2 and I4 where a terminal breaks its duties: its second result has another status or amount than its first. */
import { perReference, type Sentence } from "./check.ts";
import { listAt, textAt } from "./wire.ts";

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
    "A second, contrary result that is acknowledged is kept beside the transaction.": (check, reference, history) => {
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
