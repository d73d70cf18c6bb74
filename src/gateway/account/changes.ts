/** Each change is one turn with its audit row. */
import type { MasterKeys } from "../secrets/master-keys.ts";
import { type AuditValues, auditDetails } from "../d1/audit.ts";
import { BIND_KEYS_AN_HOUR, PREBIND_CHANGES_AN_HOUR } from "../../protocol/limits.ts";
import { HOUR, type EpochMs } from "../../protocol/time/units.ts";
import type {
  AccountChanges,
  BindingOutcome,
  ChangeOutcome,
  CreateOutcome,
  NewAccount,
  RotateOutcome,
  DeviceUpdate,
  AccountUpdate,
  CallOrigin,
} from "./rpc.ts";
import { toAccountView, type NewSigningKey, resealKeys, rotateKeys } from "./sessions.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import { commonKid, enqueueAccountState } from "./copies.ts";
import { expectPruning } from "./pruning.ts";
import { resume } from "./webhooks/endpoints.ts";
import { EndpointSeals, resealedAll } from "./webhooks/endpoint.ts";
import { maskCardNumbers } from "../../protocol/card-data/card-numbers.ts";
import { readObjectName, terminalObject } from "../d1/objects.ts";
import { applyPrebinding } from "../binding/binding.ts";
import type { OutboxReceiver } from "../durable/outbox-dispatcher.ts";
import { terminalStub } from "../terminal/rpc.ts";
import { termsOf } from "./admission.ts";
import { closingTime, dayAfter, dueDay } from "./tally.ts";

export function create(
  { records, outbox }: AccountTables,
  wanted: NewAccount,
  actor: string,
  now: EpochMs,
): CreateOutcome {
  if (records.record !== null) return { kind: "taken" };
  const { posId, merchantId, currency, timezone, name, region, sealedPassword, sealedSigningKey } = wanted;
  const terms = { merchantId, currency, timezone };
  const closedDay = dueDay(now, timezone);
  records.create({
    posId,
    ...terms,
    name,
    region,
    createdAt: now,
    sealedPassword,
    signingKey: sealedSigningKey,
    closedDay,
    closesAt: closingTime(dayAfter(closedDay), timezone),
  });
  const next = records.update({ termsVersion: enqueueAccountState(outbox, now) });
  outbox.enqueueAudit({ at: now, actor, action: "account.create", details: terms, after: { ...terms, name, region } });
  return { kind: "created", account: toAccountView(next) };
}

const CHANGED = ["status", "merchantId", "currency", "timezone", "name", "signedChanges"] as const;

const TERMS_MEMBERS = ["status", "merchantId", "currency", "timezone"] as const;

export function applyAccountChange(
  tables: AccountTables,
  { sealedPassword, ...changes }: AccountChanges,
  actor: string,
  now: EpochMs,
): ChangeOutcome {
  const { records, sessions, days, outbox, webhooks } = tables;
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const { record } = before;
  const wanted = Object.fromEntries(
    Object.entries(changes).filter((entry): entry is [string, string | boolean | null] => entry[1] !== undefined),
  );
  const { closedDay, timezone } = record;
  const next = records.update({
    ...wanted,
    ...(sealedPassword === undefined ? {} : { sealedPassword }),
    closesAt: closingTime(dayAfter(closedDay), changes.timezone ?? timezone),
  });
  if (TERMS_MEMBERS.some((name) => changes[name] !== undefined)) enqueueTerms(tables, now);
  else enqueueAccountState(outbox, now);
  if (next.timezone !== timezone) days.keepZone(closedDay, timezone);
  if (sealedPassword !== undefined || changes.status === "suspended") sessions.endAll();
  if (record.status === "suspended" && changes.status === "active") resume({ webhooks });
  const details = { ...auditDetails(wanted), ...(sealedPassword === undefined ? {} : { password: true }) };
  const valuesOf = (account: AccountRecord): AuditValues =>
    Object.fromEntries(CHANGED.flatMap((name) => (name in wanted ? [[name, account[name]]] : [])));
  if (sealedPassword !== undefined || CHANGED.some((name) => next[name] !== record[name])) {
    outbox.enqueueAudit({
      at: now,
      actor,
      action: "account.change",
      details,
      before: valuesOf(record),
      after: valuesOf(next),
    });
  }
  return { kind: "changed", account: toAccountView(next) };
}

