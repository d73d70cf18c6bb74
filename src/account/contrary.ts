/**
 * Results that contradict a completed transaction: a customer may have been charged while the record says `11`. Each is an
 * event of the account and an open matter of the operator, who finds out and closes it. The status never changes (I2).
 */
import type { CloseOutcome, ContraryNews } from "../rpc/account.ts";
import { isoWithOffset } from "../time/zone.ts";
import { unresolvedCopy } from "./feed.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";
import { oweUnresolved } from "./telling.ts";

type ContraryStores = Pick<AccountStores, "claims" | "events" | "contraryResults" | "untold">;

/** Records one in the feed, after the completion that it contradicts, and owes it to D1. Idempotent. */
export function takeContrary(
  stores: ContraryStores,
  account: AccountRecord,
  { version, entry, reportedAt, reported }: ContraryNews,
  now: number,
): "taken" | "later" {
  const { claims, events, contraryResults, untold } = stores;
  const { requestId, deviceId, receivedAt, transaction } = entry;
  if (contraryResults.of(requestId).some((known) => known.version === version)) return "taken";
  const claim = claims.find(transaction.referenceId);
  const recorded = claim?.requestId ?? 0;
  const isCompleted = recorded > requestId || (recorded === requestId && claim?.completedAt !== null);
  if (claim !== null && !isCompleted) return "later";
  const { transType, referenceId, statusCode, responseCode, completedBy, transAmt, cashAmt, currency } = transaction;
  const said = { statusCode, completedBy, reportedAt, reported };
  const copy = { ...unresolvedCopy(deviceId, receivedAt, transaction), contrary: said };
  contraryResults.save({ requestId, version, open: true, copy });
  oweUnresolved(untold, requestId, copy, now);
  const data = {
    transaction: {
      requestId: String(requestId),
      transType,
      deviceId,
      referenceId,
      statusCode,
      responseCode,
      completedBy,
      transAmt,
      cashAmt,
      currency,
    },
    reportedAt: isoWithOffset(reportedAt, account.timezone),
    reported,
  };
  events.append(account, { type: "transaction.contradicted", data }, now);
  return "taken";
}

/** @param reason what the operator found out */
export function closeContrary(
  { contraryResults, untold }: Pick<ContraryStores, "contraryResults" | "untold">,
  { requestId, reason, actor }: { requestId: number; reason: string; actor: string },
  now: number,
): CloseOutcome {
  const known = contraryResults.of(requestId);
  const open = known.filter((result) => result.open);
  const [first] = open;
  if (first === undefined) return { kind: known.length === 0 ? "unknown" : "not-open" };
  for (const result of open) contraryResults.save({ ...result, open: false });
  oweUnresolved(untold, requestId, null, now);
  const { terminalId, contrary } = first.copy;
  const details = { requestId: String(requestId), terminalId, statusCode: contrary.statusCode, reason };
  untold.audit({ at: now, actor, action: "transaction.close", details });
  return { kind: "closed" };
}

/** D1 was restored: it lacks the contrary results that are open. */
export function oweOpen({ contraryResults, untold }: Pick<ContraryStores, "contraryResults" | "untold">, now: number) {
  for (const { requestId, copy } of contraryResults.open()) oweUnresolved(untold, requestId, copy, now);
}
