/**
 * `admit`: checks everything about a till's message that the account can decide, and claims its reference, in one turn. A
 * message that passes was valid under the terms of a single moment; a later change applies to the next message.
 */
import type { MasterKeys } from "../keys/master-keys.ts";
import { UNKNOWN_REFERENCES_A_DAY } from "../protocol/limits/messages.ts";
import { DAY } from "../time/units.ts";
import type { Admission, AdmissionQuestion, Terms } from "../rpc/account.ts";
import { judgeClaim, newClaim } from "./claims.ts";
import { PRUNE_EVERY } from "./limits.ts";
import { active } from "./sessions.ts";
import { verifyingKey } from "./signing-keys.ts";
import type { Claims } from "./storage/claims.ts";
import type { Devices } from "./storage/devices.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { Sessions } from "./storage/sessions.ts";

export interface AdmissionParts {
  records: AccountRecordStore;
  sessions: Sessions;
  devices: Devices;
  claims: Claims;
}

export function admit(
  parts: AdmissionParts,
  masterKeys: MasterKeys,
  question: AdmissionQuestion,
  now: number,
): Admission {
  const account = active(parts.records.record);
  if (!account.ok) return account.error;
  const record = account.value;
  if (!parts.sessions.has(question.sessionId)) return { kind: "session-ended" };
  if (question.posId !== record.posId) return { kind: "other-account" };

  const key = verifyingKey(masterKeys, record, question.signedForm, question.signature, now);
  const device = parts.devices.find(question.deviceId);
  if (!key.ok) {
    return key.error === "unreadable"
      ? { kind: "unreadable-key" }
      : { kind: "wrong-signature", bound: device?.bound === true };
  }
  // A till's text never creates an object: only terminals that have been the account's are called.
  if (device === null) return { kind: "no-such-device" };

  const reference = takeReference(parts, record, question, now);
  switch (reference.kind) {
    case "elsewhere":
      // I6: a device that was the account's gets the same refusal as one that never was.
      return { ...reference, holder: device.bound ? reference.holder : null };
    case "too-many-unknown":
      return reference;
    case "fine":
      return { kind: "admitted", terms: termsOf(record), key: key.value, recorded: reference.recorded };
    default:
      return reference satisfies never;
  }
}

type ReferenceVerdict =
  | { kind: "fine"; recorded: boolean }
  | { kind: "elsewhere"; holder: string; open: boolean }
  | Extract<Admission, { kind: "too-many-unknown" }>;

/** Claims the reference, or only reads the claim if the message does not claim. */
function takeReference(
  { claims, records }: AdmissionParts,
  record: AccountRecord,
  { referenceId, deviceId, claims: isClaimed, ask }: AdmissionQuestion,
  now: number,
): ReferenceVerdict {
  if (referenceId === null) return { kind: "fine", recorded: false };
  // Nearly every reference is new, and one statement both looks and claims.
  if (isClaimed && ask === "transaction" && claims.add(newClaim(referenceId, deviceId, now))) {
    return claimed(records, record, now);
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
      const refused = ask === "transaction" ? null : countAsked(records, record, now);
      if (refused !== null) return refused;
      claims.save(newClaim(referenceId, deviceId, now));
      return claimed(records, record, now);
    }
    default:
      return verdict satisfies never;
  }
}

/** Counts a reference that is only asked about or cancelled: it never comes, and would fill the registry. */
function countAsked(
  records: AccountRecordStore,
  { askedDay, askedCount }: AccountRecord,
  now: number,
): Extract<Admission, { kind: "too-many-unknown" }> | null {
  const today = Math.floor(now / DAY);
  const asked = askedDay === today ? askedCount : 0;
  if (asked >= UNKNOWN_REFERENCES_A_DAY) return { kind: "too-many-unknown", retryAt: (today + 1) * DAY };
  records.update({ askedDay: today, askedCount: asked + 1 });
  return null;
}

/** There is something to prune now. */
function claimed(records: AccountRecordStore, { pruneAt }: AccountRecord, now: number): ReferenceVerdict {
  if (pruneAt === null) records.update({ pruneAt: now + PRUNE_EVERY });
  return { kind: "fine", recorded: false };
}

/** The terms that a transfer is checked against, and that a terminal gets. */
export function termsOf({ posId, merchantId, currency, timezone, termsVersion }: AccountRecord): Terms {
  return { posId, merchantId, currency, timezone, version: termsVersion };
}
