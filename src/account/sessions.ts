/** Decisions about sessions: whether a token's session is valid, and what a refresh returns. */
import { REFRESH_REPEAT } from "../protocol/limits/keys.ts";
import { err, ok, type Result } from "../outcomes/result.ts";
import type { AccountView, Standing } from "../rpc/standing.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { Session, Sessions } from "./storage/sessions.ts";

export function viewOf(record: AccountRecord): AccountView {
  const { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt } = record;
  return { posId, merchantId, currency, timezone, name, region, status, signedChanges, createdAt };
}

/** Why an account cannot be used. */
type Inactive = Extract<Standing, { kind: "unknown" | "not-active" }>;

/** The account if it is active. */
export function active(record: AccountRecord | null): Result<AccountRecord, Inactive> {
  if (record === null) return err({ kind: "unknown" });
  return record.status === "active" ? ok(record) : err({ kind: "not-active", status: record.status });
}

export function standingOf(record: AccountRecord | null, sessions: Pick<Sessions, "has">, sessionId: string): Standing {
  const account = active(record);
  if (!account.ok) return account.error;
  return sessions.has(sessionId) ? { kind: "good", account: viewOf(account.value) } : { kind: "session-ended" };
}

/**
 * What a refresh token is valid for (RFC 9700, section 4.14.2). `rotate`: it gets a new pair, which replaces the session's.
 * `repeat`: it was used moments ago and gets the same pair again, because an answer was lost or two threads refreshed at
 * once. `end`: it was used earlier, so it may be stolen, or it was kept too long.
 */
export function judgeRefresh(session: Session, refreshId: string, now: number): "rotate" | "repeat" | "end" {
  const { pair, previousRefreshId, rotatedAt } = session;
  if (pair.refreshId === refreshId) return "rotate";
  return previousRefreshId === refreshId && rotatedAt !== null && now - rotatedAt <= REFRESH_REPEAT ? "repeat" : "end";
}
