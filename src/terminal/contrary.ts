/** Tells accounts about results that contradict a completed transaction. Its status never changes (I2). */
import type { Answer, UntoldRow } from "../objects/untold/decisions.ts";
import type { Untold } from "../objects/storage/untold.ts";
import { nextVersion } from "../objects/untold/decisions.ts";
import type { AccountStub, ReportedResult } from "../rpc/account.ts";
import type { JsonObject } from "../signing/json.ts";
import { accountObject } from "../storage/untold.ts";
import type { Transaction } from "./lane/index.ts";
import { isReal, recordEntry } from "./record-entry.ts";
import type { TerminalSide } from "./terminal-side.ts";

const CONTRARY = "contrary:";

/** What the account lacks: the body of a row. */
interface Body {
  requestId: number;
  reportedAt: number;
  reported: ReportedResult;
}

export function isContrary({ topic }: UntoldRow): boolean {
  return topic.startsWith(CONTRARY);
}

/** The account lacks this report. Each is told by itself. @param report as it is kept */
export function oweContrary(untold: Untold, transaction: Transaction, report: JsonObject, now: number): void {
  const { requestId, posId } = transaction;
  const body: Body = { requestId, reportedAt: now, reported: reportedBy(report) };
  untold.put(accountObject(posId), `${CONTRARY}${nextVersion(untold.owing, now)}`, JSON.stringify(body), now);
}

function reportedBy(report: JsonObject): ReportedResult {
  const named = (report["named"] ?? {}) as JsonObject;
  return {
    statusCode: report["statusCode"] as ReportedResult["statusCode"],
    responseCode: text(report["responseCode"]) ?? "",
    responseText: text(report["responseText"]),
    transAmt: text(named["transAmt"]),
    cashAmt: text(named["cashAmt"]),
    currency: text(named["currency"]),
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export async function tellContrary(
  { lane, records }: Pick<TerminalSide, "lane" | "records">,
  account: AccountStub,
  { version, body }: UntoldRow,
): Promise<(now: number) => Answer> {
  const { requestId, reportedAt, reported } = JSON.parse(body ?? "") as Body;
  const transaction = lane.find(requestId);
  // Pruned after 400 days without an answer.
  if (transaction === null || !isReal(transaction)) return () => "refused";
  const entry = recordEntry(transaction, records.record?.terminalId ?? "", lane.lane.link, null);
  const answer = await account.contradicted({ version, entry, reportedAt, reported });
  return () => answer;
}
