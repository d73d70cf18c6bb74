import { REFRESH_REPEAT, PREVIOUS_SIGNING_KEY_LIFE, PREVIOUS_SIGNING_KEYS } from "../../protocol/limits.ts";
import { err, ok, type Result } from "../../protocol/result.ts";
import type {
  AccountView,
  SessionStanding,
  OpenOutcome,
  RefreshOutcome,
  SignedLogin,
  SignedOpenOutcome,
} from "./rpc.ts";
import type { AccountTables } from "./storage/tables.ts";
import type { AccountRecord, PreviousSigningKey } from "./storage/record.ts";
import type { Devices } from "./storage/claims.ts";
import type { StoredSession } from "./storage/sessions.ts";
import type { MasterKeys } from "../secrets/master-keys.ts";
import { newPair } from "../secrets/tokens.ts";
import { unsealOften, seal, unseal } from "../secrets/sealing.ts";
import { holds } from "../../protocol/signing/signature.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** More devices would make every request longer. */
export const DEVICES_IN_TOKEN = 50;

export function toAccountView(record: AccountRecord): AccountView {
  const { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt } = record;
  return { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt };
}

type Inactive = Extract<SessionStanding, { kind: "unknown" | "not-active" }>;

export function active(record: AccountRecord | null): Result<AccountRecord, Inactive> {
  if (record === null) return err({ kind: "unknown" });
  return record.status === "active" ? ok(record) : err({ kind: "not-active", status: record.status });
}

export function sessionStanding({ records, sessions }: AccountTables, sessionId: string): SessionStanding {
  const account = active(records.record);
  if (!account.ok) return account.error;
  return sessions.has(sessionId) ? { kind: "good", account: toAccountView(account.value) } : { kind: "session-ended" };
}

/**
 * What a refresh token is valid for (RFC 9700, section 4.14.2). `rotate`: a new pair replaces the session's. `repeat`:
 * used moments ago, gets the same pair again, because an answer was lost or two threads refreshed at once. `end`: used
 * earlier, so it may be stolen, or it was kept too long.
 */
function judgeRefresh(session: StoredSession, refreshId: string, now: EpochMs): "rotate" | "repeat" | "end" {
  const { pair, previousRefreshId, rotatedAt } = session;
  if (pair.refreshId === refreshId) return "rotate";
  return previousRefreshId === refreshId && rotatedAt !== null && now - rotatedAt <= REFRESH_REPEAT ? "repeat" : "end";
}

/**
 * Opens a session; call this only after the right password. Like everything that changes sessions, it runs within a
 * turn.
 */
export function openSession(tables: AccountTables, kid: string, now: EpochMs): OpenOutcome {
  const account = active(tables.records.record);
  return account.ok ? newSession(tables, account.value, kid, now) : account.error;
}

export function openSignedSession(
  tables: AccountTables,
  masterKeys: MasterKeys,
  { kid, ...login }: SignedLogin & { kid: string },
  now: EpochMs,
): SignedOpenOutcome {
  const { record } = tables.records;
  if (record === null) return { kind: "unknown" };
  const key = verifyingKey(masterKeys, record, login, now);
  if (!key.ok) return { kind: key.error };
  const account = active(record);
  if (!account.ok) return account.error;
  // Upper and lower case hexadecimal are the same signature, so they count as the same login.
  if (!tables.logins.use(login.signature.toLowerCase(), login.until, now)) return { kind: "used" };
  return newSession(tables, record, kid, now);
}

/** @param kid names the master key that signs the tokens */
function newSession(
  { sessions, devices }: AccountTables,
  { timezone }: AccountRecord,
  kid: string,
  now: EpochMs,
): Extract<OpenOutcome, { kind: "opened" }> {
  const sessionId = crypto.randomUUID();
  const pair = newPair({ kid, timezone, devices: devicesInToken(devices) }, now);
  sessions.forgetEnded(now);
  sessions.save({ sessionId, pair, previousRefreshId: null, rotatedAt: null });
  return { kind: "opened", sessionId, pair };
}

/** Returns none if there are more than an access token has room for. */
function devicesInToken(devices: Devices): string[] {
  const bound = devices.bound(DEVICES_IN_TOKEN + 1);
  return bound.length > DEVICES_IN_TOKEN ? [] : bound;
}

