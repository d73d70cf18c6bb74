/** What a terminal is told of the account that it is bound to. What is older than what it knows does nothing. */
import type { Terms, TermsNews } from "../account/calls.ts";
import { changeDetails, unbind } from "./binding.ts";
import type { NewsOutcome } from "./calls.ts";
import type { TerminalSide } from "./terminal-side.ts";

/** The account's terms, for a terminal that is bound to it and knows older ones. */
export function learnTerms(side: TerminalSide, { version, ...details }: Terms): void {
  const { record } = side.records;
  if (record?.binding?.posId !== details.posId || version <= record.termsVersion) return;
  changeDetails(side, details, version);
}

/** New terms, a suspension or the deletion. `busy`: the terminal cannot be unbound yet. */
export function takeAccountNews(side: TerminalSide, posId: string, news: TermsNews, now: number): NewsOutcome {
  const { record } = side.records;
  const version = news.kind === "deleted" ? news.version : news.terms.version;
  if (record?.binding?.posId !== posId || version < record.termsVersion) return { kind: "done" };
  if (news.kind === "terms") {
    learnTerms(side, news.terms);
    if (news.status === "suspended") stop(side, posId, version, now);
    return { kind: "done" };
  }
  stop(side, posId, version, now);
  return unbind(side, posId, `account:${posId}`, now).kind === "busy" ? { kind: "busy" } : { kind: "done" };
}

/**
 * What is queued for the account is cancelled, and so will be what it admitted before; what was sent runs on. Remembered,
 * as a request may still be on its way here.
 */
function stop({ records, lane }: TerminalSide, posId: string, version: number, now: number): void {
  const { record } = records;
  if (record?.stoppedPosId !== posId || record.stoppedVersion < version) {
    records.update({ stoppedPosId: posId, stoppedVersion: version, termsVersion: version });
  }
  lane.take({ kind: "suspended", posId }, now);
}
