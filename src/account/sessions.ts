/** The account's sessions: opened by a login, continued by a refresh, ended by a logout. */
import { REFRESH_REPEAT } from "../protocol/limits/keys.ts";
import { err, ok, type Result } from "../outcomes/result.ts";
import type { AccountView, Standing } from "../rpc/standing.ts";
import type { AccountStores } from "./stores.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { Session, Sessions } from "./storage/sessions.ts";
import type { MasterKeys } from "../keys/master-keys.ts";
import { newPair } from "../keys/tokens.ts";
import { DEVICES_IN_TOKEN } from "./limits.ts";
import type { Credentials, OpenOutcome, RefreshOutcome, SignedLogin, SignedOpenOutcome } from "../rpc/account.ts";
import { verifyingKey } from "./signing-keys.ts";

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

type SessionStores = Pick<AccountStores, "records" | "sessions" | "logins" | "devices">;

/** The calls about sessions, in a turn. Times are epoch milliseconds. `kid` names the key that signs the tokens. */
export class AccountSessions {
  readonly #stores: SessionStores;

  constructor(stores: SessionStores) {
    this.#stores = stores;
  }

  credentials(): Credentials {
    const { record } = this.#stores.records;
    if (record === null) return { kind: "unknown" };
    const { passwordHash, passwordVersion } = record;
    return { kind: "known", passwordHash, passwordVersion };
  }

  /** @param passwordVersion of the password that was verified */
  open(passwordVersion: number, kid: string, now: number): OpenOutcome {
    const account = active(this.#stores.records.record);
    if (!account.ok) return account.error;
    return account.value.passwordVersion === passwordVersion ? this.#open(account.value, kid, now) : { kind: "stale" };
  }

  openSigned(keys: MasterKeys, login: SignedLogin, kid: string, now: number): SignedOpenOutcome {
    const { record } = this.#stores.records;
    if (record === null) return { kind: "unknown" };
    const key = verifyingKey(keys, record, login, now);
    if (!key.ok) return { kind: key.error === "unreadable" ? "unreadable-key" : "wrong-signature" };
    const account = active(record);
    if (!account.ok) return account.error;
    // Upper and lower case hexadecimal are the same signature, so they count as the same login.
    if (!this.#stores.logins.use(login.signature.toLowerCase(), login.until, now)) return { kind: "used" };
    return this.#open(record, kid, now);
  }

  #open({ timezone }: AccountRecord, kid: string, now: number): Extract<OpenOutcome, { kind: "opened" }> {
    const sessionId = crypto.randomUUID();
    const pair = newPair({ kid, timezone, devices: this.#devices() }, now);
    this.#stores.sessions.forgetEnded(now);
    this.#stores.sessions.save({ sessionId, pair, previousRefreshId: null, rotatedAt: null });
    return { kind: "opened", sessionId, pair };
  }

  /** The terminals that a new access token names: none if there are more than it has room for. */
  #devices(): string[] {
    const devices = this.#stores.devices.bound(DEVICES_IN_TOKEN + 1);
    return devices.length > DEVICES_IN_TOKEN ? [] : devices;
  }

  standing(sessionId: string): Standing {
    return standingOf(this.#stores.records.record, this.#stores.sessions, sessionId);
  }

  refresh(sessionId: string, refreshId: string, kid: string, now: number): RefreshOutcome {
    const account = active(this.#stores.records.record);
    if (!account.ok) return account.error;
    const session = this.#stores.sessions.find(sessionId);
    if (session === null) return { kind: "session-ended" };
    const verdict = judgeRefresh(session, refreshId, now);
    switch (verdict) {
      case "repeat":
        return { kind: "refreshed", pair: session.pair };
      case "end":
        this.#stores.sessions.end(sessionId);
        return { kind: "used" };
      case "rotate": {
        const pair = newPair({ kid, timezone: account.value.timezone, devices: this.#devices() }, now);
        this.#stores.sessions.save({ sessionId, pair, previousRefreshId: refreshId, rotatedAt: now });
        return { kind: "refreshed", pair };
      }
      default:
        return verdict satisfies never;
    }
  }

  end(sessionId: string): Standing {
    const standing = this.standing(sessionId);
    if (standing.kind === "good") this.#stores.sessions.end(sessionId);
    return standing;
  }
}
