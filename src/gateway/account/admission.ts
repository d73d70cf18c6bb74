/**
 * Checks everything about a signed message that the account can decide, in one turn. `admit` also claims the reference
 * of a POS's message. An accepted message was valid under the terms of a single moment; a later change applies to the
 * next message.
 */
import { err, ok, type Result } from "../../protocol/result.ts";
import type { MasterKeys } from "../secrets/master-keys.ts";
import { CLOCK_TOLERANCE, UNKNOWN_REFERENCES_A_DAY } from "../../protocol/limits.ts";
import { DAY, type EpochMs } from "../../protocol/time/units.ts";
import type { Admission, CallRefusal, SignedCall, SignedMessage } from "./rpc.ts";
import { judgeClaim, newClaim } from "./feed.ts";
import { expectPruning } from "./pruning.ts";
import type { AccountTerms, TransferMessage } from "../../protocol/transfer-message.ts";
import { active, type Signed, verifyingKey } from "./sessions.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";

type Sender = Signed & Pick<SignedMessage, "sessionId" | "posId">;

/** Checks account, session, `posId` and signature, in this order. */
function judgeSender(
  { records, sessions }: AccountTables,
  masterKeys: MasterKeys,
  message: Sender,
  now: EpochMs,
): Result<{ record: AccountRecord; signingKey: string }, SenderRefusal> {
  const account = active(records.record);
  if (!account.ok) return account;
  const record = account.value;
  if (!sessions.has(message.sessionId)) return err({ kind: "session-ended" });
  if (message.posId !== record.posId) return err({ kind: "other-account" });
  const signingKey = verifyingKey(masterKeys, record, message, now);
  if (!signingKey.ok) return err({ kind: signingKey.error === "unreadable" ? "unreadable-key" : "wrong-signature" });
  return ok({ record, signingKey: signingKey.value });
}

type SenderRefusal = Exclude<CallRefusal, { kind: "clock-off" | "used" }>;

export function decideAdmission(
  tables: AccountTables,
  masterKeys: MasterKeys,
  message: SignedMessage,
  now: EpochMs,
): Admission {
  const sender = judgeSender(tables, masterKeys, message, now);
  if (!sender.ok) {
    if (sender.error.kind !== "wrong-signature") return sender.error;
    return { kind: "wrong-signature", bound: tables.devices.find(message.deviceId)?.bound === true };
  }
  const { record, signingKey } = sender.value;
  const device = tables.devices.find(message.deviceId);
  // A POS's text never creates an object: only terminals that have been the account's are called.
  if (device === null) return { kind: "no-such-device" };

  const reference = takeReference(tables, record, message, now);
  switch (reference.kind) {
    case "elsewhere":
      // A device that was the account's gets the same refusal as one that never was (I6).
      return { ...reference, holder: device.bound ? reference.holder : null };
    case "too-many-unknown":
      return reference;
    case "fine":
      return { kind: "admitted", terms: termsOf(record), signingKey, recorded: reference.recorded };
    default:
      return reference satisfies never;
  }
}

type ReferenceVerdict =
  | { kind: "fine"; recorded: boolean }
  | { kind: "elsewhere"; holder: string; open: boolean }
  | Extract<Admission, { kind: "too-many-unknown" }>;

/**
 * The reference that the message is about, and whether it claims it for its device; null: it is about none.
 *
 * A question claims the reference that it names, never its own. An inquiry that names nothing is about its own, which
 * must belong to this device although it is not claimed.
 */
function readReference(message: TransferMessage): { referenceId: string; claims: boolean } | null {
  switch (message.kind) {
    case "submit":
    case "cancel":
      return { referenceId: message.referenceId, claims: true };
    case "inquire": {
      const { transType, referenceId, namedTransId, namedReferenceId } = message;
      if (namedReferenceId !== null) return { referenceId: namedReferenceId, claims: true };
      return transType === "inquiry" && namedTransId === null ? { referenceId, claims: false } : null;
    }
    default:
      return message satisfies never;
  }
}

/** If the message does not claim, only reads the claim. */
function takeReference(
  tables: AccountTables,
  record: AccountRecord,
  message: TransferMessage,
  now: EpochMs,
): ReferenceVerdict {
  const { claims, records } = tables;
  const about = readReference(message);
  if (about === null) return { kind: "fine", recorded: false };
  const { referenceId, claims: isClaimed } = about;
  const { kind, deviceId } = message;
  // Nearly every reference is new, and one statement both looks and claims.
  if (kind === "submit" && claims.add(newClaim(referenceId, deviceId, now))) {
    expectPruning(tables, now);
    return { kind: "fine", recorded: false };
  }
  const verdict = judgeClaim(claims.find(referenceId), deviceId, now);
  switch (verdict.kind) {
    case "elsewhere":
      return verdict;
    case "held":
      if (isClaimed && verdict.refresh) claims.save({ ...verdict.claim, admittedAt: now });
      return { kind: "fine", recorded: verdict.claim.requestId !== null };
    case "new": {
      if (!isClaimed) return { kind: "fine", recorded: false };
      const refused = kind === "submit" ? null : countAsked(records, record, now);
      if (refused !== null) return refused;
      claims.save(newClaim(referenceId, deviceId, now));
      expectPruning(tables, now);
      return { kind: "fine", recorded: false };
    }
    default:
      return verdict satisfies never;
  }
}

/** References that are only asked about or cancelled would fill the registry, so each day has a limit. */
function countAsked(
  records: AccountRecordStore,
  { askedDay, askedCount }: AccountRecord,
  now: EpochMs,
): Extract<Admission, { kind: "too-many-unknown" }> | null {
  const today = Math.floor(now / DAY);
  const asked = askedDay === today ? askedCount : 0;
  if (asked >= UNKNOWN_REFERENCES_A_DAY) return { kind: "too-many-unknown", retryAt: (today + 1) * DAY };
  records.update({ askedDay: today, askedCount: asked + 1 });
  return null;
}

export function termsOf({ posId, merchantId, currency, timezone, termsVersion }: AccountRecord): AccountTerms {
  return { posId, merchantId, currency, timezone, version: termsVersion };
}

type CallVerdict = { kind: "good"; record: AccountRecord } | CallRefusal;

/**
 * A call is signed like a transfer because a leaked token must not make it: it would send a shop's books elsewhere, or
 * take a shop's terminals away. Checks sender, time and nonce, in this order. An accepted call uses up its nonce,
 * whether or not it changes anything.
 */
export function judgeCall(tables: AccountTables, keys: MasterKeys, call: SignedCall, now: EpochMs): CallVerdict {
  const sender = judgeSender(tables, keys, call, now);
  if (!sender.ok) return sender.error;
  const { record } = sender.value;
  // The Worker has checked with another clock: a nonce must be remembered longer than any message with it is accepted.
  if (Math.abs(call.datetime - now) > CLOCK_TOLERANCE) return { kind: "clock-off", now };
  const isNew = tables.nonces.use(call.nonce, call.datetime + CLOCK_TOLERANCE, now);
  return isNew ? { kind: "good", record } : { kind: "used" };
}
