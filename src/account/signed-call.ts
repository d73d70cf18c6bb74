/**
 * Calls that are signed like a transfer, because a leaked token must not make them: it would send a shop's books elsewhere,
 * or take a shop's terminals away.
 */
import type { MasterKeys } from "../keys/master-keys.ts";
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import type { CallRefusal, SignedCall } from "../rpc/signed-call.ts";
import { active } from "./sessions.ts";
import { verifyingKey } from "./signing-keys.ts";
import type { Nonces } from "./storage/nonces.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { Sessions } from "./storage/sessions.ts";

export interface SignedCallParts {
  records: AccountRecordStore;
  sessions: Sessions;
  nonces: Nonces;
}

export type CallVerdict = { kind: "good"; record: AccountRecord } | CallRefusal;

/**
 * Checks account, session, `posId`, signature, time and nonce, in this order. An accepted call uses up its nonce, whether
 * or not it changes anything.
 */
export function judgeCall(
  { records, sessions, nonces }: SignedCallParts,
  keys: MasterKeys,
  call: SignedCall,
  now: number,
): CallVerdict {
  const account = active(records.record);
  if (!account.ok) return account.error;
  const record = account.value;
  if (!sessions.has(call.sessionId)) return { kind: "session-ended" };
  if (call.posId !== record.posId) return { kind: "other-account" };
  const key = verifyingKey(keys, record, call.signedForm, call.signature, now);
  if (!key.ok) return { kind: key.error === "unreadable" ? "unreadable-key" : "wrong-signature" };
  // The Worker has checked with another clock: a nonce must be remembered longer than any message with it is accepted.
  if (Math.abs(call.datetime - now) > CLOCK_TOLERANCE) return { kind: "clock-off", now };
  return nonces.use(call.nonce, call.datetime + CLOCK_TOLERANCE, now) ? { kind: "good", record } : { kind: "used" };
}
