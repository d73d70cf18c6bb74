/** Decisions on sessions: whether a token's is good, and what becomes of one that is refreshed. */
import { REFRESH_REPEAT } from "../protocol/limits/keys.ts";
import type { AccountView, Standing } from "./calls.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { Session, Sessions } from "./storage/sessions.ts";

/** An account as it is told. */
export function viewOf(record: AccountRecord): AccountView {
  const { posId, merchantId, currency, timezone, name, region, status, createdAt, version } = record;
  return { posId, merchantId, currency, timezone, name, region, status, createdAt, version };
}

/** Why nothing can be done for the account, and in its name; null: it is active. */
export function inactive(record: AccountRecord | null): Extract<Standing, { kind: "unknown" | "not-active" }> | null {
  if (record === null) return { kind: "unknown" };
  return record.status === "active" ? null : { kind: "not-active", status: record.status };
}

/** Whether a session is good, and the account behind it. */
export function standingOf(record: AccountRecord | null, sessions: Pick<Sessions, "has">, sessionId: string): Standing {
  const refusal = inactive(record);
  if (refusal !== null || record === null) return refusal ?? { kind: "unknown" };
  return sessions.has(sessionId) ? { kind: "good", account: viewOf(record) } : { kind: "session-ended" };
}

/**
 * What a refresh token is good for (RFC 9700, 4.14.2). `rotate`: a new pair takes the place of the session's.
 * `repeat`: the token was exchanged a moment ago, and gets the same pair again: an answer was lost, or two threads
 * refreshed at once. `end`: it was exchanged long ago, so somebody else has it, or it was kept too long.
 */
export function judgeRefresh(session: Session, refreshId: string, now: number): "rotate" | "repeat" | "end" {
  const { pair, previousRefreshId, rotatedAt } = session;
  if (pair.refreshId === refreshId) return "rotate";
  return previousRefreshId === refreshId && rotatedAt !== null && now - rotatedAt <= REFRESH_REPEAT ? "repeat" : "end";
}
