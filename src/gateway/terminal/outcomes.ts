/**
 * The outcomes of transactions on their way to their accounts (I7): for each new revision of a transaction an entry of
 * the outbox, in the same turn, until the account has recorded that revision. What is delivered is the transaction as it
 * is then, so its newest revision is enough. Conflicting results follow the same way.
 */
import { needsTarget } from "../../protocol/transfer-types.ts";
import type { DeliveryAnswer, Outbox, OutboxEntry } from "../durable/storage/outbox.ts";
import type { AccountStub, ReportedResult } from "../account/rpc.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { accountObject } from "../d1/objects.ts";
import type { ConnectionLink, LaneTransaction } from "./lane/index.ts";
import { isReal, buildRecordEntry } from "./record-entry.ts";
import { OUTCOME } from "./storage/journal.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** An account gets what is derived from the journal at that time. */
interface RecordSource {
  /** Finds a transaction, even a completed one. */
  find: (requestId: number) => LaneTransaction | null;
  terminalId: string;
  /** The link serves the gateway's own 22, which is made again each time. */
  link: ConnectionLink;
}

export function enqueueOutcome(outbox: Outbox, transaction: LaneTransaction, now: EpochMs): void {
  if (!isReal(transaction)) return;
  const { requestId, posId, revision } = transaction;
  outbox.enqueue({ target: accountObject(posId), kind: OUTCOME, key: String(requestId), version: revision }, now);
}

/**
 * @param entries of this account
 * @returns what became of each entry. An account that could not record one has recorded the others.
 */
export async function deliverOutcomes(
  { find, terminalId, link }: RecordSource,
  account: AccountStub,
  entries: readonly OutboxEntry[],
): Promise<DeliveryAnswer[]> {
  const transactions = entries.map(({ key }) => find(Number(key))).filter((one) => one !== null && isReal(one));
  const { recorded } = await account.record(
    transactions.map((transaction) => {
      const { transType, terms } = transaction;
      // A void of another account's transaction is refused, and never 00.
      const voided = needsTarget(transType) ? find(Number(terms.transId)) : null;
      return buildRecordEntry(transaction, terminalId, link, voided);
    }),
  );
  const revisions = new Map(recorded.map(({ requestId, revision }) => [String(requestId), revision]));
  return entries.map(({ key, version }) => ((revisions.get(key) ?? 0) >= version ? "delivered" : "failed"));
}

export const CONFLICT = "conflict";

interface Body {
  requestId: number;
  reportedAt: number;
  reported: ReportedResult;
}

/**
 * A conflicting result of a completed transaction, whose status never changes (I2). Each report is an entry of its own.
 *
 * @param report as it is stored
 */
export function enqueueConflict(outbox: Outbox, transaction: LaneTransaction, report: JsonObject, now: number): void {
  const { requestId, posId } = transaction;
  const body: Body = { requestId, reportedAt: now, reported: reportedBy(report) };
  const version = outbox.nextVersion(now);
  const about = { target: accountObject(posId), kind: CONFLICT, key: String(version), version };
  outbox.enqueue({ ...about, payload: JSON.stringify(body) }, now);
}

function reportedBy(report: JsonObject): ReportedResult {
  const named = report["named"] as JsonObject;
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

export async function deliverConflict(
  { find, terminalId, link }: RecordSource,
  account: AccountStub,
  { version, payload }: Pick<OutboxEntry, "version" | "payload">,
): Promise<(now: number) => DeliveryAnswer> {
  const { requestId, reportedAt, reported } = JSON.parse(payload ?? "") as Body;
  const transaction = find(requestId);
  // The transaction was pruned after 400 days without an answer.
  if (transaction === null || !isReal(transaction)) return () => "refused";
  const entry = buildRecordEntry(transaction, terminalId, link, null);
  const answer = await account.contradicted({ version, entry, reportedAt, reported });
  return () => answer;
}
