import { commandLine, WRONG_USAGE } from "../invocation.ts";
import type { PosError } from "../../client/pos.ts";
import { dataLines, memberLines } from "../table.ts";
import type { Shown } from "./flags.ts";
import { eventLine, totalsText, transactionLine } from "./records.ts";

/** A command's exit status: the statusCode for scripts. */
export const EXIT = { approved: 0, notApproved: 1, unknown: 2, failed: 3, failedUnknown: 4, usage: WRONG_USAGE };

export function exitStatusOf(shown: Shown): number {
  if (shown.kind !== "transfer") return 0;
  switch (shown.answer.statusCode) {
    case "00":
      return EXIT.approved;
    case "11":
      return EXIT.notApproved;
    case "22":
      return EXIT.unknown;
    default:
      return shown.answer satisfies never;
  }
}

/** Exactly one line of JSON, or lines for people. */
export function textOf(shown: Shown, json: boolean): string {
  if (shown.kind === "data") return json ? JSON.stringify(shown.data ?? { ok: true }) : dataLines(shown.data);
  if (shown.kind === "event") return json ? JSON.stringify(shown.event) : eventLine(shown.event);
  if (shown.kind === "transaction")
    return json ? JSON.stringify(shown.transaction) : transactionLine(shown.transaction);
  if (shown.kind === "totals") return json ? JSON.stringify(shown.totals) : totalsText(shown.totals);
  const { answer } = shown;
  if (json) return JSON.stringify(answer);
  const { statusCode, responseCode, responseText = "", transData = {} } = answer;
  const { referenceId, originalTransType, originalReferenceId, voidStatus, softwareVersion, terminalSn } = answer;
  const members = { referenceId, originalTransType, originalReferenceId, voidStatus, ...transData };
  return [
    `${statusCode}  ${responseCode}  ${responseText}`.trimEnd(),
    ...memberLines({ ...members, terminal: `${terminalSn}, ${softwareVersion}` }),
  ].join("\n");
}

/** A question that fails, or finds nothing yet, says nothing about the transaction that it asks about. */
const NEXT: Record<PosError["next"], string> = {
  again: "It may have been processed. Ask again with the same --reference, never with a new one.",
  inquiry: `Send an inquiry first: ${commandLine("pos")} inquiry --about REFERENCE. Never charge again before you know the outcome.`,
  none: "This call moved no money.",
};

/** @param movesMoney whether the call is one that moves money when it succeeds */
export function errorText({ next, problem }: PosError, movesMoney: boolean): string {
  return [
    problem.message,
    ...(problem.details ?? []).map(({ path, message }) => `  ${path}: ${message}`),
    ...(problem.doc === undefined ? [] : [`  see ${problem.doc}`]),
    ...(problem.traceId === undefined ? [] : [`  traceId ${problem.traceId}`]),
    ...(movesMoney || next !== "none" ? [NEXT[next]] : []),
  ].join("\n");
}

export function errorJson({ kind, outcomeUnknown, next, problem }: PosError): string {
  return JSON.stringify({ error: kind, outcomeUnknown, next, ...problem });
}
