/**
 * Calls that change an account's endpoints are signed like a transfer: a leaked token must not send a shop's books
 * elsewhere.
 */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import type { CallRefusal, SignedCall } from "../../rpc/webhooks.ts";
import { active } from "../sessions.ts";
import { verifyingKey } from "../signing-keys.ts";
import type { Nonces } from "../storage/nonces.ts";
import type { AccountRecord, AccountRecordStore } from "../storage/record.ts";
import type { Sessions } from "../storage/sessions.ts";

export interface SignedCallParts {
  records: AccountRecordStore;
  sessions: Sessions;
  nonces: Nonces;
}

export type CallVerdict = { kind: "good"; record: AccountRecord } | CallRefusal;

/**
 * Checks account, session, the endpoint, `posId`, signature, time and nonce, in this order. An accepted call uses up its
 * nonce, whether or not it changes anything.
 *
 * @param isThere whether the endpoint exists
 */
export function judgeCall(
  { records, sessions, nonces }: SignedCallParts,
  keys: MasterKeys,
  call: SignedCall,
  isThere: boolean,
  now: number,
): CallVerdict {
  const account = active(records.record);
  if (!account.ok) return account.error;
  const record = account.value;
  if (!sessions.has(call.sessionId)) return { kind: "session-ended" };
  if (!isThere) return { kind: "no-such-webhook" };
  if (call.posId !== record.posId) return { kind: "other-account" };
  const key = verifyingKey(keys, record, call.signedForm, call.signature, now);
  if (!key.ok) return { kind: key.error === "unreadable" ? "unreadable-key" : "wrong-signature" };
  // The Worker has checked with another clock: a nonce must be remembered longer than any message with it is accepted.
  if (Math.abs(call.datetime - now) > CLOCK_TOLERANCE) return { kind: "clock-off", now };
  return nonces.use(call.nonce, call.datetime + CLOCK_TOLERANCE, now) ? { kind: "good", record } : { kind: "used" };
}
