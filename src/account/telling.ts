import { sealedUnder } from "../keys/sealing.ts";
import type { Untold } from "../objects/storage/untold.ts";
import { D1, type Owing, type UntoldRow } from "../objects/untold/teller.ts";
import { webhookId } from "../protocol/webhooks.ts";
import { accountStatements } from "../storage/accounts.ts";
import { completedBefore, unresolvedStatement, type UnresolvedCopy } from "../storage/unresolved.ts";
import { webhookAlertsStatement, type WebhookAlertCopy } from "../storage/overview.ts";
import { ALERT_FAILURES } from "./limits.ts";
import { viewOf } from "./sessions.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";
import type { Endpoint, Webhooks } from "./storage/webhooks.ts";
import { isSealedUnder } from "./webhooks/endpoint.ts";
import type { CloseCall, CloseOutcome, ContraryNews } from "../rpc/account.ts";
import { isoWithOffset } from "../time/zone.ts";
import type { AccountTransaction } from "../protocol/events.ts";
import { nameOf } from "./fold.ts";
import { addedBy } from "./tally.ts";

/** If the turn has changed them. */
export function oweTroubles(
  { records, webhooks, untold }: Pick<AccountStores, "records" | "webhooks" | "untold">,
  now: number,
): void {
  const { record } = records;
  const text = troublesOf(webhooks)
    .map(({ webhookId: id, disabledBy, since }) => `${id} ${disabledBy} ${since}`)
    .join();
  if (record === null || text === (record.troubles ?? "")) return;
  records.update({ troubles: text });
  untold.owe(now);
}

export function stateStatements(
  database: D1Database,
  { records: { record }, webhooks }: Pick<AccountStores, "records" | "webhooks">,
  { owed, told, retold, generation }: Owing,
  now: number,
): D1PreparedStatement[] {
  if (record === null) return [];
  const { posId } = record;
  const copy = { ...viewOf(record), sealedUnder: commonKid(record, webhooks) };
  return [
    ...accountStatements(database, copy, owed, generation),
    // After a restore: what was open then and is completed now.
    ...(retold > told ? [completedBefore(database, posId, retold, now)] : []),
    ...(record.troubles === null ? [] : [webhookAlertsStatement(database, posId, owed, troublesOf(webhooks))]),
  ];
}

const UNRESOLVED = "unresolved:";

type Copied = Pick<
  AccountTransaction,
  "currency" | "referenceId" | "transType" | "responseCode" | "responseText" | "transAmt" | "cashAmt"
>;

export function unresolvedCopy(deviceId: string, receivedAt: number, transaction: Copied): UnresolvedCopy {
  const { currency, referenceId, transType, responseCode, responseText, transAmt, cashAmt } = transaction;
  const amounts = { transAmt: addedBy(transType, transAmt), cashAmt: addedBy(transType, cashAmt) };
  return { receivedAt, currency, ...amounts, terminalId: deviceId, referenceId, transType, responseCode, responseText };
}

/** Number and terminal name it (`nameOf`). */
interface Named {
  requestId: number;
  deviceId: string;
}

/** `copy` null: the transaction is no longer 22. */
export function oweUnresolved(untold: Untold, named: Named, copy: UnresolvedCopy | null, now: number): void {
  untold.put(D1, `${UNRESOLVED}${nameOf(named)}`, copy === null ? null : JSON.stringify(copy), now);
}

export function unresolvedRow(database: D1Database, posId: string, row: UntoldRow, now: number): D1PreparedStatement {
  const { topic, version, body } = row;
  const copy = JSON.parse(body ?? "null") as UnresolvedCopy | null;
  const [requestId, terminalId = ""] = topic.slice(UNRESOLVED.length).split(" ");
  return unresolvedStatement(database, posId, { requestId: Number(requestId), terminalId, version, copy }, now);
}

export function troublesOf(webhooks: Webhooks): WebhookAlertCopy[] {
  return webhooks.all.flatMap(alertOf);
}

/**
 * An endpoint that its account disabled needs no attention, and neither does one with a single failure: the next
 * attempt comes soon.
 */