export function refreshSession(
  { records, sessions, devices }: AccountTables,
  { sessionId, refreshId }: { sessionId: string; refreshId: string },
  kid: string,
  now: EpochMs,
): RefreshOutcome {
  const account = active(records.record);
  if (!account.ok) return account.error;
  const session = sessions.find(sessionId);
  if (session === null) return { kind: "session-ended" };
  const verdict = judgeRefresh(session, refreshId, now);
  switch (verdict) {
    case "repeat":
      return { kind: "refreshed", pair: session.pair };
    case "end":
      sessions.end(sessionId);
      return { kind: "used" };
    case "rotate": {
      const pair = newPair({ kid, timezone: account.value.timezone, devices: devicesInToken(devices) }, now);
      sessions.save({ sessionId, pair, previousRefreshId: refreshId, rotatedAt: now });
      return { kind: "refreshed", pair };
    }
    default:
      return verdict satisfies never;
  }
}

export function endSession(tables: AccountTables, sessionId: string): SessionStanding {
  const standing = sessionStanding(tables, sessionId);
  if (standing.kind === "good") tables.sessions.end(sessionId);
  return standing;
}

export type SigningKeys = Pick<AccountRecord, "signingKey" | "previousSigningKeys">;

type Owned = SigningKeys & Pick<AccountRecord, "posId">;

type Password = Pick<AccountRecord, "sealedPassword">;

/** `signature` is null if it is missing. */
export interface Signed {
  signedForm: string;
  signature: string | null;
}

/**
 * Which key signed the message: the current one, or a previous one that is still valid.
 *
 * @returns the key's text; `unreadable` if no master key can decrypt the current key
 */
export function verifyingKey(
  masterKeys: MasterKeys,
  { posId, signingKey, previousSigningKeys }: Owned,
  { signedForm, signature }: Signed,
  now: EpochMs,
): Result<string, "wrong" | "unreadable"> {
  const current = unsealOften(masterKeys, signingKey, "account-signing-key", posId);
  if (!current.ok) return err("unreadable");
  if (signature === null) return err("wrong");
  if (holds(signedForm, signature, current.value)) return current;
  for (const { sealed } of stillValid(previousSigningKeys, now)) {
    const before = unsealOften(masterKeys, sealed, PREVIOUS, posId);
    if (before.ok && holds(signedForm, signature, before.value)) return before;
  }
  return err("wrong");
}

const PREVIOUS = "account-previous-signing-key";

function stillValid(keys: readonly PreviousSigningKey[], now: EpochMs): PreviousSigningKey[] {
  return keys.filter(({ until }) => now < until);
}

/** With `revokePrevious`, no other key is valid any more. */
export interface NewSigningKey {
  sealedSigningKey: string;
  revokePrevious: boolean;
}

/**
 * The current key stays valid for a day. Earlier keys keep their own day.
 *
 * @returns an error if as many previous keys as allowed are valid: when the first expires
 * @throws if the current key cannot be decrypted: only `revokePrevious` can replace it
 */
export function rotateKeys(
  masterKeys: MasterKeys,
  { posId, signingKey, previousSigningKeys }: Owned,
  { sealedSigningKey, revokePrevious }: NewSigningKey,
  now: EpochMs,
): Result<SigningKeys, { until: EpochMs }> {
  if (revokePrevious) return ok({ signingKey: sealedSigningKey, previousSigningKeys: [] });
  const valid = stillValid(previousSigningKeys, now);
  if (valid.length >= PREVIOUS_SIGNING_KEYS) return err({ until: Math.min(...valid.map(({ until }) => until)) });
  const old = unseal(masterKeys, signingKey, "account-signing-key", posId);
  if (!old.ok) throw new Error(`The signing key of an account cannot be unsealed: ${old.error}`);
  const previous = { sealed: seal(masterKeys, old.value, PREVIOUS, posId), until: now + PREVIOUS_SIGNING_KEY_LIFE };
  return ok({ signingKey: sealedSigningKey, previousSigningKeys: [previous, ...valid] });
}

/**
 * Seals the password and the valid keys with the current master key. Returns null if one of them cannot be decrypted.
 */
export function resealKeys(
  masterKeys: MasterKeys,
  keys: Owned & Password,
  now: EpochMs,
): (SigningKeys & Password) | null {
  const again = (
    sealed: string,
    kind: "account-signing-key" | "account-previous-signing-key" | "account-password",
  ): string | null => {
    const opened = unseal(masterKeys, sealed, kind, keys.posId);
    return opened.ok ? seal(masterKeys, opened.value, kind, keys.posId) : null;
  };
  const sealedPassword = again(keys.sealedPassword, "account-password");
  const signingKey = again(keys.signingKey, "account-signing-key");
  const previousSigningKeys: PreviousSigningKey[] = [];
  for (const { sealed, until } of stillValid(keys.previousSigningKeys, now)) {
    const resealedKey = again(sealed, PREVIOUS);
    if (resealedKey === null) return null;
    previousSigningKeys.push({ sealed: resealedKey, until });
  }
  return signingKey === null || sealedPassword === null ? null : { sealedPassword, signingKey, previousSigningKeys };
}
