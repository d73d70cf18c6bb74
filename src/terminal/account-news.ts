/** What a terminal learns about its account. News that are older than what it knows change nothing. */
import type { AccountStub, Terms, TermsNews } from "../rpc/account.ts";
import type { Answer, UntoldRow } from "../objects/untold/decisions.ts";
import type { UnboundBy } from "../protocol/events.ts";
import { changeDetails, unbind } from "./binding.ts";
import type { NewsOutcome } from "../rpc/terminal.ts";
import type { TerminalSide } from "./terminal-side.ts";

/** Stores the account's terms if the terminal is bound to it and knows older ones. */
export function learnTerms(side: TerminalSide, { version, ...details }: Terms, now: number): void {
  const { record } = side.records;
  if (record?.binding?.posId !== details.posId || version <= record.termsVersion) return;
  changeDetails(side, details, version, now);
}

/** New terms, a suspension or the deletion. `busy`: the terminal cannot be unbound yet. */
export function takeAccountNews(side: TerminalSide, posId: string, news: TermsNews, now: number): NewsOutcome {
  const { record } = side.records;
  const version = news.kind === "deleted" ? news.version : news.terms.version;
  if (record?.binding?.posId !== posId || version < record.termsVersion) return { kind: "done" };
  if (news.kind === "terms") {
    learnTerms(side, news.terms, now);
    if (news.status === "suspended") stop(side, posId, version, now);
    return { kind: "done" };
  }
  stop(side, posId, version, now);
  return unbind(side, { posId, actor: news.actor ?? `account:${posId}` }, now).kind === "busy"
    ? { kind: "busy" }
    : { kind: "done" };
}

/**
 * Cancels what is queued for the account, and later also what the account admitted before. What was sent continues. The
 * version is stored, because a request may still be in transit.
 */
function stop({ records, lane }: TerminalSide, posId: string, version: number, now: number): void {
  const { record } = records;
  if (record?.stoppedPosId !== posId || record.stoppedVersion < version) {
    records.update({ stoppedPosId: posId, stoppedVersion: version, termsVersion: version });
  }
  lane.take({ kind: "suspended", posId }, now);
}

/** Tells an account whether the terminal is bound to it. The answer is what the terminal must know of the account. */
export async function tellBinding(
  side: TerminalSide,
  account: AccountStub,
  posId: string,
  { version, body }: Pick<UntoldRow, "version" | "body">,
): Promise<(now: number) => Answer> {
  const { record } = side.records;
  if (record === null) return () => "refused";
  const { terminalId, binding } = record;
  const bound = binding?.posId === posId;
  const unboundBy = bound || body === null ? {} : { unboundBy: body as UnboundBy };
  const news = await account.deviceChanged({ terminalId, bindingVersion: version, bound, ...unboundBy });
  return (now) => (takeAccountNews(side, posId, news, now).kind === "busy" ? "later" : "taken");
}
