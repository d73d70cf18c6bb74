/** I4: a result that the gateway has acknowledged to a terminal reaches the account that made the transaction. */
import { isFinal, OUT_OF_REACH, statusAnswer } from "./calls.ts";
import { perReference, type Sentence, sentences } from "./check.ts";
import { textAt } from "./wire.ts";

const DECIDED = "an operator had decided otherwise: see the operator's decisions";

export const nothingLost: readonly Sentence[] = [
  ...perReference("I4", {
    "The gateway acknowledges only what the terminal has reported.": (check, reference) => {
      const reported = new Set<string>();
      for (const line of reference.terminal) {
        const report = `${line.requestId} ${line.statusCode}`;
        if (line.kind === "terminal.reported") reported.add(report);
        if (line.kind !== "terminal.acknowledged") continue;
        const says = `${reference.key}: ${line.statusCode} was acknowledged and never reported.`;
        check.holds(reported.has(report), says, [line]);
      }
    },
    "A question asked after a 00 or 11 was acknowledged is told that status.": (check, reference, history) => {
      const { acknowledged } = reference;
      if (acknowledged === null) return;
      for (const one of reference.shown) {
        if (one.askedLine < acknowledged.line.line) continue;
        const isOther = one.status !== acknowledged.status;
        if (isOther && reference.mayBeDecided(one.status, one.line.line) && check.leaves(DECIDED)) continue;
        if (history.mayBeOutOfReach(one) && check.leaves(OUT_OF_REACH)) continue;
        check.holds(
          !isOther,
          `${reference.key}: ${acknowledged.status} was acknowledged, and a later question was told ${one.status}.`,
          [acknowledged.line, one.answer?.call.asked, one.line],
        );
      }
    },
    "At the end, the account is told every acknowledged 00 and 11, even after a terminal was bound to another.": (
      check,
      { acknowledged, calls, posId, key },
      history,
    ) => {
      if (!history.isComplete || acknowledged === null) return;
      const asked = calls.filter((call) => history.isAfterQuiet(call.asked));
      if (
        asked.length === 0 &&
        check.leaves(history.isDeleted(posId) ? "its account was deleted" : "nobody asked about it at the end")
      )
        return;
      const told = asked.some((call) => isFinal(statusAnswer(call)?.status));
      if (!told && history.isDeleted(posId) && check.leaves("its account was deleted")) return;
      const says = `${key}: ${acknowledged.status} was acknowledged, and at the end nobody is told.`;
      check.holds(told, says, [acknowledged.line, ...asked.flatMap((call) => [call.asked, call.end])]);
    },
    "At the end, the operator's journal of a terminal has every result that was acknowledged.": (
      check,
      reference,
      history,
    ) => {
      if (!history.isComplete) return;
      for (const line of reference.of("terminal.acknowledged")) {
        if (!isFinal(line.statusCode)) continue;
        if (!history.journals.has(line.terminalId) && check.leaves("the terminal's journal was not read at the end"))
          continue;
        const row = history.rows.get(line.requestId);
        check.holds(
          row !== undefined && row.row["state"] === "completed",
          `${reference.key}: ${line.statusCode} was acknowledged, and the journal has it ${textAt(row?.row, "state") ?? "not at all"}.`,
          [line, row?.line],
        );
      }
    },
  }),
  ...sentences("I4", {
    /** What a terminal had accepted for an account is its newest transaction there, or older than it. */
    "getLast never skips a transaction that the terminal had accepted.": (check, history) => {
      const accepted = Map.groupBy(
        history.of("terminal.accepted"),
        ({ posId, terminalId }) => `${posId} ${terminalId}`,
      );
      for (const call of history.calls) {
        const { asked, about } = call;
        const answer = statusAnswer(call);
        if (textAt(asked.request, "transType") !== "getLast" || answer === null || about === null) continue;
        const taken = accepted.get(`${asked.posId} ${textAt(asked.request, "deviceId")}`) ?? [];
        const newest = taken
          .filter(({ line }) => line < asked.line)
          .toSorted((a, b) => Number(a.requestId) - Number(b.requestId))
          .at(-1);
        if (newest === undefined) continue;
        const { key, requestIds } = history.reference(asked.posId, about);
        const shown = [...requestIds].map(Number);
        const says = `${asked.posId} was shown ${key}, although ${newest.posId}/${newest.referenceId} is newer.`;
        check.holds(Math.max(0, ...shown) >= Number(newest.requestId), says, [newest, asked, answer.line]);
      }
    },
  }),
];
