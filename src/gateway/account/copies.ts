/** The copies that D1 has of an account, for lists and for the overview. The outbox delivers them. */
import { sealedUnder } from "../secrets/sealing.ts";
import { D1, type DeliveryAnswer, type Outbox, REMEMBERED_FOR } from "../durable/storage/outbox.ts";
import { databaseReceiver } from "../durable/outbox-database.ts";
import type { OutboxReceiver } from "../durable/outbox-dispatcher.ts";
import { readWebhookId } from "../../protocol/webhooks.ts";
import { accountStatements } from "../d1/accounts.ts";
import { accountObject } from "../d1/objects.ts";
import { completedBefore, pendingStatement, type PendingCopy } from "../d1/pending.ts";
import { webhookAlertsStatement, type WebhookAlertCopy } from "../d1/overview.ts";
import { toAccountView } from "./sessions.ts";
import { enqueueStatisticsSince, STATISTICS, statisticsChange } from "./statistics.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import type { Endpoint, Webhooks } from "./storage/webhooks.ts";
import { isSealedUnder } from "./webhooks/endpoint.ts";
import type { CloseCall, CloseOutcome, ConflictUpdate } from "./rpc.ts";
import { isoWithOffset } from "../../protocol/time/zone.ts";
import type { AccountTransaction } from "../../protocol/events.ts";
import { addedBy } from "./tally.ts";
import { pendingTransactions } from "./totals.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** After this many failures in a row, D1 gets the endpoint as behind: the first attempts come within seconds. */
const ALERT_FAILURES = 3;

/** Names the account's row in D1. */
const STATE = { target: D1, kind: "account" } as const;

/** Names the account's endpoints that need attention. */
const WEBHOOK_HEALTH = { target: D1, kind: "webhook_health" } as const;

/** The kind of entry for a transaction that is or was pending, or has or had a conflicting result. */
const PENDING = "pending";

/** After a restore of D1, this entry closes what was open then and is not any more. */
const RESYNC = { target: D1, kind: "resync" } as const;

/**
 * Enqueues the account's row for D1.
 *
 * @returns the version under which D1 gets it
 */
export function enqueueAccountState(outbox: Outbox, now: EpochMs): number {
  return outbox.enqueue(STATE, now);
}

/** Enqueues the health of the endpoints if the turn has changed which of them need attention. */
export function enqueueWebhookHealth({ records, webhooks, outbox }: AccountTables, now: EpochMs): void {
  if (!webhooks.isChanged) return;
  const { record } = records;
  const text = listWebhookAlerts(webhooks)
    .map(({ webhookId: id, disabledBy, since }) => `${id} ${disabledBy} ${since}`)
    .join();
  if (record === null || text === (record.webhookAlerts ?? "")) return;
  records.update({ webhookAlerts: text });
  outbox.enqueue(WEBHOOK_HEALTH, now);
}

/**
 * After a restore, D1 may lack everything. What follows the entry `RESYNC` has a higher version than what it closes.
 *
 * @returns false: there is no account
 */
export function resyncAccount(tables: AccountTables, now: EpochMs): boolean {
  const { outbox, records, conflictingResults } = tables;
  const { record } = records;
  if (record === null) return false;
  outbox.enqueueLogResync(now);
  outbox.enqueue(RESYNC, now);
  enqueueAccountState(outbox, now);
  if (record.webhookAlerts !== null) outbox.enqueue(WEBHOOK_HEALTH, now);
  for (const { copy, ...named } of [...openCopies(tables), ...conflictingResults.open()]) {
    enqueuePending(outbox, named, copy, now);
  }
  enqueueStatisticsSince(tables, now - REMEMBERED_FOR, now);
  return true;
}

/** The pending transactions, as D1 has them. */
function openCopies(tables: AccountTables): (Named & { copy: PendingCopy })[] {
  return pendingTransactions(tables).map(({ requestId, deviceId, receivedAt, ...transaction }) => ({
    requestId: Number(requestId),
    deviceId,
    copy: pendingCopy(deviceId, Date.parse(receivedAt), transaction),
  }));
}

export function accountDatabase(
  context: Pick<DurableObjectState, "waitUntil">,
  database: D1Database,
  tables: AccountTables,
): OutboxReceiver {
  const { records, webhooks, outbox } = tables;
  return databaseReceiver({
    context,
    database,
    outbox,
    object: () => accountObject(records.posId),
    changes: {
      [STATE.kind]: ({ version }) => {
        const { record } = records;
        if (record === null) return { statements: [] };
        const copy = { ...toAccountView(record), sealedUnder: commonKid(record, webhooks) };
        return { statements: accountStatements(database, copy, version) };
      },
      [WEBHOOK_HEALTH.kind]: ({ version }) => ({
        statements: [webhookAlertsStatement(database, records.posId, version, listWebhookAlerts(webhooks))],
      }),
      [PENDING]: ({ key, payload, version }, now) => {
        const copy = JSON.parse(payload ?? "null") as PendingCopy | null;
        const [requestId, terminalId = ""] = key.split(" ");
        const note = { requestId: Number(requestId), terminalId, version, copy };
        return { statements: [pendingStatement(database, records.posId, note, now)] };
      },
      [RESYNC.kind]: ({ version }, now) => ({
        statements: [completedBefore(database, records.posId, version, now)],
      }),
      [STATISTICS.kind]: (entry, now) => statisticsChange(database, tables, entry, now),
    },
  });
}