export function rotateKey(
  { records, outbox }: AccountTables,
  masterKeys: MasterKeys,
  { actor, ...wanted }: NewSigningKey & { actor: string },
  now: EpochMs,
): RotateOutcome {
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const { record } = before;
  const keys = rotateKeys(masterKeys, record, wanted, now);
  if (!keys.ok) return { kind: "too-many-keys", ...keys.error };
  records.update(keys.value);
  enqueueAccountState(outbox, now);
  outbox.enqueueAudit({
    at: now,
    actor,
    action: "account.signing-key",
    details: { revokePrevious: wanted.revokePrevious },
  });
  return { kind: "rotated", previousValidUntil: keys.value.previousSigningKeys[0]?.until ?? null };
}

/** Nothing is admitted from this turn on. Outcomes are still recorded. */
export function remove(tables: AccountTables, actor: string, now: EpochMs): ChangeOutcome {
  const { records, sessions, devices, outbox, webhooks } = tables;
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const next = records.update({ status: "deleted", deletedBy: actor });
  enqueueTerms(tables, now);
  sessions.endAll();
  for (const { id } of webhooks.all) webhooks.remove(id);
  const [from, to] = [{ status: before.record.status }, { status: "deleted" }];
  const details = { unbound: devices.bound() };
  outbox.enqueueAudit({ at: now, actor, action: "account.delete", details, before: from, after: to });
  return { kind: "changed", account: toAccountView(next) };
}

/** @returns the kid that now seals everything; null: there is nothing to seal, or something cannot be decrypted */
export function resealAccount(
  { records, webhooks, outbox }: AccountTables,
  masterKeys: MasterKeys,
  now: EpochMs,
): string | null {
  const { record } = records;
  if (record === null) return null;
  const { kid } = masterKeys.current;
  if (commonKid(record, webhooks) === kid) return kid;
  const keys = resealKeys(masterKeys, record, now);
  const endpoints = resealedAll(new EndpointSeals(masterKeys, record.posId), webhooks.all);
  if (keys === null || endpoints === null) return null;
  for (const endpoint of endpoints) webhooks.save(endpoint);
  records.update(keys);
  enqueueAccountState(outbox, now);
  return kid;
}

type Changeable = { kind: "changeable"; record: AccountRecord } | { kind: "deleted" } | { kind: "unknown" };

function changeable(record: AccountRecord | null): Changeable {
  if (record === null) return { kind: "unknown" };
  return record.status === "deleted" ? { kind: "deleted" } : { kind: "changeable", record };
}

/** A stolen token can unbind terminals and replace the prebind list, so the feed reports both. */

/** Ignores an update that is older than the known binding. */
export function handleDeviceUpdate(
  tables: AccountTables,
  record: AccountRecord,
  update: DeviceUpdate,
  now: EpochMs,
): void {
  const { devices, outbox } = tables;
  const { terminalId, bindingVersion, bound, unboundBy } = update;
  const known = devices.find(terminalId);
  if (known !== null && known.bindingVersion >= bindingVersion) return;
  devices.save(update);
  if (!bound) expectPruning(tables, now);
  // The terminal gets the terms with the call's answer.
  outbox.remove({ target: terminalObject(terminalId), kind: TERMS });
  // A deleted account's feed has no readers.
  const isLost = known?.bound === true && !bound && record.status !== "deleted";
  if (isLost && unboundBy !== undefined) {
    tables.events.append(record, { type: "terminal.unbound", data: { terminalId, unboundBy } }, now);
  }
}

