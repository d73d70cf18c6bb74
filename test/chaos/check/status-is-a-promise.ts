/** I2: `00`: money moved. `11`: none did and none will. `22` becomes one of the two, once, and those never change. */
import { isRefused, OUT_OF_REACH } from "./calls.ts";
import { perReference } from "./check.ts";
import { type Shown, takenState } from "./references.ts";
import { amounts } from "./wire.ts";

const DECIDED = "an operator decided so: see the operator's decisions";

const WHERE = {
  answer: "a till was told",
  feed: "the feed said",
  webhook: "a webhook said",
  journal: "the journal says",
};

function shownText({ where, status, responseCode, line }: Shown): string {
  return `${WHERE[where]} ${status}${responseCode === null ? "" : ` ${responseCode}`} in line ${line.line}`;
}

export const statusIsAPromise = perReference("I2", {
  "Wherever 00 is shown, the terminal had moved money before.": (check, reference) => {
    for (const one of reference.shown) {
      if (one.status !== "00") continue;
      if (reference.mayBeDecided("00", one.line.line) && check.leaves(DECIDED)) continue;
      const [moved] = reference.moved;
      check.holds(
        moved !== undefined && moved.line < one.line.line,
        `${reference.key}: ${shownText(one)}, and no money had moved.`,
        [one.line, ...reference.of("terminal.ended")],
      );
    }
  },
  "Wherever 11 is shown, no money has moved, and none moves later.": (check, reference) => {
    for (const one of reference.shown) {
      if (one.status !== "11") continue;
      if (reference.mayBeDecided("11", one.line.line) && check.leaves(DECIDED)) continue;
      const says = `${reference.key}: ${shownText(one)}, and money moved.`;
      check.holds(reference.moved.length === 0, says, [one.line, ...reference.moved]);
    }
  },
  "After an 11, no terminal starts it any more.": (check, reference) => {
    const declined = reference.shown.find(({ status }) => status === "11");
    if (declined === undefined) return;
    if (reference.mayBeDecided("11", declined.line.line) && check.leaves(DECIDED)) return;
    const later = reference.of("terminal.started").filter(({ line }) => line > declined.line.line);
    const says = `${reference.key}: ${shownText(declined)}, and ${later[0]?.terminalId} started it afterwards.`;
    check.holds(later.length === 0, says, [declined.line, ...later]);
  },
  "A 00 or 11 is the same in every later answer, event, delivery and journal.": (check, reference) => {
    const { firstFinal } = reference;
    if (firstFinal === null) return;
    for (const one of reference.shown) {
      if (one.status === "22" || one === firstFinal) continue;
      check.holds(
        one.status === firstFinal.status && one.responseCode === firstFinal.responseCode,
        `${reference.key}: ${shownText(firstFinal)}, and then ${shownText(one)}.`,
        [firstFinal.line, one.line],
      );
    }
  },
  "A question asked after a 00 or 11 was shown is never answered 22.": (check, reference, history) => {
    const { firstFinal } = reference;
    if (firstFinal === null) return;
    for (const one of reference.shown) {
      if (one.answer === null || one.askedLine < firstFinal.line.line) continue;
      if (history.mayBeOutOfReach(one) && check.leaves(OUT_OF_REACH)) continue;
      const says = `${reference.key}: ${shownText(firstFinal)}, and a later question was told 22.`;
      check.holds(one.status !== "22", says, [firstFinal.line, one.answer?.call.asked, one.line]);
    }
  },
  "A 00 to a payment is for the amounts that this till asked for, in answer and terminal.": (check, reference) => {
    for (const { status, answer } of reference.shown) {
      if (status !== "00" || answer === null || answer.call.sort !== "payment") continue;
      const { request } = answer.call.asked;
      const asked = amounts(request);
      const told = amounts(answer.answer);
      const [moved] = reference.moved;
      check.holds(
        asked === told && (moved === undefined || moved.moved === asked),
        `${reference.key}: asked for ${asked} hundredths, told ${told}, moved ${moved?.moved ?? "none"}.`,
        [answer.call.asked, moved, answer.line],
      );
    }
  },
  /**
   * An answer 400 to 499 says that this message was not taken. So what reaches a terminal has been asked for in a message with
   * another end.
   */
  "What a till was told is refused (400 to 499) does not reach a terminal.": (check, reference, history) => {
    if (!reference.transfers.some(isRefused)) return;
    const received = reference.of("terminal.received")[0];
    const before = reference.transfers.filter(({ asked }) => asked.line < (received?.line ?? Infinity));
    // A copy of an earlier message may arrive when the first one has long been refused.
    const mayBeCopied =
      received !== undefined && before.some(({ asked }) => history.faults.isActive("duplicate", asked.at, received.at));
    if (
      mayBeCopied &&
      before.every(isRefused) &&
      check.leaves("the network duplicated messages: the second copy may have been taken")
    )
      return;
    check.holds(
      received === undefined || before.some((call) => !isRefused(call)),
      `${reference.key} reached ${received?.terminalId} although every message with it had been refused.`,
      [...before.flatMap(({ asked, end }) => [asked, end]), received],
    );
  },
  "After the faults, every 22 becomes 00 or 11.": (check, reference, history) => {
    if (!history.isComplete) return;
    const last = reference.shown
      .filter(({ answer, askedLine }) => answer !== null && history.isAfterQuiet({ line: askedLine }))
      .at(-1);
    const row = [...reference.requestIds].map((requestId) => history.rows.get(requestId)).find((one) => one);
    const isCompleted = last === undefined ? row && row.row["state"] === "completed" : last.status !== "22";
    if (isCompleted === undefined) {
      if (reference.shown.some(({ answer }) => answer !== null)) check.leaves("nobody asked about it at the end");
      return;
    }
    if (
      !isCompleted &&
      reference.mayBeForgotten &&
      !reference.decisions.some((one) => takenState(one) === "yes") &&
      check.leaves("its terminal lost its memory, and no operator has decided")
    )
      return;
    check.holds(isCompleted, `${reference.key} is still 22 at the end.`, [
      reference.calls[0]?.asked,
      ...reference.of("terminal.ended"),
      last?.line ?? row?.line,
    ]);
  },
});