type Copied = Pick<
  AccountTransaction,
  "currency" | "referenceId" | "transType" | "responseCode" | "responseText" | "transAmt" | "cashAmt"
>;

export function pendingCopy(deviceId: string, receivedAt: EpochMs, transaction: Copied): PendingCopy {
  const { currency, referenceId, transType, responseCode, responseText, transAmt, cashAmt } = transaction;
  const amounts = { transAmt: addedBy(transType, transAmt), cashAmt: addedBy(transType, cashAmt) };
  return { receivedAt, currency, ...amounts, terminalId: deviceId, referenceId, transType, responseCode, responseText };
}

/**
 * Names one transaction. Its number alone may also be another terminal's, if the counter of numbers was ever set back.
 */
export function formatCopyKey({ requestId, deviceId }: { requestId: number | string; deviceId: string }): string {
  return `${requestId} ${deviceId}`;
}

interface Named {
  requestId: number;
  deviceId: string;
}

/** A null `copy` means that nothing about the transaction is open. */
export function enqueuePending(outbox: Outbox, named: Named, copy: PendingCopy | null, now: EpochMs): void {
  const payload = copy === null ? null : JSON.stringify(copy);
  outbox.enqueue({ target: D1, kind: PENDING, key: formatCopyKey(named), payload }, now);
}

export function listWebhookAlerts(webhooks: Webhooks): WebhookAlertCopy[] {
  return webhooks.all.flatMap(findWebhookAlert);
}

/**
 * An endpoint that its account disabled needs no attention, and neither does one with a single failure: the next
 * attempt comes soon.
 */
function findWebhookAlert({ id, host, disabledBy, disabledAt, failures, failingSince }: Endpoint): WebhookAlertCopy[] {
  const alert = { webhookId: readWebhookId(id), host, disabledBy };
  if (disabledBy === "account") return [];
  if (disabledBy !== null) return [{ ...alert, since: disabledAt ?? 0 }];
  return failures >= ALERT_FAILURES && failingSince !== null ? [{ ...alert, since: failingSince }] : [];
}

/** Returns the master key that seals everything of the account, or null if there is more than one. */
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

/** Records the result in the feed, after the completion that it contradicts, and enqueues it for D1. Idempotent. */
export function takeConflict(
  tables: AccountTables,
  account: AccountRecord,
  { version, entry, reportedAt, reported }: ConflictUpdate,
  now: EpochMs,
): DeliveryAnswer {
  const { claims, events, conflictingResults, outbox } = tables;
  const { requestId, deviceId, receivedAt, transaction } = entry;
  const isKnown = conflictingResults.of(requestId).some((one) => one.version === version && one.deviceId === deviceId);
  if (isKnown) return "delivered";
  const claim = claims.find(transaction.referenceId);
  const recorded = claim?.requestId ?? 0;
  const isCompleted = recorded > requestId || (recorded === requestId && claim?.completedAt !== null);
  if (claim !== null && !isCompleted) return "busy";
  const { transType, referenceId, statusCode, responseCode, completedBy, transAmt, cashAmt, currency } = transaction;
  const copy = {
    ...pendingCopy(deviceId, receivedAt, transaction),
    conflict: { statusCode, completedBy, reportedAt, reported },
  };
  conflictingResults.save({ requestId, deviceId, version, closedAt: null, copy });
  enqueuePending(outbox, { requestId, deviceId }, copy, now);
  const named = { requestId: String(requestId), transType, deviceId, referenceId, statusCode, responseCode };
  const data = {
    transaction: { ...named, completedBy, transAmt, cashAmt, currency },
    reportedAt: isoWithOffset(reportedAt, account.timezone),
    reported,
  };
  events.append(account, { type: "transaction.conflict", data }, now);
  return "delivered";
}

/**
 * @param terminalId null: the only terminal that has a transaction with this number
 * @param reason what the operator found out
 */
export function closeConflict(
  { conflictingResults, outbox }: AccountTables,
  { requestId, terminalId: wanted, reason, actor }: CloseCall,
  now: EpochMs,
): CloseOutcome {
  const known = conflictingResults.of(requestId).filter(({ deviceId }) => wanted === null || deviceId === wanted);
  const open = known.filter(({ closedAt }) => closedAt === null);
  const [first] = open;
  if (first === undefined) return { kind: known.length === 0 ? "unknown" : "not-open" };
  const terminals = [...new Set(open.map(({ deviceId }) => deviceId))];
  if (terminals.length > 1) return { kind: "ambiguous", terminals };
  for (const result of open) conflictingResults.save({ ...result, closedAt: now });
  enqueuePending(outbox, first, null, now);
  const { deviceId: terminalId, copy } = first;
  const { conflict } = copy;
  const details = { requestId: String(requestId), terminalId, statusCode: conflict.statusCode, reason };
  outbox.enqueueAudit({ at: now, actor, action: "transaction.close", details });
  return { kind: "closed" };
}