/** The update is recorded before D1 has the list: no failure hides a change that was made. */
export function takePrebindList(
  tables: AccountTables,
  list: string[],
  origin: CallOrigin,
  now: EpochMs,
): BindingOutcome {
  const { records, outbox } = tables;
  const { record } = records;
  if (record === null) return NOTED;
  const refused = countThisHour(records, record, "prebindChanges", now);
  if (refused !== null) return refused;
  const uniqueIds = list.map(maskCardNumbers);
  const values = { details: { ...origin }, after: { uniqueIds } };
  outbox.enqueueAudit({ at: now, actor: `account:${record.posId}`, action: "prebind.replace", ...values });
  tables.events.append(record, { type: "prebind.replaced", data: { uniqueIds } }, now);
  return NOTED;
}

/** A leaked token can create a key and bind a terminal of its own to the account, so the audit log has each key. */
export function takeBindKey({ records, outbox }: AccountTables, origin: CallOrigin, now: EpochMs): BindingOutcome {
  const { record } = records;
  if (record === null) return NOTED;
  const refused = countThisHour(records, record, "bindKeys", now);
  if (refused !== null) return refused;
  outbox.enqueueAudit({ at: now, actor: `account:${record.posId}`, action: "bind-key.create", details: { ...origin } });
  return NOTED;
}

const NOTED: BindingOutcome = { kind: "noted" };

const AN_HOUR = { prebindChanges: PREBIND_CHANGES_AN_HOUR, bindKeys: BIND_KEYS_AN_HOUR };

/** Without a limit, one token fills the audit log: an account's rate allows two million calls a day. */
function countThisHour(
  records: AccountTables["records"],
  record: AccountRecord,
  counter: keyof typeof AN_HOUR,
  now: EpochMs,
): BindingOutcome | null {
  const bindingHour = Math.floor(now / HOUR);
  const { prebindChanges, bindKeys } = record.bindingHour === bindingHour ? record : { prebindChanges: 0, bindKeys: 0 };
  const counts = { prebindChanges, bindKeys };
  if (counts[counter] >= AN_HOUR[counter]) return { kind: "too-many", retryAt: (bindingHour + 1) * HOUR };
  records.update({ bindingHour, ...counts, [counter]: counts[counter] + 1 });
  return null;
}

const TERMS = "terms";

/** From this turn on, every bound terminal must get the present terms. */
function enqueueTerms({ records, devices, outbox }: AccountTables, now: EpochMs): void {
  records.update({ termsVersion: enqueueAccountState(outbox, now) });
  for (const terminalId of devices.bound()) {
    outbox.enqueue({ target: terminalObject(terminalId), kind: TERMS }, now);
  }
}

export function accountUpdate(record: AccountRecord | null): AccountUpdate {
  // The object has lost its data, so there is no account. Version 1 is the lowest, so an account that is created later
  // is newer.
  if (record === null) return { kind: "deleted", version: 1 };
  if (record.status === "deleted") {
    const { termsVersion: version, deletedBy } = record;
    return { kind: "deleted", version, ...(deletedBy === null ? {} : { actor: deletedBy }) };
  }
  return { kind: "terms", terms: termsOf(record), status: record.status };
}

/** Terminals get the terms as they are at the time of the delivery. */
export function terminalsReceiver(env: Env, records: AccountRecordStore): OutboxReceiver {
  return {
    target: terminalObject(""),
    async send([entry]) {
      const { record } = records;
      if (record === null) return () => ["refused"];
      const { id: terminalId } = readObjectName(entry?.target ?? "");
      const { kind } = await terminalStub(env, terminalId).applyAccountUpdate(record.posId, accountUpdate(record));
      // Another account's prebind list may be waiting for the terminal.
      if (kind === "done" && record.status === "deleted") await applyPrebinding(env, [terminalId]);
      return () => [kind === "busy" ? "busy" : "delivered"];
    },
  };
}
