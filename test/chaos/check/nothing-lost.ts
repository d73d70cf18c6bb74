/** I4: a result that the gateway has acknowledged to a terminal reaches the account that made the transaction. */
import { isOutOfReach, statusAnswer } from "./calls.ts";
import { Check, type CheckResult } from "./check.ts";
import type { History } from "./history.ts";
import type { TerminalLine } from "./lines.ts";
import type { Reference } from "./references.ts";
import { textAt } from "./wire.ts";

export function nothingLost(history: History): CheckResult[] {
  const references = [...history.references.values()];
  return [
    onlyReported(references),
    toldAfterwards(history, references),
    toldInTheEnd(history, references),
    inTheJournal(history, references),
    getLastSkipsNothing(history),
  ].map(({ result }) => result);
}

const DECIDED = "an operator had decided otherwise: see the operator's decisions";

function onlyReported(references: readonly Reference[]): Check {
  const check = new Check("I4", "The gateway acknowledges only what the terminal has reported.");
  for (const reference of references) {
    const reported = new Map<string, number>();
    for (const line of reference.terminal) {
      const report = `${line.requestId} ${line.statusCode}`;
      if (line.kind === "terminal.reported" && !reported.has(report)) reported.set(report, line.line);
      if (line.kind !== "terminal.acknowledged") continue;
      check.holds(
        reported.has(report),
        () => `${reference.key}: ${line.statusCode} was acknowledged and never reported.`,
        () => [line],
      );
    }
  }
  return check;
}

function toldAfterwards(history: History, references: readonly Reference[]): Check {
  const check = new Check("I4", "A question asked after a 00 or 11 was acknowledged is told that status.");
  for (const reference of references) {
    const { acknowledged } = reference;
    if (acknowledged === null) continue;
    for (const one of reference.shown) {
      if (one.askedLine < acknowledged.line.line) continue;
      if (one.status !== acknowledged.status && reference.mayBeDecided(one.status, one.line.line)) {
        check.leaves(DECIDED);
        continue;
      }
      if (one.answer !== null && isOutOfReach(one.answer.answer) && !history.isAfterQuiet({ line: one.askedLine })) {
        check.leaves("22 IN_PROGRESS during a fault: the gateway could not reach its record");
        continue;
      }
      check.holds(
        one.status === acknowledged.status,
        () => `${reference.key}: ${acknowledged.status} was acknowledged, and a later question was told ${one.status}.`,
        () => [acknowledged.line, one.answer?.call.asked, one.line],
      );
    }
  }
  return check;
}

function toldInTheEnd(history: History, references: readonly Reference[]): Check {
  const check = new Check(
    "I4",
    "At the end, the account is told every acknowledged 00 and 11, also after a terminal was bound to another.",
  );
  if (!history.isComplete) return check;
  for (const { acknowledged, calls, posId, key } of references) {
    if (acknowledged === null) continue;
    const asked = calls.filter((call) => history.isAfterQuiet(call.asked));
    if (asked.length === 0) {
      check.leaves(history.isDeleted(posId) ? "its account was deleted" : "nobody asked about it at the end");
      continue;
    }
    const told = asked.some((call) => {
      const status = statusAnswer(call)?.status;
      return status === "00" || status === "11";
    });
    if (!told && history.isDeleted(posId)) {
      check.leaves("its account was deleted");
      continue;
    }
    check.holds(
      told,
      () => `${key}: ${acknowledged.status} was acknowledged, and at the end nobody is told.`,
      () => [acknowledged.line, ...asked.flatMap((call) => [call.asked, call.end])],
    );
  }
  return check;
}

function inTheJournal(history: History, references: readonly Reference[]): Check {
  const check = new Check(
    "I4",
    "At the end, the operator's journal of a terminal has every result that was acknowledged.",
  );
  if (!history.isComplete) return check;
  for (const reference of references) {
    for (const line of reference.of("terminal.acknowledged")) {
      if (!isFinal(line)) continue;
      if (!history.journals.has(line.terminalId)) {
        check.leaves("the terminal's journal was not read at the end");
        continue;
      }
      const row = history.rows.get(line.requestId);
      check.holds(
        row !== undefined && row.row["state"] === "completed",
        () =>
          `${reference.key}: ${line.statusCode} was acknowledged, and the journal has it ${textAt(row?.row, "state") ?? "not at all"}.`,
        () => [line, row?.line],
      );
    }
  }
  return check;
}

/** What a terminal had accepted for an account is its newest transaction there, or older than it. */
function getLastSkipsNothing(history: History): Check {
  const check = new Check("I4", "getLast never skips a transaction that the terminal had accepted.");
  const accepted = new Map<string, TerminalLine[]>();
  for (const { terminal } of history.references.values()) {
    for (const line of terminal) {
      if (line.kind !== "terminal.accepted") continue;
      const place = `${line.posId} ${line.terminalId}`;
      accepted.set(place, [...(accepted.get(place) ?? []), line]);
    }
  }
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
    const shown = [...(history.references.get(about)?.requestIds ?? [])].map(Number);
    check.holds(
      Math.max(0, ...shown) >= Number(newest.requestId),
      () => `${asked.posId} was shown ${about}, although ${newest.posId}/${newest.referenceId} is newer.`,
      () => [newest, asked, answer.line],
    );
  }
  return check;
}

function isFinal({ statusCode }: TerminalLine): boolean {
  return statusCode === "00" || statusCode === "11";
}