function alertOf({ id, host, disabledBy, disabledAt, failures, failingSince }: Endpoint): WebhookAlertCopy[] {
  const alert = { webhookId: webhookId(id), host, disabledBy };
  if (disabledBy === "account") return [];
  if (disabledBy !== null) return [{ ...alert, since: disabledAt ?? 0 }];
  return failures >= ALERT_FAILURES && failingSince !== null ? [{ ...alert, since: failingSince }] : [];
}

/** The master key that seals everything of the account; null: more than one. */
export function commonKid({ sealedPassword, signingKey }: AccountRecord, webhooks: Webhooks): string | null {
  const kid = sealedUnder(signingKey);
  return kid !== null &&
    kid === sealedUnder(sealedPassword) &&
    webhooks.all.every((endpoint) => isSealedUnder(kid, endpoint))
    ? kid
    : null;
}

/**
 * Results that contradict a completed transaction: a customer may have been charged while the record says `11`. Each is
 * an event of the account, and open until an operator investigates and closes it. The status never changes (I2).
 */

type ContraryStores = Pick<AccountStores, "claims" | "events" | "contraryResults" | "untold">;

/** Records the result in the feed, after the completion that it contradicts, and owes it to D1. Idempotent. */
export function takeContrary(
  stores: ContraryStores,
  account: AccountRecord,
  { version, entry, reportedAt, reported }: ContraryNews,
  now: number,
): "taken" | "later" {
  const { claims, events, contraryResults, untold } = stores;
  const { requestId, deviceId, receivedAt, transaction } = entry;
  const isKnown = contraryResults.of(requestId).some((one) => one.version === version && one.deviceId === deviceId);
  if (isKnown) return "taken";
  const claim = claims.find(transaction.referenceId);
  const recorded = claim?.requestId ?? 0;
  const isCompleted = recorded > requestId || (recorded === requestId && claim?.completedAt !== null);
  if (claim !== null && !isCompleted) return "later";
  const { transType, referenceId, statusCode, responseCode, completedBy, transAmt, cashAmt, currency } = transaction;
  const copy = {
    ...unresolvedCopy(deviceId, receivedAt, transaction),
    contrary: { statusCode, completedBy, reportedAt, reported },
  };
  contraryResults.save({ requestId, deviceId, version, open: true, copy });
  oweUnresolved(untold, { requestId, deviceId }, copy, now);
  const named = { requestId: String(requestId), transType, deviceId, referenceId, statusCode, responseCode };
  const data = {
    transaction: { ...named, completedBy, transAmt, cashAmt, currency },
    reportedAt: isoWithOffset(reportedAt, account.timezone),
    reported,
  };
  events.append(account, { type: "transaction.contradicted", data }, now);
  return "taken";
}

/**
 * @param terminalId null: the only terminal that has a transaction with this number
 * @param reason what the operator found out
 */
export function closeContrary(
  { contraryResults, untold }: Pick<ContraryStores, "contraryResults" | "untold">,
  { requestId, terminalId: wanted, reason, actor }: CloseCall,
  now: number,
): CloseOutcome {
  const known = contraryResults.of(requestId).filter(({ deviceId }) => wanted === null || deviceId === wanted);
  const open = known.filter((result) => result.open);
  const [first] = open;
  if (first === undefined) return { kind: known.length === 0 ? "unknown" : "not-open" };
  const terminals = [...new Set(open.map(({ deviceId }) => deviceId))];
  if (terminals.length > 1) return { kind: "ambiguous", terminals };
  for (const result of open) contraryResults.save({ ...result, open: false });
  oweUnresolved(untold, first, null, now);
  const { deviceId: terminalId, copy } = first;
  const { contrary } = copy;
  const details = { requestId: String(requestId), terminalId, statusCode: contrary.statusCode, reason };
  untold.audit({ at: now, actor, action: "transaction.close", details });
  return { kind: "closed" };
}

/** D1 was restored: it lacks the open contrary results. */
export function oweOpen({ contraryResults, untold }: Pick<ContraryStores, "contraryResults" | "untold">, now: number) {
  for (const { copy, ...named } of contraryResults.open()) oweUnresolved(untold, named, copy, now);
}
