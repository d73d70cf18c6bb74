/** What an operator changes, each in one turn together with its audit row. */
import type { MasterKeys } from "../keys/master-keys.ts";
import type { Outbox } from "../objects/storage/outbox.ts";
import type { AccountChanges, ChangeOutcome, CreateOutcome, NewAccount, RotateOutcome } from "./calls.ts";
import { viewOf } from "./sessions.ts";
import { resealed, rotated } from "./signing-keys.ts";
import { sealedUnder } from "../keys/sealing.ts";
import type { Devices } from "./storage/devices.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { Sessions } from "./storage/sessions.ts";

export interface ChangeParts {
  records: AccountRecordStore;
  sessions: Sessions;
  devices: Devices;
  outbox: Outbox;
}

export function create(
  { records, outbox }: ChangeParts,
  wanted: NewAccount,
  actor: string,
  now: number,
): CreateOutcome {
  if (records.record !== null) return { kind: "taken" };
  const { posId, merchantId, currency, timezone, name, region, passwordHash, sealedSigningKey } = wanted;
  const terms = { merchantId, currency, timezone };
  records.create({ posId, ...terms, name, region, createdAt: now, passwordHash, signingKey: sealedSigningKey });
  outbox.add({ at: now, actor, action: "account.create", details: terms });
  return { kind: "created", account: viewOf(records.update({})) };
}

/** What terminals are told of. */
const NEWS = ["status", "merchantId", "currency", "timezone"] as const;

export function change(
  { records, sessions, outbox }: ChangeParts,
  { passwordHash, ...changes }: AccountChanges,
  actor: string,
  now: number,
): ChangeOutcome {
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const { record } = before;
  const wanted = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const version = record.version + 1;
  const next = records.update({
    ...wanted,
    ...(passwordHash === undefined ? {} : { passwordHash, passwordVersion: record.passwordVersion + 1 }),
    version,
    newsVersion: NEWS.some((name) => changes[name] !== undefined) ? version : record.newsVersion,
  });
  if (passwordHash !== undefined || changes.status === "suspended") sessions.endAll();
  const details = { ...wanted, ...(passwordHash === undefined ? {} : { password: true }) };
  outbox.add({ at: now, actor, action: "account.change", details });
  return { kind: "changed", account: viewOf(next) };
}

export function rotateKey(
  { records, outbox }: ChangeParts,
  masterKeys: MasterKeys,
  sealedSigningKey: string,
  revokePrevious: boolean,
  actor: string,
  now: number,
): RotateOutcome {
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const { record } = before;
  const keys = rotated(masterKeys, record, sealedSigningKey, revokePrevious, now);
  records.update({ ...keys, version: record.version + 1 });
  outbox.add({ at: now, actor, action: "account.signing-key", details: { revokePrevious } });
  return { kind: "rotated", previousValidUntil: keys.previousSigningKeyUntil };
}

/** Nothing is admitted from this turn on. What is recorded later is kept. */
export function remove({ records, sessions, devices, outbox }: ChangeParts, actor: string, now: number): ChangeOutcome {
  const before = changeable(records.record);
  if (before.kind !== "changeable") return before;
  const version = before.record.version + 1;
  const next = records.update({ status: "deleted", version, newsVersion: version });
  sessions.endAll();
  outbox.add({ at: now, actor, action: "account.delete", details: { unbound: devices.bound() } });
  return { kind: "changed", account: viewOf(next) };
}

/** @returns the kid that the keys are sealed under then; null where there are none, or none that can be opened */
export function reseal({ records }: Pick<ChangeParts, "records">, masterKeys: MasterKeys): string | null {
  const { record } = records;
  if (record === null) return null;
  const { kid } = masterKeys.current;
  if (sealedUnder(record.signingKey) === kid) return kid;
  const keys = resealed(masterKeys, record);
  if (keys === null) return null;
  records.update({ ...keys, version: record.version + 1 });
  return kid;
}

type Changeable = { kind: "changeable"; record: AccountRecord } | { kind: "deleted" } | { kind: "unknown" };

function changeable(record: AccountRecord | null): Changeable {
  if (record === null) return { kind: "unknown" };
  return record.status === "deleted" ? { kind: "deleted" } : { kind: "changeable", record };
}
